"""Secrets as people say them in Japanese: 「パスワードはhunter2です」「暗証番号は4821」「4471がドアのコードです」."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from commonplace.redaction.values import is_mixed
from commonplace.redaction.view import HIDDEN, Span, View, fold

_SCRIPT = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_LINK = re.compile(
    r"[」』\s]?(?:\s?\([^()\n]{1,20}\))?(?:は|が|も|って|というのは|を|[:=?]|\s)"
    r"(?:、|,|:|\s|いま|今は|今|現在は|現在|新しく|たぶん|多分|確か|まだ|ずっと|昔は|以前は|前は|えっと|えーと|次の通り|以下の通り|です|ね){0,4}"
)
_PAUSE = re.compile(r"、\s?(?=[!-~])")
_DIGIT_WORD = r"(?:ゼロ|ぜろ|れい|まる|いち|に|さん|よん|し|ご|ろく|なな|しち|はち|きゅう|く|[〇零一二三四五六七八九])"
_UNIT = r"(?!\s?(?:文字|桁|けた|回|個|分|日|年|月|時|種類|つ|ヶ月|か月|人|円|%|パーセント|秒|度|歳|件|番目|以上|以内))"
_FIGURES = re.compile(rf"(?:[#*]?\d(?:[\s\-・、,の./]?\d){{2,18}}[#*]?(?![a-z0-9])|{_DIGIT_WORD}(?:[\s・、,の]?{_DIGIT_WORD}){{2,18}}){_UNIT}")
_ASCII = re.compile(rf"[!-~]{{2,200}}(?:\s[!-~]{{1,60}}){{0,7}}{_UNIT}")
_QUOTED = re.compile(r"[「『\"“']([^」』\"”'\n]{1,100})[」』\"”']")
_PLAIN = re.compile(r"([ぁ-んァ-ヶー一-龥々0-9a-z]{2,14}?)(?=です|でした|だよ|だ[。!]|だ$|に変|にし[たてま]|に設定|に更新|になり|なので|なんで|だっ|で[、。]|(?<=[0-9])[。!]?$|(?<=[0-9])\s)")
_BARE = re.compile(r"([ぁ-んァ-ヶー一-龥々0-9a-z]{2,14})(?=[。!\s]|$)")
# A name or a thing in kana that ends the sentence; what ends like a verb or an adjective says something about it.
_KANA = re.compile(r"([ぁ-んァ-ヶー]{1,9}[あうえおかきくけこごさしせそちつてとなにのはひふほまみむめもやゆらりれろわァ-ヶー])(?=[。!]|$)")
_CLOSES = re.compile(
    r"です|でした|だ|なん|なの|に(?:な|変|し|設|決|更|戻)|である|であ|という|と(?:な|設|い|入)|で[、。\sおあ開入解ログ]|なので"
    r"|[、。,!」』)]|\s|$|から|を(?:使|入)|が(?:パ|暗|合)"
)
_MORE = re.compile(r"(?:から|と|、|,|および|または|もしくは|や|か|で、|\s)+(?=[!-~])")
_PARTICLES = re.compile(r"[はがをへ]|から|まで|より|って")

_ASKS = re.compile(r"何|なん|なに|教え|おしえ|知って|知りたい|わかる|分かる|覚えて|は\s?\?|って\s?\?|を入力|を送|ください|は$")
_ABOUT = re.compile(r"どうやって|どこ|いつ|なぜ|誰|何文字|何桁|忘れ|変え(?:た|まし)|変更し(?:た|まし)")
_LEADIN = re.compile(r"(?:はい|うん|えっと|えーと|ええと|あの|たしか|確か|多分|たぶん|それは|これは|今は|まだ|[、。,\s!])*")
_DULL = re.compile(
    r"です(?:よ|ね|から)?|でした|だよ|なので|でお願いします|に変更(?:しました|した)?|になりました|変え(?:ました|た)|覚えておいて(?:ください|ね)?|ください"
    r"|今は|現在|新しい|古い|私の|僕の|俺の|うちの|自宅の?|家の|会社の|ちなみに|一応|メモ|ログイン|アカウント|ネット|[はがをにのでともだねよ、。「」『』:]"
)
_IN_WORDS = ("password", "security_answer", "recovery_phrase")


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("japanese.toml").read_text("utf-8"))


def _either(names: list[str]) -> str:
    return "|".join(re.escape(fold(name)) for name in sorted(names, key=len, reverse=True))


@cache
def _kinds() -> dict[str, str]:
    return {fold(name): row["kind"] for row in _table()["noun"].values() for name in row["names"]}


def _bounded(name: str) -> str:
    # "pin" must not be found in "pink", but Japanese goes on without a blank.
    front, back = (r"(?<![a-z0-9])" if name[0].isascii() else ""), (r"(?![a-z])" if name[-1].isascii() else "")
    return front + re.escape(name) + back


@cache
def _noun() -> re.Pattern[str]:
    table = _table()
    opened = rf"(?:{_either(table['opened']['names'])})の?(?:{_either(table['opened']['words'])})"
    numbered = rf"(?:{_either(table['numbered']['names'])})の?番号"
    return re.compile(rf"{'|'.join(map(_bounded, sorted(_kinds(), key=len, reverse=True)))}|{opened}|{numbered}")


def _kind(noun: str) -> str:
    return _kinds().get(noun) or ("password" if noun.endswith("パスワード") else "code")


@cache
def _backwards() -> re.Pattern[str]:
    value = r"(?P<value>[#*]?\d(?:[\s\-・]?\d){2,18}[#*]?|[!-~]{4,60}|[ぁ-んァ-ヶー一-龥々]{2,8}\d{0,8}(?=[」』]?が))"
    tail = r"(?:です|だ|でした|になり|。|$|\s|、|なので|だよ|ね)"
    return re.compile(rf"(?<![!-~]){value}[」』\"]?(?:が|は|って)[^。、\n]{{0,14}}?(?P<noun>{_noun().pattern}){tail}")


@cache
def _openers() -> re.Pattern[str]:
    names = _either(_table()["opened"]["names"])
    return re.compile(rf"(?:{names})は(?P<value>[#*]?\d{{3,10}}[#*]?)(?=で|です|だよ|。|$)|(?P<other>\d{{3,10}}[#*]?)で(?:{names})[がはを](?:開|解)")


def find_japanese(view: View) -> Iterator[Span]:
    """Spans of secrets that are named in Japanese."""
    if not _SCRIPT.search(view.text):
        return
    text = view.folded
    for noun in _noun().finditer(text):
        kind = _kind(noun[0])
        for start, end in _values(view, noun.end(), kind):
            yield Span(start, end, kind)
    if re.search(r"[がは]", text):
        for match in _backwards().finditer(text):
            value, kind = view.text[slice(*match.span("value"))], _kind(match["noun"])
            in_words = kind in _IN_WORDS and not value.isascii() and not _is_remark(value)
            if re.sub(r"[#*\s・-]", "", value).isdigit() or is_mixed(value) or in_words:
                yield Span(*match.span("value"), kind)
        for match in _openers().finditer(text):
            yield Span(*match.span("value" if match["value"] else "other"), "code")


def _values(view: View, at: int, kind: str) -> list[tuple[int, int]]:
    link = _LINK.match(view.folded, at) or _PAUSE.match(view.folded, at)
    first = _value(view, link.end() if link else at, kind, linked=link is not None)
    found = [first] if first else []
    while found and (joint := _MORE.match(view.folded, found[-1][1])):
        part = re.compile(r"[!-~]{3,60}").match(view.text, joint.end())
        if not part or not (is_mixed(part[0]) or (part[0].isdigit() and len(part[0]) > 2)) or not _ASCII.match(view.text, part.start()):
            break
        found.append(part.span())
    return found


def _value(view: View, at: int, kind: str, linked: bool) -> tuple[int, int] | None:
    if view.text[at : at + 1] in (HIDDEN, ""):
        return None
    quoted = _QUOTED.match(view.text, at)
    if quoted:
        if _FIGURES.fullmatch(fold(quoted[1])):
            return quoted.span(1)
        fits = kind in (*_IN_WORDS, "api_key") or re.search(r"\d", quoted[1])
        return quoted.span(1) if fits and HIDDEN not in quoted[1] and not _is_remark(quoted[1]) else None
    figures = _FIGURES.match(view.folded, at)
    if figures and (linked or figures[0][-1] in "0123456789#*"):
        return figures.span()
    ascii_run = _ASCII.match(view.text, at)
    if ascii_run and kind not in ("pin", "card_code"):
        bare = ascii_run[0].rstrip(".,;:!?\"')")
        mixed = any(map(is_mixed, bare.split()))
        words = linked and kind in _IN_WORDS and _CLOSES.match(view.text, at + len(bare))
        return (at, at + len(bare)) if mixed or (words and bare[0].isalnum()) else None
    alone = _BARE if view.text[at - 2 : at].strip()[-1:] in (":", "=") else _KANA
    plain = _PLAIN.match(view.folded, at) or alone.match(view.folded, at)
    if plain and linked and kind in _IN_WORDS and not _is_remark(plain[1]):
        return plain.span(1)
    return None


def asked(text: str) -> str | None:
    """The kind of secret that a Japanese sentence asks for, None for none. `text` is folded."""
    noun = next(_noun().finditer(text), None) if _SCRIPT.search(text) else None
    if not noun or not _ASKS.search(text, noun.end()) or _ABOUT.search(text):
        return None
    return _kind(noun[0])


def answer(view: View, kind: str) -> Iterator[Span]:
    """Spans of what a Japanese sentence gives as the secret that was asked for."""
    begin = _LEADIN.match(view.folded)
    at = begin.end() if begin else 0
    found = _value(view, at, kind, linked=True)
    if not found and kind in _IN_WORDS:
        bare = re.match(r"[ぁ-んァ-ヶー一-龥々0-9a-z]{2,12}(?=[。!\s]*$)", view.folded[at:])
        found = (at, at + bare.end()) if bare and not _is_remark(bare[0]) else None
    if found:
        yield Span(*found, kind)


def _is_remark(words: str) -> bool:
    return bool(re.search(_table()["remark"]["pattern"], words) or _PARTICLES.search(words))


def without_announcement(text: str) -> str:
    """`text` (folded) without the Japanese words that only announce a secret."""
    if not _SCRIPT.search(text):
        return text
    return _DULL.sub(" ", _noun().sub(" ", text))
