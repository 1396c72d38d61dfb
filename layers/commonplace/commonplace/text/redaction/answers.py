"""Find answers to questions about a secret, such as "four four seven one" after "what's the gate code?".

This module also finds all secrets in Japanese sentences, like 「パスワードはhunter2です」 or 「4471がドアのコードです」."""

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from commonplace.text.foundation.characters import bare_in_place
from commonplace.text.foundation.expressions import table_of
from commonplace.text.redaction.values import Spans, Token, digits, is_mixed, is_plain_answer, read, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View, view_of
from commonplace.text.redaction.vocabulary import Noun, compiled, expression, nouns, words

IN_WORDS = ("password", "security_answer", "recovery_phrase")
"""The kinds of secrets that may consist of plain words."""

_QUOTED = re.compile(r"[「『\"“']([^」』\"”'\n]{1,100})[」』\"”']")
_BARE = re.compile(r"([ぁ-んァ-ヶー一-龥々0-9a-z]{2,14})(?=[。!\s]|$)")
# A noun in kana at the end of the sentence. Words with a verb or adjective ending are remarks.
_KANA = re.compile(
    r"([ぁ-んァ-ヶー]{1,9}[あうえおかきくけこごさしせそちつてとなにのはひふほまみむめもやゆらりれろわァ-ヶー])"
    r"(?=[。!]|$)"
)
_PARTICLES = re.compile(r"[はがをへ]|から|まで|より|って")
_ANOTHER = re.compile(r"[!-~]{3,60}")
_PASS = ("パ", "ぱ")
_SCRIPT = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_ALONE = re.compile(r"[ぁ-んァ-ヶー一-龥々0-9a-z]{2,12}(?=[。!\s]*$)")


table = partial(table_of, __package__, "japanese.toml")


def value_at(view: View, at: int, kind: str, linked: bool) -> tuple[int, int] | None:
    """Return the span of a value that begins at `at`, or None. Plain words count only if `linked` to a noun by a particle."""
    if view.text[at : at + 1] in (HIDDEN, ""):
        return None
    quoted = _QUOTED.match(view.text, at)
    if quoted:
        return quoted.span(1) if _can_quotation_be_value(quoted[1], kind) else None
    figures = compiled("japanese.figures").match(view.folded, at)
    if figures and (linked or figures[0][-1] in "0123456789#*"):
        return figures.span()
    ascii_run = compiled("japanese.ascii").match(view.text, at)
    if ascii_run and kind not in ("pin", "card_code"):
        bare = ascii_run[0].rstrip(".,;:!?\"')」』")
        closed = linked and kind in IN_WORDS and compiled("japanese.closes").match(view.text, at + len(bare))
        fits = any(map(is_mixed, bare.split())) or (closed and bare[:1].isalnum())
        return (at, at + len(bare)) if fits and bare else None
    return _find_value_in_plain_words(view, at) if linked and kind in IN_WORDS else None


def _can_quotation_be_value(quotation: str, kind: str) -> bool:
    if compiled("japanese.figures").fullmatch(bare_in_place(quotation)):
        return True
    fits = kind in (*IN_WORDS, "api_key") or re.search(r"\d", quotation) is not None
    return fits and HIDDEN not in quotation and not is_remark(quotation)


def _find_value_in_plain_words(view: View, at: int) -> tuple[int, int] | None:
    alone = _BARE if view.text[at - 2 : at].strip()[-1:] in (":", "=") else _KANA
    match = compiled("japanese.plain").match(view.folded, at) or alone.match(view.folded, at)
    return match.span(1) if match and not is_remark(match[1]) else None


def another_at(view: View, at: int) -> tuple[int, int] | None:
    """Return the span of an additional value that begins at `at`, or None. It must consist of digits or a made-up word."""
    part = _ANOTHER.match(view.text, at)
    if not part or not compiled("japanese.ascii").match(view.text, at):
        return None
    return part.span() if is_mixed(part[0]) or (part[0].isdigit() and len(part[0]) > 2) else None


def is_remark(words: str) -> bool:
    """Return whether the words are a remark about a secret, like "長いほうがいい" or "秘密"."""
    return bool(re.search(table()["remark"]["pattern"], words) or _PARTICLES.search(words))


def _build_alternatives(names: list[str]) -> str:
    return "|".join(re.escape(bare_in_place(name)) for name in sorted(names, key=len, reverse=True))


@cache
def _load_kinds() -> dict[str, str]:
    return {bare_in_place(name): row["kind"] for row in table()["noun"].values() for name in row["names"]}


def _get_kind(noun: str) -> str:
    """Return the kind of secret for a Japanese noun. An unlisted noun is a "code", or a "password" if it ends in 「パスワード」."""
    noun = re.sub(r"[ぁ-ん]", lambda kana: chr(ord(kana[0]) + 0x60), noun) if noun.startswith(_PASS) else noun
    return _load_kinds().get(noun) or ("password" if noun.endswith(("パスワード", "パスワド")) else "code")


def _build_noun_pattern(name: str) -> str:
    """Return the pattern for a noun. "pin" must not match in "pink", but Japanese text may follow without a space."""
    front, back = (r"(?<![a-z0-9])" if name[0].isascii() else ""), (r"(?![a-z])" if name[-1].isascii() else "")
    # 「パス」 must not match in 「パスポート」 or 「パスコード」.
    back = r"(?![ァ-ヶーわこふ])" if name.endswith("パス") else back
    return front + ("".join(map(_build_kana_pattern, name)) if name.startswith("パ") else re.escape(name)) + back


def _build_kana_pattern(letter: str) -> str:
    """Return a pattern for a katakana letter or its hiragana, which some people mistype (「パスわード」). "ー" is optional."""
    return f"[{letter}{chr(ord(letter) - 0x60)}]" if "ァ" <= letter <= "ヶ" else "ー?"


@cache
def _compile_noun_pattern() -> re.Pattern[str]:
    names = table()
    opened = rf"(?:{_build_alternatives(names['opened']['names'])})の?(?:{_build_alternatives(names['opened']['words'])})"
    numbered = rf"(?:{_build_alternatives(names['numbered']['names'])})の?番号"
    return re.compile("|".join([*map(_build_noun_pattern, sorted(_load_kinds(), key=len, reverse=True)), opened, numbered]))


@cache
def _compile_value_before_noun_pattern() -> re.Pattern[str]:
    """Return the pattern for a value before a Japanese noun, as in 「4471がドアのコードです」. Its groups are value and noun."""
    value = r"(?P<value>[#*]?\d(?:[\s\-・]?\d){2,18}[#*]?|[!-~]{4,60}|[ぁ-んァ-ヶー一-龥々]{2,8}\d{0,8}(?=[」』]?が))"
    tail = r"(?:です|だ|でした|になり|。|$|\s|、|なので|だよ|ね)"
    noun = _compile_noun_pattern().pattern
    return re.compile(rf"(?<![!-~]){value}[」』\"]?(?:が|は|って|、(?!と))[^。、\n]{{0,14}}?(?P<noun>{noun}){tail}")


@cache
def _compile_lock_code_pattern() -> re.Pattern[str]:
    """Return the pattern for a code and a Japanese word for a lock. The code is the only group that matches."""
    names = _build_alternatives([*table()["numbered"]["names"], *table()["dialled"]["names"]])
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
    """Find secrets next to Japanese words for secrets or locks."""
    if not _SCRIPT.search(view.text):
        return
    for noun in _compile_noun_pattern().finditer(view.folded):
        kind = _get_kind(noun[0])
        for start, end in _find_values_after_noun(view, noun.end(), kind):
            yield Span(start, end, kind)
    for match in _compile_value_before_noun_pattern().finditer(view.folded):
        value, kind = view.text[slice(*match.span("value"))], _get_kind(match["noun"])
        is_plain_word = kind in IN_WORDS and not value.isascii() and not is_remark(value)
        if is_plain_word or re.sub(r"[#*\s・-]", "", value).isdigit() or is_mixed(value):
            yield Span(*match.span("value"), kind)
    for match in _compile_lock_code_pattern().finditer(view.folded):
        yield Span(*match.span(match.lastgroup or 0), "code")


def _find_values_after_noun(view: View, at: int, kind: str) -> list[tuple[int, int]]:
    inside = value_at(view, at + 1, kind, linked=False) if view.text[at : at + 1] == "(" else None
    if inside:
        return [inside]
    link = compiled("japanese.link").match(view.folded, at) or compiled("japanese.pause").match(view.folded, at)
    value = value_at(view, link.end() if link else at, kind, linked=link is not None)
    values = []
    while value:
        values.append(value)
        joint = compiled("japanese.more").match(view.folded, value[1])
        value = another_at(view, joint.end()) if joint else None
    return values


def requested_kind(text: str) -> str | None:
    """Return the kind of secret that a Japanese sentence asks for, or None. `text` is a view's folded text."""
    noun = _compile_noun_pattern().search(text) if _SCRIPT.search(text) else None
    if not noun or not compiled("japanese.asks").search(text, noun.end()) or compiled("japanese.about").search(text):
        return None
    return _get_kind(noun[0])


def answer(view: View, kind: str) -> list[tuple[int, int]]:
    """Return the spans of the value in a Japanese sentence that answers a question about a secret."""
    begin = compiled("japanese.leadin").match(view.folded)
    at = begin.end() if begin else 0
    value = value_at(view, at, kind, linked=True)
    alone = _ALONE.match(view.folded, at) if not value and kind in IN_WORDS else None
    if alone and not is_remark(alone[0]):
        return [alone.span()]
    return [value] if value else []


def without_announcement(text: str) -> str:
    """Remove the Japanese words that only introduce a secret. `text` is a view's folded text."""
    return compiled("japanese.dull").sub(" ", _compile_noun_pattern().sub(" ", text)) if _SCRIPT.search(text) else text


_WORDS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SHORT, _BEFORE, _AFTER = 6, 60, 30

_SENTENCE = re.compile(r"(?:[^.?!。\n]|[.?!](?=[^\s.?!]))*(?:[.?!。\n]+|$)\s*")
_SECOND_SENTENCE = re.compile(r"[?.!。\n]\s{0,3}\S")
_TAIL, _MOST_DIGITS, _MOST_SENTENCES = 600, 12, 3


class Question(NamedTuple):
    """The kind of secret that may follow a sentence. `accepts_words` is True if plain words may be the secret.

    If `pointed` is true, the sentence isn't a question, and the next sentence must refer to the secret ("it's ...").
    """

    kind: str
    value: str
    accepts_words: bool
    pointed: bool
    japanese: bool = False


def question_of(sentence: View) -> Question | None:
    """Return what a sentence asks about a secret, or None. A mere mention of a secret gives a `pointed` question."""
    kind = requested_kind(sentence.folded)
    if kind:
        return Question(kind, "words", True, False, japanese=True)
    named = list(nouns(sentence))
    if not named:
        return Question("password", "words", False, False) if compiled("answers.network").search(sentence.folded) else None
    parts = tokens(sentence, 0, 60)
    if any(part.word in words("about") for part in parts if part.start < named[0].start):
        return None
    words_read = [part.word for part in parts]
    return next((question for noun in reversed(named) if (question := _parse_question(sentence, noun, words_read))), None)


def _parse_question(sentence: View, noun: Noun, words_read: list[str]) -> Question | None:
    """Return the question about a noun, or None for a general noun. If the sentence isn't a question, `pointed` is true."""
    if _is_general(sentence, noun):
        return None
    mark = "?" in sentence.text[noun.end :]
    remainder = sentence.folded[noun.end :].strip(" \t\n\"'?!:=.…")
    open_end = not remainder or remainder in words("open_ends")
    near = sentence.folded[max(0, noun.start - _BEFORE) : noun.start], sentence.folded[noun.end : noun.end + _AFTER]
    asks = not words("ask").isdisjoint(_WORDS.findall(" ".join(near)))
    if not asks and not ((open_end or mark) and len(set(words_read)) <= _SHORT and words_read[0] not in words("auxiliary")):
        return Question(noun.kind, noun.value, False, True)
    pointed = not mark and not open_end and words("ask").isdisjoint(words_read[:4])
    changing = tuple(words("changing"))
    accepts_words = noun.value in ("words", "code") and not any(word.startswith(changing) for word in words_read)
    return Question(noun.kind, noun.value, accepts_words, pointed)


def _is_general(sentence: View, noun: Noun) -> bool:
    """Return whether a noun refers to no particular secret, as in "what is a PIN?" or "which password manager?"."""
    following = tokens(sentence, noun.end, 1)
    leading = set(re.findall(r"[a-z'ß]+", sentence.folded[max(0, noun.start - _BEFORE) : noun.start])[-2:])
    if noun.name == "bare_key" or (following and following[0].word in words("compound")) or leading & words("general"):
        return True
    return sentence.folded[noun.start : noun.end] == "pass" and not leading & words("own")


def question_in(text: str | None) -> Question | None:
    """Return the last question about a secret in the last 600 characters of a message, or None."""
    if not text:
        return None
    sentences = _build_sentence_views(view_of(text[-_TAIL:]))
    questions = [question for sentence in sentences if (question := question_of(sentence))]
    return questions[-1] if questions else None


def find_answers(view: View, before: Question | None) -> Iterator[Span]:
    """Find the secrets that answer the previous message or a question in the text itself."""
    if before is None and not _SECOND_SENTENCE.search(view.text):
        return
    question, left, at = before, _MOST_SENTENCES, 0
    for sentence in _build_sentence_views(view):
        if question and left:
            answer = _find_reply if question is before else _find_own_answer
            for start, end in answer(sentence, question):
                yield Span(at + start, at + end, question.kind)
        own = question_of(sentence)
        if own and (own.pointed or own.japanese or "?" in sentence.text):
            question, left = own, 1
        else:
            left -= 1
        at += len(sentence.text)


def _build_sentence_views(view: View) -> Iterator[View]:
    for match in _SENTENCE.finditer(view.text):
        if match[0]:
            yield View(match[0], view.folded[match.start() : match.end()], ())


def _find_reply(sentence: View, question: Question) -> Spans:
    """Return the spans of values that answer the previous message. If there are no values, plain words may be the answer."""
    if question.japanese:
        return answer(sentence, question.kind)
    if question.pointed:
        return _find_own_answer(sentence, question)
    remainder = _drop_leadin(tokens(sentence, 0))
    if not remainder or HIDDEN in remainder[0].text:
        return []
    spans = _read_value_from_first_token(sentence, remainder, question)
    spans += [span for span in _find_loose_values(sentence, remainder) if not any(span[0] in range(*done) for done in spans)]
    last = next((place for place, part in enumerate(remainder) if part.ends), len(remainder) - 1)
    clause = remainder[: last + 1]
    return [(clause[0].start, clause[-1].end)] if not spans and question.accepts_words and is_plain_answer(clause) else spans


def _find_own_answer(sentence: View, question: Question) -> Spans:
    """Return the values that answer a question in the same text ("The password? It's hunter2")."""
    if question.japanese:
        return answer(sentence, question.kind)
    parts = tokens(sentence, 0)
    remainder = _drop_leadin(parts)
    led = parts[: len(parts) - len(remainder)]
    points_back = any(part.word in words("pointer") for part in led)
    if not remainder or HIDDEN in remainder[0].text or (question.pointed and not points_back):
        return []
    spans = _read_value_from_first_token(sentence, remainder, question)
    plain = not spans and led and question.accepts_words and not question.pointed and is_plain_answer(remainder[:5])
    return [(remainder[0].start, remainder[-1].end)] if plain else spans


def _read_value_from_first_token(sentence: View, parts: list[Token], question: Question) -> Spans:
    return read(sentence, parts[0].raw_start, "code" if question.value == "digits" else question.value, bold=False)


def _drop_leadin(parts: list[Token]) -> list[Token]:
    """Return the tokens after a speaker's name and introductory words, like "Ana: sure, it's"."""
    place = 1 if parts and parts[0].ends == ":" and len(parts) > 1 else 0
    while place < len(parts) and parts[place].word in words("leadin"):
        place += 1
    return parts[place:]


def _find_loose_values(sentence: View, parts: list[Token]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of 4 to 12 digits and the made-up words with a digit, unless a word for a place precedes them."""
    done, before = 0, ""
    for part in parts:
        placed, before = before in words("before_place_in_answer"), part.word
        if part.start < done or placed:
            continue
        number = digits(sentence, part.start, 4)
        if number and sum(map(str.isdigit, sentence.text[slice(*number)])) <= _MOST_DIGITS:
            done = number[1]
            yield number
        elif is_mixed(part.text) and re.search(r"\d", part.text) and len(part.text) >= 5:
            yield part.start, part.end
