"""Answers to security questions, told in prose: "I said mother's maiden name Kowalczyk and first school Elm Lane"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.redaction.remarks import is_remark
from commonplace.redaction.tokens import Token, tokens
from commonplace.redaction.view import HIDDEN, Span, View
from commonplace.redaction.vocabulary import either, words

_ABOUT = re.compile(
    r"(?:security|secret|recovery|challenge|verification) (?:questions?|answers?|q\b)"
    r"|sicherheitsfragen?|geheimfragen?|sicherheitsabfrage"
    r"|preguntas? (?:de seguridad|secretas?|de recuperacion)|respuestas? (?:de seguridad|secretas?)"
    r"|questions? (?:secretes?|de securite|de recuperation)|reponses? (?:secretes?|de securite)|秘密の(?:質問|答え)|セキュリティの?質問"
)
_MOST_WORDS = 4
# "bei der Sicherheitsfrage hab ich X eingetragen": German has its verb behind.
_ENTERED = re.compile(
    r"(?<![a-z])(?:(?:hab|habe|hatte|haben)\s(?:ich|wir)|(?:ich|wir)\s(?:hab|habe|hatte|haben))\s(?:(?:mal|da|dort|immer|einfach|mit)\s){0,2}"
    r"(?P<value>\S{2,40}(?:\s\S{2,40}){0,3}?)\s(?:eingetragen|angegeben|genommen|geschrieben|hinterlegt|gesetzt|gewahlt|eingegeben|beantwortet|geantwortet|gesagt)"
    r"(?![a-z])"
)
_IN_QUOTES_JA = re.compile(
    r"(?:秘密の|セキュリティの?)質問[のは、]?「[^」\n]{2,40}」(?:の答え)?(?:には?|は|へは)[、\s]?「?(?P<value>[^\s。、,「」『』!?0-9は]{1,16}?)」?(?:って|と)(?:登録|設定|入力|入れ|答え|書)"
)
_ANSWER_JA = (
    r"(?:は|が|:|→|には?|に対して|で、?)\s?(?:、|「|『)?(?P<value>[^\s。、,「」『』!?0-9は]{1,16}?)"
    r"(?=[」』]|です|でした|だ|に(?:した|して|し、|設定|登録)|と(?:答|入|登|し)|って|で[、。]|、|。|!|\s|$)"
)


@cache
def _topics() -> tuple[re.Pattern[str], re.Pattern[str]]:
    plain = [word for word in words("topic") if word.isascii() or "ß" in word]
    japanese = "|".join(sorted(words("topic_ja"), key=len, reverse=True))
    middle = (
        r"(?:\s(?:of|de|del|der|des|meiner|mi|ma|mon|my|our|your|his|her|tu|su|votre|ta|deiner|name|nombre|nom|war|was|is|es|era|fue|ist|hiess"
        r"|heisst|steht|est|etait|mother|mutter|madre|mere|mom|mum|father|vater|padre|pere|grandmother|oma|abuela"
        r"|as|als|como|comme|were|called|named|se llama|s'appelle|answered|said|always|immer|siempre|toujours)(?![a-zß]))*"
    )
    said = rf"(?<![a-z])(?:{either(plain)})(?:'s name|'s)?(?![a-z]){middle}[\"'”»)]*\s?(?:[:=?,→(-]+\s?)?{middle}\s*"
    return re.compile(said), re.compile(rf"(?:{japanese})(?:の名前|の名)?[」』]?{_ANSWER_JA}")


def find_topics(view: View) -> Iterator[Span]:
    """Spans of what is given as the answer to a usual question, where security questions are spoken of."""
    if not _ABOUT.search(view.folded):
        return
    plain, japanese = _topics()
    for match in plain.finditer(view.folded):
        run = _run(view, tokens(view, match.end(), _MOST_WORDS + 1))
        if run:
            yield Span(run[0].start, run[-1].end, "security_answer")
    for match in _ENTERED.finditer(view.folded):
        run = _run(view, tokens(view, match.start("value"), _MOST_WORDS + 1, match.end("value")))
        empty = any((part.text.islower() and is_remark(part.word)) or part.word in words("evasive") for part in run)
        if run and not empty and words("evasive", "function").isdisjoint(match["value"].split()):
            yield Span(run[0].start, run[-1].end, "security_answer")
    for match in (*japanese.finditer(view.folded), *_IN_QUOTES_JA.finditer(view.folded)):
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
    if run and _ABOUT.search(view.folded, run[0].start, run[-1].end):
        return []
    return run if named or (ended and len(run) <= 2) else []
