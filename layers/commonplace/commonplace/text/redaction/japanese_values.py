"""What may be the value of a secret that is named in Japanese, where words stand without blanks."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from commonplace.text.foundation.characters import bare_in_place
from commonplace.text.redaction.values import is_mixed
from commonplace.text.redaction.view import HIDDEN, View

IN_WORDS = ("password", "security_answer", "recovery_phrase")
"""Kinds whose value may be plain words."""

IN_ONE = r"(?:ゼロ|ぜろ|れい|まる|いち|に|さん|よん|し|ご|ろく|なな|しち|はち|きゅう|く|ゼロ|レイ|マル|イチ|ニ|サン|ヨン|シ|ゴ|ロク|ナナ|シチ|ハチ|キュウ|ク|[〇零一二三四五六七八九])"
_NO_UNIT = r"(?!\s?(?:文字|桁|けた|回|個|分|日|年|月|時|種類|つ|ヶ月|か月|人|円|%|パーセント|秒|度|歳|件|番目|以上|以内))"
_FIGURES = re.compile(
    r"(?:[#*]?\d(?:[\s\-・、,の./]?\d){2,18}[#*]?(?![a-z0-9])"
    rf"|{IN_ONE}(?:[\s・、,の]?{IN_ONE}){{2,18}}){_NO_UNIT}"
)
_ASCII = re.compile(rf"[!-~]{{2,200}}(?:\s[!-~]{{1,60}}){{0,7}}{_NO_UNIT}")
_QUOTED = re.compile(r"[「『\"“']([^」』\"”'\n]{1,100})[」』\"”']")
# Words that a verb ends: "...です", "...に変えた"; after a sign, or with a figure at the end, they need none.
_PLAIN = re.compile(
    r"([ぁ-んァ-ヶー一-龥々0-9a-z]{2,14}?)"
    r"(?=です|でした|だよ|だ[。!]|だ$|に変|にし[たてま]|に設定|に更新|になり|なので|なんで|だっ|で[、。]"
    r"|(?<=[0-9])[。!]?$|(?<=[0-9])\s)"
)
_BARE = re.compile(r"([ぁ-んァ-ヶー一-龥々0-9a-z]{2,14})(?=[。!\s]|$)")
# A name or a thing in kana that ends the sentence; what ends like a verb or an adjective says something about it.
_KANA = re.compile(
    r"([ぁ-んァ-ヶー]{1,9}[あうえおかきくけこごさしせそちつてとなにのはひふほまみむめもやゆらりれろわァ-ヶー])"
    r"(?=[。!]|$)"
)
_CLOSES = re.compile(
    r"です|でした|だ|なん|なの|に(?:な|変|し|設|決|更|戻)|である|であ|という|と(?:な|設|い|入)"
    r"|で[、。\sおあ開入解ログ]|なので|[、。,!」』)]|\s|$|から|を(?:使|入)|が(?:パ|暗|合)"
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
    figures = _FIGURES.match(view.folded, at)
    if figures and (linked or figures[0][-1] in "0123456789#*"):
        return figures.span()
    ascii_run = _ASCII.match(view.text, at)
    if ascii_run and kind not in ("pin", "card_code"):
        bare = ascii_run[0].rstrip(".,;:!?\"')」』")
        closed = linked and kind in IN_WORDS and _CLOSES.match(view.text, at + len(bare))
        fits = any(map(is_mixed, bare.split())) or (closed and bare[:1].isalnum())
        return (at, at + len(bare)) if fits and bare else None
    return _plain(view, at) if linked and kind in IN_WORDS else None


def _fits_quoted(inside: str, kind: str) -> bool:
    if _FIGURES.fullmatch(bare_in_place(inside)):
        return True
    fits = kind in (*IN_WORDS, "api_key") or re.search(r"\d", inside) is not None
    return fits and HIDDEN not in inside and not is_remark(inside)


def _plain(view: View, at: int) -> tuple[int, int] | None:
    alone = _BARE if view.text[at - 2 : at].strip()[-1:] in (":", "=") else _KANA
    found = _PLAIN.match(view.folded, at) or alone.match(view.folded, at)
    return found.span(1) if found and not is_remark(found[1]) else None


def another_at(view: View, at: int) -> tuple[int, int] | None:
    """The span of one more value, of figures or made up, that begins at `at`."""
    part = _ANOTHER.match(view.text, at)
    fits = part and (is_mixed(part[0]) or (part[0].isdigit() and len(part[0]) > 2)) and _ASCII.match(view.text, at)
    return part.span() if part and fits else None


def is_remark(words: str) -> bool:
    """Whether `words` say something about a secret: "長いほうがいい", "秘密"."""
    return bool(re.search(table()["remark"]["pattern"], words) or _PARTICLES.search(words))
