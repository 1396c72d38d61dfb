"""Secrets told with no word for one: "the netflix one is still x"; answers to security questions, told in prose."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.text.redaction.openers import is_like_year_or_price, stands_alone
from commonplace.text.redaction.phrases import is_remark
from commonplace.text.redaction.values import Token, is_branded, is_mixed, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import either, words

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

_NET = r"(?:wi-?fi|無線lan|無線|ワイファイ)"
# A band or a model of router: "sakura-5G", "Archer-AX73"
_BAND = re.compile(r"(?i:.*[_-]?[2456]g(?:hz)?(?:[_-]?ext)?)|(?:[A-Z][A-Za-z]+[-_])?[A-Z]{1,5}-?\d+[A-Z\d]{0,4}")
_TIME = re.compile(r"(?:[01]?\d|2[0-3])[0-5][05]")
_FIGURES = r"(?P<value>[#*]?\d{4,8}[#*]?)(?![a-z0-9_%])"
_TELLS = (
    r"(?:tell|text|let)\s(?:the\s|my\s|our\s)?{caller}\s(?:know\s)?(?:that\s)?(?:it's|it is)\s"
    r"|(?:if|when)\s(?:the\s|my\s|our\s)?{caller}\s(?:asks|comes|rings|turns up|arrives),?\s(?:it's|it is)\s"
    r"|(?:di|dile|diles)\s(?:al\s|a\sla\s|a\slos\s|a\s){caller}\sque\ses\s(?:el\s)?"
    r"|(?:sag|sage|sagst)\s(?:bitte\s)?(?:dem|der|den)\s{caller},?\s(?:dass\ses|(?:dass\s)?(?:es|sie)\sist)\s(?:die\s)?"
    r"|(?:dis|dites)\s(?:au|a\sla|aux|a)\s?{caller}\sque\sc'est\s(?:le\s)?"
)
_ONE = (
    r"(?:the|my|our|his|her)\s(?:old\s|new\s|other\s)?{service}\sone(?:'s|\s(?:is|was))\s(?:(?:still|now|just)\s)?"
    r"|(?:la|mi)\s(?:nueva\s|vieja\s)?del?\s(?:la\s)?{service}\s(?:ahora\s)?(?:es|era|sigue\ssiendo)\s(?:ahora\s|todavia\s)?"
    r"|(?:das|der|mein|meins)\s(?:von|vom|furs?|bei|beim)\s{service}\s(?:ist|war|lautet|bleibt)\s(?:(?:noch|immer|jetzt)\s){{0,2}}"
    r"|(?:celui|celle)\s(?:de\sla\s|du\s|de\s|pour\s){service},?\s(?:est|c'est|etait|c'etait|reste)\s(?:(?:encore|toujours)\s)?"
)

_WLAN = r"(?<![a-z])(?:wi-?fi|wlan)\s?"
_NETWORK = re.compile(r"wi-?fi|wlan")
_TYPED_IN = re.compile(
    rf"{_WLAN}[^\n.!?:\d]{{0,25}}?\s(?:musst\sdu|muss\sman|gib|gibst\sdu|tapez?|tu\stapes|mets|pon|mete|type|enter)\s(?=[^\s]{{6,60}}(?:\s|$))"
    rf"|{_WLAN}(?:(?:bei|chez|at|in|im|du|de|en|vom|del|von|fur|for)\s)[^\n:.,!?]{{1,30}}:\s(?=\S)"
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


def find_hints(view: View) -> Iterator[Span]:
    """Spans of secrets that only what is around them tells."""
    for match in _TYPED_IN.finditer(view.folded) if _NETWORK.search(view.folded) else ():
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
        rf"(?<![a-z])(?:{_ONE.format(service=service)}|(?:{service}|メール|銀行)の(?:方)?は(?:まだ|今は|今も)?\s?)(?=\S)"
    )


@cache
def _told() -> re.Pattern[str]:
    caller = rf"(?:[a-z]{{2,12}}\s)?(?:{either(sorted(words('callers')))})"
    # 「配管工さんには7410と伝えて」
    japanese = r"さん(?:に|には|へは)(?=[#*\d]{4,9}(?:だ)?(?:と|って)(?:伝|言|教))"
    return re.compile(rf"(?:(?<![a-z])(?:{_TELLS.format(caller=caller)})|{japanese}){_FIGURES}")


@cache
def _networks() -> tuple[re.Pattern[str], ...]:
    end = r"(?=です|だ|で[、。す]|。|、|ね|よ|な|$|\s)"
    return (
        # 「Wi-FiはSakuraHome、hanami-3391です」
        re.compile(rf"{_NET}[はが:]\s?[!-~]{{2,40}}?(?:\s?[/、,|]\s?|で、?|の|\s)(?P<value>[!-~]{{6,60}}?){end}"),
        # 「Wi-Fiはhanami3391で繋がる」
        re.compile(rf"{_NET}[はが:]\s?(?P<value>[!-~]{{6,60}})で(?:つな|繋|入れ|入り|接続でき|ログイン)"),
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
