"""Passwords beside the name that they go with: "login: ana / Tr0ub4dor&3", "user admin pass hunter2"."""

import re
from collections.abc import Iterator

from commonplace.redaction.reading import is_remark
from commonplace.redaction.tokens import tokens
from commonplace.redaction.values import is_blank, is_mixed
from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import words

_CUES = (
    "login", "log in", "logon", "cred", "account", "acct", "sign in", "signin", "user", "usuario", "benutzer", "utilisateur", "identifiant", "email",
    "acceso", "zugang", "anmelde", "connexion", "connect", "entrar", "ログイン", "アカウント", "@", "id",
)  # fmt: skip
_LOGIN = re.compile(
    r"(?<![a-z0-9])(?:log ?-?in|logon|login-?daten|logins|credentials?|creds|account|acct|sign ?-?in|user ?(?:/|and|&) ?pass(?:word)?|user"
    r"|acceso|inicio de sesion|credenciales|cuenta|zugang(?:sdaten)?|anmeldedaten|anmeldung|einloggen|identifiants?|connexion"
    r"|compte|ssh|ftp|sftp|vpn|rdp|admin panel|connect|entrar)(?![a-z])(?P<on>[^\n:/=|;.!?]{0,40}?)(?P<sign>[:=|]|(?<=[a-z ]) (?:is|are|with|as|using|es|son|con|ist|sind|mit|est|sont|avec|->) | )\s*"
    r"(?P<user>[\w.@+\-]{2,64})(?P<between>\s?/\s?|:|\s?\|\s?|\s+(?:and|with|y|und|et|&)\s+|,\s)(?P<value>[^\s/]\S{2,100})"
)
_NAMED = re.compile(
    r"(?<![a-z0-9])(?:user ?(?:name|id)?|usr|usuario|benutzer(?:name)?|utilisateur|nutzer(?:name)?|identifiant|login|log ?in|e-?mail|account|id|admin)\s*[:=]?\s*(?:is |es |ist |est )?"
    r"(?P<user>[\w.@+\-]{2,64})[\s,;/|]{1,3}(?:and |y |und |et |with |mit |con |avec )?(?:the |la |das |le )?(?:pass ?(?:word|code|wd)?|pw|pwd|clave|contrasena|passwort|kennwort|mdp|mot de passe)"
    r"\s*[:=]?\s+(?:is |es |ist |est )?(?P<value>\S{3,100})"
)
_EMAIL = re.compile(r"(?<![\w.])[\w.+\-]{1,64}@[\w\-]{1,60}\.[a-z.]{2,20}(?P<between>[:|]|\s/\s)(?P<value>[^\s/]\S{3,100})")
_JAPANESE = re.compile(r"(?:ログイン|アカウント|ユーザー)(?:情報|名|id)?[はが:]\s?(?P<user>[!-~]{2,64}?)(?P<between>\s?[/、と]\s?)(?P<value>[!-~]{3,100})")


def find_pairs(view: View) -> Iterator[Span]:
    """Spans of passwords that stand behind a user name or an address; the name stays."""
    if not any(cue in view.folded for cue in _CUES):
        return
    for pattern in (_NAMED, _LOGIN, _EMAIL, _JAPANESE):
        for match in pattern.finditer(view.folded):
            part = tokens(view, match.start("value"), 1)[0]
            if pattern is _LOGIN:
                fits = is_mixed(part.text) and (match["sign"] != " " or match["between"].strip() in ("/", ":", "|")) or (match["sign"].strip() in (":", "=", "->") and match["between"].strip() in ("/", ":", "|"))
            else:
                fits = pattern is _NAMED or is_mixed(part.text)
            user = match.groupdict().get("user") or ""
            if fits and user not in words("function", "link") and not _is_talk(part.word, part.text):
                yield Span(part.start, part.end, "password")


def _is_talk(word: str, text: str) -> bool:
    if is_mixed(text):
        return False
    return is_remark(word) or is_blank(text) or word in words("compound", "link", "evasive")
