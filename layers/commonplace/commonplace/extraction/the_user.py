"""The words by which a model, who writes in the third person, means the user."""

import re

_SPACED = (
    "user users user's nutzer nutzers nutzerin benutzer benutzers benutzerin usuario usuaria usuário usuária utilizador"
    " utilizadora utilisateur utilisatrice l'utilisateur l'utilisatrice utente l'utente gebruiker"
).split()
_UNSPACED = ["ユーザー", "用户", "用戶"]
_MENTION = re.compile(rf"\b(?:{'|'.join(_SPACED)})\b|{'|'.join(_UNSPACED)}", re.IGNORECASE)

THE_USER = frozenset([*_SPACED, *_UNSPACED])


def mentions_the_user(text: str) -> bool:
    """Whether the user is in it, in the third person."""
    return _MENTION.search(text) is not None
