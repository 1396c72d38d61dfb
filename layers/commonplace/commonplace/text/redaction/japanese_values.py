"""What may be the value of a secret that is named in Japanese, where words stand without blanks."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from commonplace.text.foundation.characters import bare_in_place
from commonplace.text.redaction.values import is_mixed
from commonplace.text.redaction.view import HIDDEN, View
from commonplace.text.redaction.vocabulary import compiled

IN_WORDS = ("password", "security_answer", "recovery_phrase")
"""Kinds whose value may be plain words."""

_QUOTED = re.compile(r"[「『\"“']([^」』\"”'\n]{1,100})[」』\"”']")
_BARE = re.compile(r"([ぁ-んァ-ヶー一-龥々0-9a-z]{2,14})(?=[。!\s]|$)")
# A name or a thing in kana that ends the sentence; what ends like a verb or an adjective says something about it.
_KANA = re.compile(
    r"([ぁ-んァ-ヶー]{1,9}[あうえおかきくけこごさしせそちつてとなにのはひふほまみむめもやゆらりれろわァ-ヶー])"
    r"(?=[。!]|$)"
)
_PARTICLES = re.compile(r"[はがをへ]|から|まで|より|って")
_ANOTHER = re.compile(r"[!-~]{3,60}")


@cache
def table() -> dict[str, Any]:
    """The words of `japanese.toml`."""
    return tomllib.loads(resources.files(__package__).joinpath("japanese.toml").read_text("utf-8"))


def value_at(view: View, at: int, kind: str, linked: bool) -> tuple[int, int] | None:
    """The span of the value of this kind that begins at `at`; plain words only if `linked` to their noun."""
    if view.text[at : at + 1] in (HIDDEN, ""):
        return None
    quoted = _QUOTED.match(view.text, at)
    if quoted:
        return quoted.span(1) if _fits_quoted(quoted[1], kind) else None
    figures = compiled("japanese.figures").match(view.folded, at)
    if figures and (linked or figures[0][-1] in "0123456789#*"):
        return figures.span()
    ascii_run = compiled("japanese.ascii").match(view.text, at)
    if ascii_run and kind not in ("pin", "card_code"):
        bare = ascii_run[0].rstrip(".,;:!?\"')」』")
        closed = linked and kind in IN_WORDS and compiled("japanese.closes").match(view.text, at + len(bare))
        fits = any(map(is_mixed, bare.split())) or (closed and bare[:1].isalnum())
        return (at, at + len(bare)) if fits and bare else None
    return _plain(view, at) if linked and kind in IN_WORDS else None


def _fits_quoted(inside: str, kind: str) -> bool:
    if compiled("japanese.figures").fullmatch(bare_in_place(inside)):
        return True
    fits = kind in (*IN_WORDS, "api_key") or re.search(r"\d", inside) is not None
    return fits and HIDDEN not in inside and not is_remark(inside)


def _plain(view: View, at: int) -> tuple[int, int] | None:
    alone = _BARE if view.text[at - 2 : at].strip()[-1:] in (":", "=") else _KANA
    found = compiled("japanese.plain").match(view.folded, at) or alone.match(view.folded, at)
    return found.span(1) if found and not is_remark(found[1]) else None


def another_at(view: View, at: int) -> tuple[int, int] | None:
    """The span of one more value, of figures or made up, that begins at `at`."""
    part = _ANOTHER.match(view.text, at)
    fits = (
        part
        and (is_mixed(part[0]) or (part[0].isdigit() and len(part[0]) > 2))
        and compiled("japanese.ascii").match(view.text, at)
    )
    return part.span() if part and fits else None


def is_remark(words: str) -> bool:
    """Whether `words` say something about a secret: "長いほうがいい", "秘密"."""
    return bool(re.search(table()["remark"]["pattern"], words) or _PARTICLES.search(words))
