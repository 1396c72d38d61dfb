"""Passwords beside the name that they go with: "login: ana / Tr0ub4dor&3", "user admin pass hunter2"."""

import re
from collections.abc import Iterator

from commonplace.redaction.remarks import is_remark
from commonplace.redaction.tokens import tokens
from commonplace.redaction.values import is_blank, is_mixed
from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import words

_CUES = ("log", "cred", "acc", "sign", "us", "benutz", "nutzer", "utilis", "identif", "mail", "zugang", "anmeld",
         "conne", "entrar", "sesion", "id", "ssh", "ftp", "vpn", "rdp", "admin",
         "ログイン", "アカウント", "@")  # fmt: skip
_USER = r"(?P<user>[\w.@+\-]{2,64})"
_IS = r"(?:is |es |ist |est )?"
_NAMED = re.compile(
    r"(?<![a-z0-9])(?:user ?(?:name|id)?|usr|usuario|benutzer(?:name)?|utilisateur|nutzer(?:name)?|identifiant|login"
    rf"|log ?in|e-?mail|account|id|admin)\s*[:=]?\s*{_IS}{_USER}[\s,;/|]{{1,3}}"
    r"(?:and |y |und |et |with |mit |con |avec )?(?:the |la |das |le )?"
    r"(?:pass ?(?:word|code|wd)?|pw|pwd|clave|contrasena|passwort|kennwort|mdp|mot de passe)"
    rf"\s*[:=]?\s+{_IS}(?P<value>\S{{3,100}})"
)
_LOGIN = re.compile(
    r"(?<![a-z0-9])(?:log ?-?in|logon|login-?daten|logins|credentials?|creds|account|acct|sign ?-?in"
    r"|user ?(?:/|and|&) ?pass(?:word)?|user|acceso|inicio de sesion|credenciales|cuenta|zugang(?:sdaten)?|anmeldedaten"
    r"|anmeldung|einloggen|identifiants?|connexion|compte|ssh|ftp|sftp|vpn|rdp|admin panel|connect|entrar)(?![a-z])"
    r"[^\n:/=|;.!?\"'-]{0,40}?"
    r"(?P<sign>[:=|]|(?<=[a-z ]) (?:is|are|with|as|using|es|son|con|ist|sind|mit|est|sont|avec|->) | )\s*"
    rf"{_USER}(?P<between>\s?/\s?|:|\s?\|\s?|\s+(?:and|with|y|und|et|&)\s+|,\s)(?P<value>[^\s/]\S{{2,100}})"
)
_EMAIL = re.compile(r"(?<![\w.])(?P<user>[\w.+\-]{1,64}@[\w\-]{1,60}\.[a-z.]{2,20})(?:[:|]|\s/\s)(?P<value>[^\s/]\S{3,100})")
_JAPANESE = re.compile(
    r"(?:ログイン|アカウント|ユーザー)(?:情報|名|id)?[はが:]\s?(?P<user>[!-~]{2,64}?)\s?[/、と]\s?"
    r"(?P<value>[!-~]{3,100})"
)


def find_pairs(view: View) -> Iterator[Span]:
    """Spans of passwords that stand behind a user name or an address; the name stays."""
    if not any(cue in view.folded for cue in _CUES):
        return
    for pattern in (_NAMED, _LOGIN, _EMAIL, _JAPANESE):
        for match in pattern.finditer(view.folded):
            part = tokens(view, match.start("value"), 1)[0]
            mixed = is_mixed(part.text)
            fits = mixed or (pattern is _NAMED and not _is_talk(part.word, part.text))
            if pattern is _LOGIN:
                fits = _fits_login(match, mixed, _is_talk(part.word, part.text))
            if fits and match["user"] not in words("function", "link"):
                yield Span(part.start, part.end, "password")


def _fits_login(match: re.Match[str], mixed: bool, talk: bool) -> bool:
    announced, joined = match["sign"].strip() in (":", "=", "->"), match["between"].strip() in ("/", ":", "|")
    if mixed:
        return joined or match["sign"] != " "
    return announced and joined and not talk


def _is_talk(word: str, text: str) -> bool:
    return is_remark(word) or is_blank(text) or word in words("compound", "link", "evasive")
