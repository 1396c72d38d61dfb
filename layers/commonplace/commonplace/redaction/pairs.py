"""Passwords beside the name that they go with: "login: ana / Tr0ub4dor&3", "user admin pass hunter2"."""

import re
from collections.abc import Iterator

from commonplace.redaction.remarks import is_remark
from commonplace.redaction.tokens import tokens
from commonplace.redaction.values import is_blank, is_mixed, is_passphrase
from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import words

_CUES = ("log", "cred", "acc", "sign", "us", "benutz", "nutzer", "utilis", "identif", "mail", "zugang", "anmeld",
         "conne", "entr", "sesion", "kennung", "cuenta", "compte", "correo", "pseudo", "nick", "konto", "id", "ssh", "ftp",
         "vpn", "rdp", "admin", "wi", "wlan", "ssid", "net", "red ", "resea", "ログイン", "アカウント", "ユーザー", "@")  # fmt: skip
_SECRETS = ("pass", "pw", "clave", "contrasena", "kennwort", "mdp")
_USER = r"(?P<user>[\w.@+\-]{2,64})"
_IS = r"(?:is |es |ist |est |lautet )?"
_PASS = (
    r"(?:and |y |und |et |with |mit |con |avec )?(?:the |its |la |el |das |le )?"
    r"(?:pass ?(?:word|code|wd|phrase)?|pw|pwd|clave|contrasena|passwort|kennwort|mdp|mot de passe)"
    rf"\s*[:=]?\s+{_IS}(?P<value>\S{{3,100}})"
)
_NAMED = re.compile(
    r"(?<![a-z0-9])(?:user ?-?(?:name|id)?|usr|usuari[oa]|(?:be)?nutzer(?:name|kennung)?|utilisateur|identifiant"
    r"|(?:log ?-?in|anmelde|konto|account|kunden|teilnehmer)[ -]?(?:name|kennung|nummer|id|nr\.?)?|kennung|nick(?:name)?"
    rf"|pseudo|compte|cuenta|correo|e-?mail|id|admin)\s*[:=]?\s*{_IS}{_USER}[\s,;/|]{{1,3}}{_PASS}"
)
# A network may be called by several words: "the wifi is Casa Okafor, password swordfish".
_NETWORK = re.compile(
    r"(?<![a-z])(?:wi-?fi|wlan|ssid|net(?:work|z|zwerk)|red|reseau)(?![a-z])[^\n,;/|.!?]{1,40}[,;/|]\s?" + _PASS
)
_WITH = re.compile(rf"(?<![a-z])(?:with|as|con|como|mit|als|avec|comme)\s{_USER},?\s(?=(?:and|y|und|et)\s){_PASS}")
_LOGIN = re.compile(
    r"(?<![a-z0-9])(?:basic auth|log(?:s|ged|ging)? ?-?in|log ?on|login-?daten|logins|credentials?|creds|account|acct"
    r"|sign(?:s|ed|ing)? ?-?in|user ?(?:/|and|&) ?pass(?:word)?|user|acceso|inici[ao](?:r)? (?:de )?sesion|credenciales|cuenta"
    r"|zugang(?:sdaten)?|anmeldedaten|anmeldung|einloggen|anmelden|angemeldet|identifiants?|connexion|compte|ssh|ftp|sftp"
    r"|vpn|rdp|admin panel|connect(?:er?|es)?|entr(?:ar|o|a|as))(?![a-z])"
    r"[^\n:/=|;.!?\"'-]{0,40}?"
    r"(?P<sign>[:=|]|(?<=[a-z ]) (?:is|are|with|as|using|es|son|con|como|ist|sind|mit|als|est|sont|avec|comme|->) | )\s*"
    rf"{_USER}(?P<between>\s?/\s?|:|\s?\|\s?|\s+(?:and|with|y|con|und|mit|et|avec|plus|&|\+)\s+|,\s)"
    r"(?P<value>[^\s/]\S{2,100})"
)
_EMAIL = re.compile(
    r"(?<![\w.])(?P<user>[\w.+\-]{1,64}@[\w\-]{1,60}\.[a-z.]{2,20})(?:[:|]|\s/\s|,?\s(?:and|with|con|y|und|mit|et|avec)\s)(?P<value>[^\s/]\S{3,100})"
)
_JAPANESE = re.compile(
    r"(?:ログイン|アカウント|ユーザー)(?:情報|名|id)?[はが:]\s?(?P<user>[!-~]{2,64}?)\s?[/、と]\s?"
    r"(?P<value>[!-~]{3,100})"
)


def find_pairs(view: View) -> Iterator[Span]:
    """Spans of passwords that stand behind a user name or an address; the name stays."""
    if not any(cue in view.folded for cue in _CUES):
        return
    named = (_NAMED, _NETWORK, _WITH) if any(secret in view.folded for secret in _SECRETS) else ()
    for pattern in (*named, _LOGIN, _EMAIL, _JAPANESE):
        for match in pattern.finditer(view.folded):
            part = tokens(view, match.start("value"), 1)[0]
            mixed = is_mixed(part.text) or is_passphrase(part.text)
            fits = mixed or (pattern in named and not _is_talk(part.word, part.text))
            if pattern is _LOGIN:
                fits = _fits_login(match, mixed, _is_talk(part.word, part.text))
            if fits and match.groupdict().get("user") not in words("function", "link"):
                yield Span(part.start, part.end, "password")


def _fits_login(match: re.Match[str], mixed: bool, talk: bool) -> bool:
    announced, joined = match["sign"].strip() in (":", "=", "->"), match["between"].strip() in ("/", ":", "|")
    if mixed:
        return joined or match["sign"] != " "
    return announced and joined and not talk


def _is_talk(word: str, text: str) -> bool:
    return is_remark(word) or is_blank(text) or word in words("compound", "link", "evasive")
