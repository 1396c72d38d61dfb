"""Secrets as people say them in Japanese: 「パスワードはhunter2です」「暗証番号は4821」「4471がドアのコードです」."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from commonplace.text.foundation.characters import bare_in_place
from commonplace.text.redaction.values import is_mixed
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import compiled, expression

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
_PASS = ("パ", "ぱ")
_SCRIPT = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_ALONE = re.compile(r"[ぁ-んァ-ヶー一-龥々0-9a-z]{2,12}(?=[。!\s]*$)")


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


def _either(names: list[str]) -> str:
    return "|".join(re.escape(bare_in_place(name)) for name in sorted(names, key=len, reverse=True))


@cache
def _kinds() -> dict[str, str]:
    return {bare_in_place(name): row["kind"] for row in table()["noun"].values() for name in row["names"]}


def _kind(noun: str) -> str:
    noun = re.sub(r"[ぁ-ん]", lambda kana: chr(ord(kana[0]) + 0x60), noun) if noun.startswith(_PASS) else noun
    return _kinds().get(noun) or ("password" if noun.endswith(("パスワード", "パスワド")) else "code")


def _bounded(name: str) -> str:
    # "pin" must not be found in "pink", but Japanese goes on without a blank.
    front, back = (r"(?<![a-z0-9])" if name[0].isascii() else ""), (r"(?![a-z])" if name[-1].isascii() else "")
    # 「パスポート」「パスコード」 go on where 「パス」 ends.
    back = r"(?![ァ-ヶーわこふ])" if name.endswith("パス") else back
    return front + ("".join(map(_in_either_kana, name)) if name.startswith("パ") else re.escape(name)) + back


def _in_either_kana(letter: str) -> str:
    # 「パスわード」: the keyboard was switched half way.
    return f"[{letter}{chr(ord(letter) - 0x60)}]" if "ァ" <= letter <= "ヶ" else "ー?"


@cache
def _noun() -> re.Pattern[str]:
    names = table()
    opened = rf"(?:{_either(names['opened']['names'])})の?(?:{_either(names['opened']['words'])})"
    numbered = rf"(?:{_either(names['numbered']['names'])})の?番号"
    return re.compile("|".join([*map(_bounded, sorted(_kinds(), key=len, reverse=True)), opened, numbered]))


@cache
def _backwards() -> re.Pattern[str]:
    value = r"(?P<value>[#*]?\d(?:[\s\-・]?\d){2,18}[#*]?|[!-~]{4,60}|[ぁ-んァ-ヶー一-龥々]{2,8}\d{0,8}(?=[」』]?が))"
    tail = r"(?:です|だ|でした|になり|。|$|\s|、|なので|だよ|ね)"
    return re.compile(
        rf"(?<![!-~]){value}[」』\"]?(?:が|は|って|、(?!と))[^。、\n]{{0,14}}?(?P<noun>{_noun().pattern}){tail}"
    )


@cache
def _openers() -> re.Pattern[str]:
    names = _either([*table()["numbered"]["names"], *table()["dialled"]["names"]])
    opens = r"(?:開|解|あけ|あき|入れ|入る|ログイン|止ま|止め|アンロック)"
    number = r"[#*]?\d(?:[-ー・ ]?\d){2,9}[#*]?"
    return re.compile(
        rf"(?:{names})(?:の(?:番号|数字))?(?:は|が|:|を|、)\s?(?P<value>{number})"
        r"(?=で|です|だ|に(?:変|し|設|セ|合)|なん|ね|よ|を(?:押|入|打)|。|、|!|と|って|\s|$)"
        rf"|(?:{names})[はがも][^。、\n\d]{{0,12}}?(?P<after>{number})(?:で|を(?:入|押|打)[^。\n]{{0,6}}?){opens}"
        r"|(?P<turns>[右左](?:に|\d回)?\d{1,2}(?:[、,\s]*[右左](?:に|\d回)?\d{1,2}){1,5})"
        rf"|(?:{names})[はがも](?P<words>(?:{expression('japanese.figure')}){{3,12}})で{opens}"
        rf"|(?<![\d-])(?P<other>{number})(?:で|を(?:入|押|打)[^。\n]{{0,8}}?)、?(?:(?:{names})[がはを])?{opens}"
    )


def find_japanese(view: View) -> Iterator[Span]:
    """Spans of secrets that are named in Japanese."""
    if not _SCRIPT.search(view.text):
        return
    for noun in _noun().finditer(view.folded):
        kind = _kind(noun[0])
        for start, end in _values(view, noun.end(), kind):
            yield Span(start, end, kind)
    for match in _backwards().finditer(view.folded):
        value, kind = view.text[slice(*match.span("value"))], _kind(match["noun"])
        in_words = kind in IN_WORDS and not value.isascii() and not is_remark(value)
        if in_words or re.sub(r"[#*\s・-]", "", value).isdigit() or is_mixed(value):
            yield Span(*match.span("value"), kind)
    for match in _openers().finditer(view.folded):
        yield Span(*match.span(match.lastgroup or 0), "code")


def _values(view: View, at: int, kind: str) -> list[tuple[int, int]]:
    inside = value_at(view, at + 1, kind, linked=False) if view.text[at : at + 1] == "(" else None
    if inside:
        return [inside]
    link = compiled("japanese.link").match(view.folded, at) or compiled("japanese.pause").match(view.folded, at)
    found = value_at(view, link.end() if link else at, kind, linked=link is not None)
    values = []
    while found:
        values.append(found)
        joint = compiled("japanese.more").match(view.folded, found[1])
        found = another_at(view, joint.end()) if joint else None
    return values


def asked(text: str) -> str | None:
    """The kind of secret that a Japanese sentence asks for, None for none. `text` is folded."""
    noun = _noun().search(text) if _SCRIPT.search(text) else None
    if not noun or not compiled("japanese.asks").search(text, noun.end()) or compiled("japanese.about").search(text):
        return None
    return _kind(noun[0])


def answer(view: View, kind: str) -> list[tuple[int, int]]:
    """What a Japanese sentence gives as the secret that was asked for."""
    begin = compiled("japanese.leadin").match(view.folded)
    at = begin.end() if begin else 0
    found = value_at(view, at, kind, linked=True)
    alone = _ALONE.match(view.folded, at) if not found and kind in IN_WORDS else None
    if alone and not is_remark(alone[0]):
        return [alone.span()]
    return [found] if found else []


def without_announcement(text: str) -> str:
    """`text` (folded) without the Japanese words that only announce a secret."""
    return compiled("japanese.dull").sub(" ", _noun().sub(" ", text)) if _SCRIPT.search(text) else text
