"""Passwords beside the name that they go with: "login: ana / Tr0ub4dor&3", "user admin pass hunter2"."""

import re
from collections.abc import Iterator

from commonplace.text.redaction.phrases import is_remark
from commonplace.text.redaction.values import is_blank, is_branded, is_mixed, is_passphrase, tokens
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import words

_CUES = ("log", "cred", "acc", "sign", "us", "benutz", "nutzer", "utilis", "identif", "mail", "zugang", "anmeld",
         "conne", "entr", "sesion", "kennung", "cuenta", "compte", "correo", "pseudo", "nick", "konto", "id", "ssh", "ftp",
         "vpn", "rdp", "admin", "root", "guest", "sa:", "sa/",
         "postgres", "ubuntu", "invit", "gast", "hotspot", "auth", "wi", "wlan", "ssid", "net", "red ", "resea", "ログイン", "アカウント", "ユーザー", "@")  # fmt: skip
_SECRETS = ("pass", "pw", "clave", "contrasena", "kennwort", "mdp")
_USER = r"(?P<user>[\w.@+\-]{2,64})"
_IS = r"(?:is\s|es\s|ist\s|est\s|lautet\s)?"
_PASS = rf"""
  (?:(?:and|y|und|et|with|mit|con|avec)\s)?(?:(?:the|its|la|el|das|le)\s)?(?:(?:root|user|admin|login)\s)?
  (?:pass\s?(?:word|code|wd|phrase)?|pw|pwd|clave|contrasena|passwort|kennwort|mdp|mot\sde\spasse)
  \s*[:=]?\s+{_IS}(?P<value>\S{{3,100}})"""
_NAMED = re.compile(
    rf"""(?x)(?<![a-z0-9])(?:
      user\s?-?(?:name|id)?|usr|usuari[oa]|(?:be)?nutzer(?:name|kennung)?|utilisateur|identifiant
      |(?:log\s?-?in|anmelde|konto|account|kunden|teilnehmer)[ -]?(?:name|kennung|nummer|id|nr\.?)?|kennung|nick(?:name)?
      |pseudo|compte|cuenta|correo|e-?mail|id|admin
      |(?P<net>(?:wi-?fi|wlan|ssid|hotspot|network)(?:\s(?:name|called|namens|llamad[ao]))?)
    )\s*[:=]?\s*{_IS}{_USER}[\s,;/|]{{1,3}}{_PASS}"""
)
# A network may be called by several words: "the wifi is Casa Okafor, password swordfish".
_NETWORK = re.compile(
    rf"(?x)(?<![a-z])(?:wi-?fi|wlan|ssid|hotspot|net(?:work|z|zwerk)|red|reseau)(?![a-z])[^\n,;/|.!?]{{1,40}}(?:[,;/|]\s?|\s(?=(?:and|und|y|et)\s)){_PASS}"
)
_WITH = re.compile(rf"(?x)(?<![a-z])(?:with|as|con|como|mit|als|avec|comme)\s{_USER},?\s(?=(?:and|y|und|et)\s){_PASS}")
# "log in as family, password movieNight"
_ENTERED = re.compile(
    rf"(?x)(?<![a-z])(?:log(?:ged|s)?\s?-?in|sign(?:ed|s)?\s?-?in|anmelden|einloggen|entra[rs]?|connecte\w*)\s"
    rf"(?:as|como|als|comme|with|con|mit|avec)\s{_USER},\s{_PASS}"
)
_ARE = r"is|are|it's|its|with|as|using|es|son|con|como|ist|sind|(?:das|es)\sist|mit|als|est|c'est|sont|avec|comme|->"
_DEGREE = re.compile(r"(?:[bm](?:s?c|a|e|ed|tech|com|eng|sci|phil|ba)|ph\.?d|ll[bm])\d{0,4}")
_LOGIN = re.compile(
    rf"""(?x)(?<![a-z0-9])(?:
      basic\sauth|log(?:s|ged|ging)?\s?-?in|log\s?on|login-?daten|logins|credentials?|creds|account|acct
      |sign(?:s|ed|ing)?\s?-?in|user\s?(?:/|and|&)\s?pass(?:word)?|user|acceso|inici[ao](?:r)?\s(?:de\s)?sesion|credenciales
      |cuenta|[a-z]{{0,12}}zugang(?:sdaten)?|anmeldedaten|anmeldung|einloggen|anmelden|angemeldet|identifiants?|connexion
      |compte|konto|ssh|ftp|sftp|vpn|rdp|admin\spanel|connect(?:er?|es)?|entr(?:ar|o|a|as)|(?P<net>wi-?fi|wlan|ssid|hotspot)
    )(?![a-z])
    [^\n:/=|;.!?\"'-]{{0,40}}?,?
    (?P<sign>[:=|]|(?<=[a-z ,])\s(?:{_ARE})\s(?:(?:just|still|now|aun|noch)\s)?|\s)\s*
    {_USER}(?P<between>
      \s?/\s?|:|\s?\|\s?|,\s|\s+(?:and|with|y|con|und|mit|et|avec|plus|&|\+)\s+(?:(?:then|luego|dann|puis|despues|danach)\s)?
      |(?<=\d)\s(?=\S{8, 40}\s?(?:\n|$))
    )(?P<value>(?!(?:c'est|it's|its|das|ist)\s)[^\s/]\S{{2,100}})"""
)
_EMAIL = re.compile(
    r"""(?x)(?<![\w.])(?P<user>[\w.+\-]{1,64}@[\w\-]{1,60}\.[a-z.]{2,20})
    (?:
      [:|]|\s/\s|\s(?:[|>–—-]|->)\s(?=\S{6,40}(?:[,;\n]|$))|\n(?=\S{6,40}(?:\n|$))
      |,?\s(?:and|with|con|y|und|mit|et|avec|plus)\s(?:(?:then|luego|dann|danach|puis|ensuite|apres|despues)\s)?
      |,?\s(?:then|luego|dann|puis|ensuite)\s|\s?と\s?|(?P<bare>,?\s)
    )(?P<value>[^\s/]\S{3,100})"""
)
# Without a word for a login: "root / toor1234!", "it's admin/Brother1!".
_USUAL = re.compile(
    r"(?<![\w/.:@-])(?:root|admin(?:istrator)?|guest|sa|postgres|ubuntu|invitado|gast|invite)"
    r"(?:\s?/\s?|:|\s(?:with|con|mit|avec)\s)(?=[\w.-]{0,60}[^\s\w.,;:?/)-]|(?<=\s/\s)\S{8})"
    r"(?P<value>[^\s/:]{8,100})(?![/:])"
)
_HASHES = re.compile(r"sha-?\d+|md5|rsa|ed25519|ecdsa")
_CREDENTIALS = re.compile(
    r"(?<![a-z])(?:creds?|credentials?|log ?-?ins?|sign ?-?in|pass|pw|credenciales|acceso|zugangsdaten|login-?daten"
    r"|identifiants|connexion)(?![a-z])"
)
_LEAST_THEN = 7
_WORDY = re.compile(r"[a-z][a-z._-]{5,}")
_JAPANESE = re.compile(
    r"(?:ログイン|アカウント|ユーザー)(?:情報|名|id)?[はが:]\s?(?P<user>[!-~]{2,64}?)\s?[/、と]\s?"
    r"(?P<value>[!-~]{3,100})"
)


def find_pairs(view: View) -> Iterator[Span]:
    """Spans of passwords that stand behind a user name or an address; the name stays."""
    if not any(cue in view.folded for cue in _CUES):
        return
    named = (_NAMED, _NETWORK, _WITH, _ENTERED) if any(secret in view.folded for secret in _SECRETS) else ()
    for pattern in (*named, _LOGIN, _EMAIL, _USUAL, _JAPANESE):
        for match in pattern.finditer(view.folded):
            part = tokens(view, match.start("value"), 1)[0]
            mixed = is_mixed(part.text) or is_passphrase(part.text)
            fits = mixed or (pattern in named and not _is_talk(part.word, part.text))
            if pattern is _NAMED and match["net"]:
                fits = fits and _is_called(view, match)
            if pattern is _EMAIL and (is_branded(part.text) or len(part.text) < _LEAST_THEN):
                fits = False
            if match.groupdict().get("bare"):
                fits = mixed and _CREDENTIALS.search(view.folded) is not None
            if pattern is _LOGIN:
                fits = _fits_login(view, match, mixed, _is_talk(part.word, part.text))
            if fits and match.groupdict().get("user") not in words("function", "link"):
                yield Span(part.start, part.end, "password")


def _fits_login(view: View, match: re.Match[str], mixed: bool, talk: bool) -> bool:
    user = view.text[slice(*match.span("user"))]
    in_address = view.text[max(0, match.start() - 3) : match.start()] == "://"
    if in_address or _HASHES.fullmatch(user.lower()) or is_remark(user.lower()):
        return False
    # "wifi: TheBurrow / mischief-managed", not "wifi: free / fast" or "wifi: 5GHz / 2.4GHz".
    if match["net"] and not (_is_called(view, match) and (mixed or _WORDY.fullmatch(match["value"]))):
        return False
    # "login to see BSc/MSc2019 results"
    degrees = match["sign"] == " " and _DEGREE.fullmatch(user.lower()) and _DEGREE.fullmatch(match["value"])
    if degrees or is_branded(match["value"]):
        return False
    announced, joined = match["sign"].strip() in (":", "=", "->"), match["between"].strip() in ("/", ":", "|")
    # "user web77, n3pTune$22"
    if mixed and match["sign"] == " " and match["between"].startswith(","):
        return match[0].startswith(("user", "login")) and re.search(r"[!@#$%^&*]", match["value"][1:]) is not None
    if mixed:
        return joined or match["sign"] != " "
    return announced and joined and not talk


def _is_called(view: View, match: re.Match[str]) -> bool:
    return re.search(r"[A-Z\d_-]", view.text[match.start("user") + 1 : match.end("user")]) is not None


def _is_talk(word: str, text: str) -> bool:
    return is_remark(word) or is_blank(text) or word in words("compound", "link", "evasive")
