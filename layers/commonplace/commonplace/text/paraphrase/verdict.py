"""The one question: do two texts say the same, and in what do they differ if so?"""

import functools
import re
import unicodedata
from collections.abc import Sequence

from commonplace.text.paraphrase.alignment import (
    FORM,
    SAME,
    TYPO,
    UNCHANGED,
    Alignment,
    Forms,
    Match,
    aligned,
    ends,
    fused,
    is_described,
    orders,
)
from commonplace.text.paraphrase.language import (
    BASE,
    ING,
    PAST,
    UNSEGMENTED,
    Language,
    Phrases,
    S,
    Words,
    american,
    language,
    language_of,
    lemmas,
    readings,
)
from commonplace.text.paraphrase.parsing import (
    AND,
    OR,
    STOP,
    Statement,
    Token,
    Tokens,
    Word,
    counted,
    dated,
    plain,
    read,
    scanned,
)

BY = "by"
_WAS, _IS = frozenset({"was", "were"}), frozenset({"is", "are"})
_LONGEST_AGENT = 4
_OBJECTS = {"me": "i", "him": "he", "her": "she", "us": "we", "them": "they"}
_SUBJECTS = {subject: object_ for object_, subject in _OBJECTS.items()}
MOVED = "moved"
_LEFT_OUT = re.compile(r"[\s。、，．.,!！「」『』・]+")
_SPEAKER = re.compile(r"^(?:私|僕|ぼく|俺|わたし)(?:は|が)")
_POLITE_END = re.compile(r"(?:です|だ)?[よねわ]*$")
_KATAKANA = re.compile(r"[\u30a1-\u30f6]")
_FROM_HIRAGANA = ord("ァ") - ord("ぁ")
_WHOLE = re.compile(r"[\u30a1-\u30fa\u30fc\u3400-\u9fff]")
_PARTICLES = "はがをに"
_SAME_WORDS = "the same words"
_OTHER_WORDS = "the same in other words"
_OTHER_ORDER = "the same words in another order"
_SMALL_WORDS = "the same but for small words"
_ALIKE = (SAME, MOVED)
_MOST_CHANGED = 4
_LONG, _LEAST_SHARED = 12, 0.4
_FIRST_PERSON = "i"
_ENDINGS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "'d"}
_LONGEST = 6


def alike(one: str, other: str) -> bool:
    """Whether two plain texts agree, hiragana or katakana, but for one particle that one leaves out behind a noun."""
    shorter, longer = sorted((_core(one), _core(other)), key=len)
    ours, theirs = _hiragana(shorter), _hiragana(longer)
    if ours == theirs:
        return True
    return len(theirs) == len(ours) + 1 and any(
        char in _PARTICLES and ours == theirs[: at + 1] + theirs[at + 2 :] and _WHOLE.match(longer[at])
        for at, char in enumerate(longer[1:])
    )


def _core(text: str) -> str:
    spelled = unicodedata.normalize("NFKC", text).lower()
    return _POLITE_END.sub("", _SPEAKER.sub("", _LEFT_OUT.sub("", spelled)))


def _hiragana(text: str) -> str:
    return _KATAKANA.sub(lambda match: chr(ord(match[0]) - _FROM_HIRAGANA), text)


def same_statement(first: str, second: str) -> str | None:
    """Why two memories of one user may be merged, in words; None where they may not.

    The answer is None or not whichever text comes first.
    """
    one, other = sorted((plain(first), plain(second)))
    if one == other:
        return _SAME_WORDS
    name = language_of(one, other)
    if name == UNSEGMENTED:
        return _SAME_WORDS if alike(one, other) else None
    if _strangers(one, other):
        return None
    reason = _judged(statements(one, name), statements(other, name)) or _acted(one, other, name)
    return _OTHER_WORDS if reason == _SAME_WORDS and _bare_words(one) != _bare_words(other) else reason


def _judged(lefts: tuple[Statement, ...], rights: tuple[Statement, ...]) -> str | None:
    left, right = lefts[0], rights[0]
    one_and_many = left.number and right.number and left.number.isdisjoint(right.number)
    if left.question != right.question or one_and_many or not left.tokens or _far_apart(left, right):
        return None
    reason = _compared(left, right)
    if reason is None and len(lefts) + len(rights) > len((left, right)):
        reason = _compared(lefts[-1], rights[-1])
    return reason


def _acted(one: str, other: str, name: str) -> str | None:
    ours, theirs = turned(one, name), turned(other, name)
    if bool(ours) == bool(theirs):
        return None
    reason = _judged(ours or statements(one, name), theirs or statements(other, name))
    return _OTHER_WORDS if reason == _SAME_WORDS else reason


def _strangers(one: str, other: str) -> bool:
    ours, theirs = _bare_words(one), _bare_words(other)
    longer = max(len(ours), len(theirs))
    return longer >= _LONG and len(ours & theirs) < _LEAST_SHARED * longer


@functools.lru_cache(maxsize=512)
def _bare_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _compared(left: Statement, right: Statement) -> str | None:
    for number, (ours, theirs) in enumerate(orders(left, right)):
        reason = _reason(ours, theirs, left, right)
        if reason is not None:
            return _OTHER_ORDER if number and reason in (_SAME_WORDS, _SMALL_WORDS) else reason
    return None


def _far_apart(left: Statement, right: Statement) -> bool:
    ours, theirs = set(left.texts), set(right.texts)
    shared = len(ours & theirs)
    return max(len(ours), len(theirs)) - shared > max(_MOST_CHANGED, shared)


def _reason(ours: Tokens, theirs: Tokens, left: Statement, right: Statement) -> str | None:
    own = left.language
    ours, theirs = fused(ours, theirs)
    found = aligned(ours, theirs, own.name)
    if found is None:
        return None
    moved = with_moves(found, ours, theirs, own)
    return _told(moved, ours, theirs, left.small == right.small) if agrees(moved, ours, theirs, own) else None


def _told(found: Alignment, ours: Tokens, theirs: Tokens, small_alike: bool) -> str:
    changed = [_pair(ours[match.left], theirs[match.right]) for match in found.matches if match.kind not in _ALIKE]
    extra = [*(ours[at] for at in found.only_left), *(theirs[at] for at in found.only_right)]
    told = [*changed, *(_quoted(token) for token in extra)]
    if told:
        return "the same but for " + ", ".join(told)
    return _SAME_WORDS if small_alike else _SMALL_WORDS


def _pair(ours: Token, theirs: Token) -> str:
    return f"{_quoted(ours)} / {_quoted(theirs)}"


def _quoted(token: Token) -> str:
    return f"'{token.text.replace('_', ' ')}'"


@functools.lru_cache(maxsize=512)
def statements(text: str, language_name: str) -> tuple[Statement, ...]:
    """Reads a plain text in a language: as single words, then, if it has any, with its synonymous phrases as one word each.

    A language without tables keeps every word.
    """
    return _read(_words(text, language_name), text, language_name)


@functools.lru_cache(maxsize=512)
def _words(text: str, language_name: str) -> Sequence[Word]:
    return words_of(text, language(language_name))


@functools.lru_cache(maxsize=512)
def turned(text: str, language_name: str) -> tuple[Statement, ...]:
    """The same of a text in the passive, read in the active; nothing of any other."""
    own = language(language_name)
    words = active(_words(text, language_name), own) if f" {BY} " in text else None
    return () if words is None else _read(words, text, language_name)


def _read(words: Sequence[Word], text: str, language_name: str) -> tuple[Statement, ...]:
    own = language(language_name)
    question = "?" in text or "¿" in text
    phrased = joined(words, own)
    versions = [words] if phrased == list(words) else [words, phrased]
    return tuple(read(version, own, question=question) for version in versions)


def active(words: Sequence[Word], own: Language) -> list[Word] | None:
    """The words with who did it in front; None where nothing is said to be done by somebody."""
    texts = [word.text for word in words]
    by = texts.index(BY) if BY in texts else 0
    if by < len("a was done".split()) - 1 or texts[by - 2] not in _WAS | _IS or not _is_participle(texts[by - 1]):
        return None
    if any(word.pause for word in words[1 : by + 1]):
        return None
    end = next((at for at in range(by + 1, len(words)) if _ends_agent(words[at], own)), len(words))
    agent, done, rest = words[by + 1 : end], words[: by - 2], words[end:]
    if not 0 < len(agent) <= _LONGEST_AGENT:
        return None
    subject = [word._replace(text=_OBJECTS.get(word.text, word.text)) if len(agent) == 1 else word for word in agent]
    objects = [word._replace(text=_SUBJECTS.get(word.text, word.text)) if len(done) == 1 else word for word in done]
    verb = words[by - 1]
    if texts[by - 2] in _IS:
        last = subject[-1].text
        verb = verb._replace(text=_present(verb.text, many=last in own.words["many"] or last.endswith("s")))
    return [*subject, verb, *objects, *rest]


def _is_participle(text: str) -> bool:
    return any(form == PAST for _, form in readings(text))


def _ends_agent(word: Word, own: Language) -> bool:
    return bool(word.pause) or any(word.text in own.words[key] for key in ("markers", "pairing", "contrasting", "times"))


def _present(participle: str, *, many: bool) -> str:
    lemma = max((lemma for lemma, form in readings(participle) if form == PAST), key=_is_known)
    return lemma if many else f"{lemma}s"


def _is_known(lemma: str) -> bool:
    return lemma in lemmas(f"{lemma}s") and lemma.endswith("e")


def with_moves(found: Alignment, left: Tokens, right: Tokens, own: Language) -> Alignment:
    """The alignment with words left over on both sides matched, where their new place does not change who did what."""
    free = list(found.only_right)
    moved: list[Match] = []
    for at in found.only_left:
        there = next((there for there in free if left[at].text == right[there].text), None)
        if there is not None:
            free.remove(there)
            moved.append(Match(at, there, MOVED, UNCHANGED))
    every = [*found.matches, *moved]
    if not moved or not all(_harmless(one, other, left, right, own) for one in moved for other in every):
        return found
    taken = {match.left for match in moved}
    return Alignment(
        matches=tuple(sorted(every, key=lambda match: match.left)),
        only_left=tuple(at for at in found.only_left if at not in taken),
        only_right=tuple(free),
    )


def _harmless(one: Match, other: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    if (one.left < other.left) == (one.right < other.right):
        return True
    if _compound(one, other, left, right, own.words["compounding"]):
        return True
    ours = min(one.left, other.left), max(one.left, other.left)
    theirs = min(one.right, other.right), max(one.right, other.right)
    if _listed(left, *ours, own.words["describing"]) and _listed(right, *theirs, own.words["describing"]):
        return True
    if (
        _described(left, *ours, own)
        and _described(right, *theirs, own)
        and left[ours[1] + 1].text == right[theirs[1] + 1].text
    ):
        return True
    if left[one.left].marker == left[other.left].marker and left[one.left].phrase != left[other.left].phrase:
        return False  # "Vue in front and Go behind": two phrases of one kind
    return any(_in_adjunct(match, left, right, own) for match in (one, other)) and not (
        _new_clause(left, *ours) or _new_clause(right, *theirs)
    )


def _listed(tokens: Tokens, first: int, last: int, describing: Words) -> bool:
    between = tokens[first + 1 : last + 1]
    if is_described(tokens, first, describing):
        return False
    return all(token.joined and token.phrase == tokens[last].phrase for token in between) and (
        tokens[first].marker == tokens[last].marker and ends(tokens, last)
    )


def _described(tokens: Tokens, first: int, last: int, own: Language) -> bool:
    if last != first + 1 or last + 1 >= len(tokens):
        return False
    return any(token.text in own.words["describing"] for token in tokens[first : last + 1]) and (
        tokens[first].phrase == tokens[last].phrase == tokens[last + 1].phrase and not tokens[last + 1].joined
    )


def _new_clause(tokens: Tokens, first: int, last: int) -> bool:
    return any(token.link in (AND, STOP) for token in tokens[first + 1 : last + 1])


def _in_adjunct(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    ours, theirs = left[match.left], right[match.right]
    if ours.marker != theirs.marker or ours.marker not in own.words["adjuncts"]:
        return False
    return _words_of_phrase(left, ours.phrase) == _words_of_phrase(right, theirs.phrase)


def _words_of_phrase(tokens: Tokens, phrase: int) -> list[str]:
    return [token.text for token in tokens if token.phrase == phrase]


def _compound(one: Match, other: Match, left: Tokens, right: Tokens, compounding: Words) -> bool:
    if abs(one.left - other.left) > 1 or abs(one.right - other.right) > 1:
        return False
    for noun, head in ((one, other), (other, one)):
        markers = [(left[noun.left].marker, left[head.left].marker), (right[noun.right].marker, right[head.right].marker)]
        if markers[0][1] == markers[1][1] and sorted(own == its for own, its in markers) == [False, True]:
            return all(own == its or own in compounding for own, its in markers)
    return False


def agrees(alignment: Alignment, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether the two say the same of anybody, word for word."""
    if alignment.only_left and alignment.only_right:
        return False
    extra = (*((left, at) for at in alignment.only_left), *((right, at) for at in alignment.only_right))
    return all(_is_name_of_kin(tokens, at, own) for tokens, at in extra) and all(
        _match_allowed(match, left, right, own) and _marker_allowed(match, left, right, own) for match in alignment.matches
    )


def _match_allowed(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    ours, theirs = left[match.left], right[match.right]
    if not _same_role(ours, theirs, own) or not _same_voice(match, ours, theirs):
        return False
    if match.kind == SAME or any(one == other for one, other in match.forms):
        return True
    if match.kind == FORM:
        return (
            _liked(match, left, own)
            or _lasting(match.forms, ours, theirs, own)
            or _agrees(match, left, right)
            or _ongoing(match, left, right, own)
        )
    return False


def _same_role(ours: Token, theirs: Token, own: Language) -> bool:
    differ = (ours.capital and theirs.small) or (ours.small and theirs.capital)
    if differ and ours.text == theirs.text and ours.text in own.words["case_matters"]:
        return False
    return ours.link == theirs.link or (OR not in (ours.link, theirs.link) and {ours.link, theirs.link} != {AND, ""})


def _same_voice(match: Match, ours: Token, theirs: Token) -> bool:
    if match.kind == TYPO and not (ours.small and theirs.small):
        return False
    return match.kind not in (SAME, FORM) or ours.participle == theirs.participle


def _marker_allowed(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    ours, theirs = left[match.left], right[match.right]
    one, other = ours.marker, theirs.marker
    if one == other or frozenset({one, other}) in own.same_markers:
        return True
    if {one, other} <= own.words["place_markers"]:
        return _in_place(match.left, left, own) and _in_place(match.right, right, own)
    if {one, other} == {"over", "to"}:
        return any(lemma in own.words["preferring"] for token in left[: match.left] for lemma in lemmas(token.text))
    if {one, other} in ({"", "while"}, {"", "when"}):
        return {form for _, form in readings(ours.text)[1:]} == {ING} and ours.text == theirs.text
    return "to" in (one, other) and match.kind == FORM and _liked(match, left, own)


def _in_place(at: int, tokens: Tokens, own: Language) -> bool:
    end = at
    while end + 1 < len(tokens) and tokens[end + 1].marker == tokens[at].marker and not tokens[end + 1].joined:
        end += 1
    return any(lemma in own.words["places"] for lemma in lemmas(tokens[end].text))


def _liked(match: Match, left: Tokens, own: Language) -> bool:
    before = left[match.left - 1].text if match.left else ""
    return any(lemma in own.words["likes_to"] for lemma in lemmas(before)) and bool(match.forms & {(BASE, ING), (ING, BASE)})


def _agrees(match: Match, left: Tokens, right: Tokens) -> bool:
    subjects = {tokens[at - 1].text for tokens, at in ((left, match.left), (right, match.right)) if at}
    return subjects == {_FIRST_PERSON} and bool(match.forms & {(BASE, S), (S, BASE)})


def _lasting(forms: Forms, ours: Token, theirs: Token, own: Language) -> bool:
    progressive = theirs if forms & {(BASE, ING), (S, ING)} else ours if forms & {(ING, BASE), (ING, S)} else None
    return (
        progressive is not None
        and progressive.predicate
        and any(lemma in own.words["lasting"] for lemma in lemmas(progressive.text))
        and not any(PAST in pair and BASE not in pair for pair in forms)
    )


def _ongoing(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    before = {tokens[at - 1].text for tokens, at in ((left, match.left), (right, match.right)) if at}
    lasts = any(lemma in own.words["lasting"] for lemma in lemmas(left[match.left].text))
    return lasts and bool(before) and before <= own.words["having"] and bool(match.forms & {(ING, PAST), (PAST, ING)})


def _is_name_of_kin(tokens: Tokens, at: int, own: Language) -> bool:
    token, before = tokens[at], tokens[at - 1]
    named = at > 0 and token.capital and token.marker == before.marker and not token.joined
    return named and before.text in own.words["kin"] | own.words["pets"] and token.text not in own.words["times"]


def words_of(text: str, own: Language) -> list[Word]:
    """The words of a plain text in order."""
    spelled = [part for word in scanned(text) for part in _spelled_out(word, own)]
    numbered = dated(list(counted(spelled, own)), own)
    return _without_been(_rewritten(_about_the_user(_without_opener(numbered, own), own), own.phrases), own)


def _spelled_out(word: Word, own: Language) -> list[Word]:
    if "'" not in word.text and word.text not in own.contractions:
        return [word._replace(text=american(word.text))] if own.name == "english" else [word]
    first, *others = _parts(word.text, own)
    return [word._replace(text=first), *map(Word, others)]


def _parts(text: str, own: Language) -> list[str]:
    if text in own.contractions:
        return own.contractions[text].split() or [""]
    head, _, tail = text.partition("'")
    if own.name == "french":
        return [head + "'", tail]
    if own.name != "english":
        return [text]
    if text.endswith("n't"):
        return [text.removesuffix("n't"), "not"]
    if text == "user's":
        return ["my"]
    if tail == "s":
        return [head, "is"] if head in own.words["before_is"] else [head]
    return [head, _ENDINGS[tail]] if tail in _ENDINGS else [text.replace("'", "")]


def _without_opener(words: list[Word], own: Language) -> list[Word]:
    free = own.words["free_openers"]
    at = 0
    while at < len(words):
        for opener, _ in own.openers.get(words[at].text, ()):
            said, rest = words[at : at + len(opener)], words[at + len(opener) : at + len(opener) + 1]
            if rest and _begins(said, opener) and (len(opener) > 1 or opener[0] in free or rest[0].pause):
                at += len(opener)
                break
        else:
            break
    return [words[at]._replace(pause=""), *words[at + 1 :]] if at else words


def _about_the_user(words: list[Word], own: Language) -> list[Word]:
    if words and (words[0].text in own.words["bare_verbs"] or (own.name == "english" and _told_in_past(words, own))):
        return [Word(_FIRST_PERSON), *words]
    return [Word(_FIRST_PERSON), *words[1:]] if own.name == "english" and words and words[0].text == "user" else words


def _told_in_past(words: list[Word], own: Language) -> bool:
    behind = words[1].text if len(words) > 1 else "by"
    forms = {form for _, form in readings(words[0].text)[1:]}
    if forms != {PAST} or behind in own.words["behind_participle"]:
        return False
    # "Visited Rome", not "Mohamed Morsi"
    return not words[1:2] or not words[1].capital or any(lemma in own.synonyms for lemma in lemmas(words[0].text))


def _begins(words: Sequence[Word], phrase: tuple[str, ...]) -> bool:
    return (
        len(words) >= len(phrase)
        and all(part in ("*", word.text) for word, part in zip(words, phrase, strict=False))
        and not any(word.pause for word in words[1 : len(phrase)])
    )


def _rewritten(words: list[Word], phrases: Phrases) -> list[Word]:
    found: list[Word] = []
    ahead = words[::-1]
    while ahead:
        rows = phrases.get(ahead[-1].text, ())
        window = ahead[: -_LONGEST - 1 : -1] if rows else []
        for phrase, instead in rows:
            if _begins(window, phrase):
                slot = window[phrase.index("*")].text if "*" in phrase else ""
                filled = [Word(part.replace("*", slot)) for part in instead]
                filled[:1] = [window[0]._replace(text=part.text) for part in filled[:1]]
                ahead[-len(phrase) :] = filled[::-1]
                break
        else:
            found.append(ahead.pop())
    return found


def _without_been(words: list[Word], own: Language) -> list[Word]:
    texts = [word.text for word in words]
    lasting = [
        at
        for at in range(1, len(words) - 1)
        if texts[at] == "been"
        and texts[at - 1] in own.words["having"]
        and any(form == ING for _, form in readings(texts[at + 1]))
    ]
    return [word for at, word in enumerate(words) if at not in lasting]


def joined(words: Sequence[Word], own: Language) -> list[Word]:
    """Phrases that have synonyms as one word, its parts between `_` as they stand."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        length = _phrase_length(words[at : at + _LONGEST], own)
        text = "_".join(word.text for word in words[at : at + length])
        found.append(words[at] if length == 1 else words[at]._replace(text=text))
        at += length
    return found


def _phrase_length(window: Sequence[Word], own: Language) -> int:
    for phrase in _phrases_from(window[0].text, own.name):
        last = window[len(phrase) - 1].text if len(phrase) <= len(window) else ""
        ending = phrase[-1] == last or (own.name == "english" and phrase[-1] in lemmas(last))
        if ending and _begins(window[1:], phrase[1:-1]) and not any(word.pause for word in window[1 : len(phrase)]):
            return len(phrase)
    return 1


@functools.lru_cache(maxsize=4096)
def _phrases_from(word: str, language_name: str) -> tuple[tuple[str, ...], ...]:
    firsts = lemmas(word) if language_name == "english" else (word,)
    return tuple(phrase for first in firsts for phrase, _ in language(language_name).synonym_phrases.get(first, ()))
