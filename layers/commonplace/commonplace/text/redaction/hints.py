"""Secrets told with no word for one: "the netflix one is still x"; answers to security questions, told in prose."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.text.redaction.openers import is_like_year_or_price, stands_alone
from commonplace.text.redaction.phrases import is_remark
from commonplace.text.redaction.values import Token, is_branded, is_mixed, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import compiled, either, expression, words

_MOST_WORDS = 4

# A band or a model of router: "sakura-5G", "Archer-AX73"
_BAND = re.compile(r"(?i:.*[_-]?[2456]g(?:hz)?(?:[_-]?ext)?)|(?:[A-Z][A-Za-z]+[-_])?[A-Z]{1,5}-?\d+[A-Z\d]{0,4}")
_TIME = re.compile(r"(?:[01]?\d|2[0-3])[0-5][05]")
_FIGURES = r"(?P<value>[#*]?\d{4,8}[#*]?)(?![a-z0-9_%])"


@cache
def _topics() -> tuple[re.Pattern[str], re.Pattern[str]]:
    plain = [word for word in words("topic") if word.isascii() or "ß" in word]
    japanese = "|".join(sorted(words("topic_ja"), key=len, reverse=True))
    middle = expression("hints.middle")
    said = rf"(?<![a-z])(?:{either(plain)})(?:'s name|'s)?(?![a-z]){middle}[\"'”»)]*\s?(?:[:=?,→(-]+\s?)?{middle}\s*"
    return re.compile(said), re.compile(rf"(?:{japanese})(?:の名前|の名)?[」』]?{expression('hints.answer_ja')}")


def find_topics(view: View) -> Iterator[Span]:
    """Spans of what is given as the answer to a usual question, where security questions are spoken of."""
    if not compiled("hints.security_question").search(view.folded):
        return
    plain, japanese = _topics()
    for match in plain.finditer(view.folded):
        run = _run(view, tokens(view, match.end(), _MOST_WORDS + 1))
        if run:
            yield Span(run[0].start, run[-1].end, "security_answer")
    for match in compiled("hints.entered").finditer(view.folded):
        run = _run(view, tokens(view, match.start("value"), _MOST_WORDS + 1, match.end("value")))
        empty = any((part.text.islower() and is_remark(part.word)) or part.word in words("evasive") for part in run)
        if run and not empty and words("evasive", "function").isdisjoint(match["value"].split()):
            yield Span(run[0].start, run[-1].end, "security_answer")
    for match in (*japanese.finditer(view.folded), *compiled("hints.in_quotes_ja").finditer(view.folded)):
        if (
            not re.search(r"何|誰|どこ|なん|だれ|わか|忘|変え|教え|答え|覚え", match["value"])
            and HIDDEN not in match["value"]
        ):
            yield Span(*match.span("value"), "security_answer")


def _run(view: View, parts: list[Token]) -> list[Token]:
    run: list[Token] = []
    for part in parts[:_MOST_WORDS]:
        said_more = part.word in words("function") or part.word in words("link") or (not run and is_remark(part.word))
        if HIDDEN in part.text or not part.text or (said_more and not part.text[:1].isupper()):
            break
        run.append(part)
        if part.ends:
            break
    # Without a capital only what ends its clause is a name: "first pet fluffy, ...", not "first pet question again".
    named = any(part.text[:1].isupper() or part.text[:1].isdigit() for part in run)
    ended = bool(run) and (bool(run[-1].ends) or len(run) < len(parts) or len(parts) < _MOST_WORDS)
    if run and run[-1].raw_end < parts[-1].raw_end and run[-1].ends == "?":
        return []
    if run and compiled("hints.security_question").search(view.folded, run[0].start, run[-1].end):
        return []
    return run if named or (ended and len(run) <= 2) else []


def find_hints(view: View) -> Iterator[Span]:
    """Spans of secrets that only what is around them tells."""
    for match in compiled("hints.typed_in").finditer(view.folded) if compiled("hints.network").search(view.folded) else ():
        part = tokens(view, match.end(), 1)
        inside = part and re.search(r"[a-z][!#$%&*+=@_][a-z]", part[0].word) is not None and is_mixed(part[0].text)
        if part and (inside or _is_named(part[0].text)) and not _BAND.fullmatch(part[0].text):
            yield Span(part[0].start, part[0].end, "password")
    if not re.search(r"\d", view.text):
        return
    for match in _one().finditer(view.folded):
        part = tokens(view, match.end(), 1)
        if part and _is_password(part[0].text):
            yield Span(part[0].start, part[0].end, "password")
    for match in _told().finditer(view.folded):
        value = match["value"]
        likely = not is_like_year_or_price(value) and not _TIME.fullmatch(value) and not value.endswith("00")
        if likely and stands_alone(view, *match.span("value")):
            yield Span(*match.span("value"), "code")
    for pattern in () if view.text.isascii() else _networks():
        for match in pattern.finditer(view.folded):
            value = view.text[slice(*match.span("value"))]
            if _is_password(value) and not _BAND.fullmatch(value):
                yield Span(*match.span("value"), "password")


@cache
def _one() -> re.Pattern[str]:
    service = rf"(?:{either(sorted(words('services', 'accounts')))})"
    # 「Netflixのはx」
    return re.compile(
        rf"(?<![a-z])(?:{expression('hints.one').replace('{service}', service)}|(?:{service}|メール|銀行)の(?:方)?は(?:まだ|今は|今も)?\s?)(?=\S)"
    )


@cache
def _told() -> re.Pattern[str]:
    caller = rf"(?:[a-z]{{2,12}}\s)?(?:{either(sorted(words('callers')))})"
    # 「配管工さんには7410と伝えて」
    japanese = r"さん(?:に|には|へは)(?=[#*\d]{4,9}(?:だ)?(?:と|って)(?:伝|言|教))"
    return re.compile(rf"(?:(?<![a-z])(?:{expression('hints.tells').replace('{caller}', caller)})|{japanese}){_FIGURES}")


@cache
def _networks() -> tuple[re.Pattern[str], ...]:
    net, end = expression("hints.network_ja"), r"(?=です|だ|で[、。す]|。|、|ね|よ|な|$|\s)"
    return (
        # 「Wi-FiはSakuraHome、hanami-3391です」
        re.compile(rf"{net}[はが:]\s?[!-~]{{2,40}}?(?:\s?[/、,|]\s?|で、?|の|\s)(?P<value>[!-~]{{6,60}}?){end}"),
        # 「Wi-Fiはhanami3391で繋がる」
        re.compile(rf"{net}[はが:]\s?(?P<value>[!-~]{{6,60}})で(?:つな|繋|入れ|入り|接続でき|ログイン)"),
    )


def _is_named(text: str) -> bool:
    return len(text) >= 6 and is_mixed(text) and not is_branded(text)


def _is_password(text: str) -> bool:
    # "the apple one is Pixel8", "the work one is v2.4", "the amazon one is 49.99"
    figures = re.findall(r"\d", text)
    made_up = is_mixed(text) and not is_branded(text) and re.search(r"[a-z]", text) is not None
    return (
        made_up
        and len(text) >= 6
        and bool(figures)
        and (len(figures) > 1 or len(text) >= 10 or bool(re.search(r"[-_!#$]", text)))
    )
