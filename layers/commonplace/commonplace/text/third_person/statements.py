"""Rewrite the statements and requests in an English text in the third person. Questions stay unchanged.

A statement without a subject gets one, as in "Moved to Oslo in 2019.", "Allergic to nuts" or "Love jazz"."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from commonplace.text.foundation.english import (
    is_auxiliary,
    is_base,
    is_everyday_s_form,
    is_ing_form,
    is_participle,
    is_past,
    is_s_form,
    mapping,
    table,
)
from commonplace.text.foundation.languages import ENGLISH, language_of
from commonplace.text.third_person.clauses import Rewriting
from commonplace.text.third_person.company import speaker_first
from commonplace.text.third_person.mentions import Companions, shield
from commonplace.text.third_person.tokens import (
    Kind,
    Token,
    adverb_length,
    asks_politely,
    filler_length,
    joined_text,
    reminder_length,
    sentence_tokens,
    speaks,
    spelled_out,
)


def missing_subject(tokens: Sequence[Token]) -> list[str]:
    """Return the words that are missing at the start of a statement (["I"], ["I", "am"]), or an empty list if unsure."""
    start = next((at for at, token in enumerate(tokens) if token.kind is not Kind.MARK), len(tokens))
    lows = [token.low for token in tokens[start:]]
    if len(lows) < 2 or not tokens[start].is_word:
        return []
    skipped = adverb_length(tokens, start) if lows[0] in table("bare.adverbs") else 0
    first, tail = lows[skipped], lows[skipped + 1 :]
    if not tail or first in ("the", "a", "i") or (lows[0], first) == ("just", "like") or tail[:2] == ["the", "user"]:
        return []
    for lacks in (_lacks_am, _lacks_was, _lacks_have):
        if words := lacks(first, tail):
            return words
    habitual = bool(skipped) and lows[0] in table("bare.frequency")
    return ["I"] if _lacks_i(first, tail, habitual) and not _is_noun_phrase(tail) else []


def _lacks_am(first: str, tail: Sequence[str]) -> list[str]:
    """Return ["I", "am"] (or with "a") for a statement like "Allergic to nuts", or an empty list."""
    if first in table("bare.is"):
        standing = first in table("bare.standing") and tail[0] == ","
        good = standing or tail[0] in table("bare.is_before") or first in ("allergic", "originally", "lactose")
        return ["I", "am"] if good and not _has_finite(tail) and (first, tail[0]) != ("based", "on") else []
    if (first, tail[0]) == ("going", "to"):
        return ["I", "am"]
    if first in table("bare.doing") and is_ing_form(first):
        return ["I", "am"] if not _has_finite(tail) else []
    if (first, tail[0]) == ("not", "a") or (first in ("big", "huge") and tail[0] == "fan"):
        return (["I", "am"] if first == "not" else ["I", "am", "a"]) if not _has_finite(tail) else []
    return []


def _lacks_was(first: str, tail: Sequence[str]) -> list[str]:
    """Return ["I", "was"] for a statement like "Born in Oslo", or an empty list."""
    return ["I", "was"] if first in table("bare.was") and tail[0] in table("bare.was_before") else []


def _lacks_have(first: str, tail: Sequence[str]) -> list[str]:
    """Return the words missing in a statement like "Been to Rome" or "Never smoked", or an empty list."""
    if first == "been":
        # "Been a busy week" lacks "it"
        return [] if tail[0] in table("function.determiners") else ["I", "have"]
    if first != "never":
        return []
    verb = next((word for word in tail if word not in table("adverbs.single")), "")
    if verb in ("been", "had", "tried") or (is_participle(verb) and not is_past(verb)):
        return ["I", "have"]
    return ["I"] if is_past(verb) else []


def _lacks_i(first: str, tail: Sequence[str], habitual: bool) -> bool:
    """Return whether only "I" is missing. `habitual` is True after an adverb like "usually"."""
    following = tail[0]
    if following in table("bare.subjects"):
        return first in table("bare.think") and following in ("i", "we")
    if first in table("bare.modals"):
        return _is_own_modal(first, tail)
    if first in table("bare.negative"):
        verb = " ".join(tail[1:2]) if first == "do" and following == "not" else following
        stative = table("bare.likes") | table("bare.consume") | table("bare.think")
        return verb in stative and not (first == "do" and following != "not")
    if first in table("bare.likes"):
        return first == "live" or following not in ("is", "was", "for", "has", "me", "you", "and", ",")
    if first in mapping("bare.live_with"):
        return following in mapping("bare.live_with")[first]
    if first in table("bare.consume"):
        return _is_consumption(first, tail)
    if first in table("bare.think"):
        return following in ("i", "i'm", "i'll", "i'd", "my", "we", "i've", "im")
    if habitual and first in table("verbs.intransitive") | table("verbs.transitive") | table("bare.consume"):
        return True
    return first in table("bare.past") and following not in ("by", "it", ".", "!", ",") and not first.endswith("ing")


def _is_own_modal(first: str, tail: Sequence[str]) -> bool:
    following, after = tail[0], tail[1] if len(tail) > 1 else ""
    if following == "be":
        return first == "will" and (after in table("bare.will_be") or is_ing_form(after))
    if first in ("can", "will", "would", "could", "should", "must", "might"):
        return is_base(following) or following in ("have", "not") or following in table("adverbs.single")
    if first in ("haven't", "won't", "can't", "couldn't", "wouldn't", "didn't") and following in ("i", "you", "we"):
        return False
    return following not in (".", "!", ",")


def _is_consumption(first: str, tail: Sequence[str]) -> bool:
    if first == "have":
        wished = table("bare.wished")
        return not (tail[0] == "a" and len(tail) > 1 and tail[1] in wished) and tail[0] not in wished
    if first == "wear":
        return tail[0] not in ("your", "the")
    return first == "drive" and tail[0] in ("a", "to", "an")


def _is_noun_phrase(tail: Sequence[str]) -> bool:
    """Return whether the sentence begins with the subject of a later verb ("Used cars were ...")."""
    subjects = table("function.nominatives") | table("function.subordinators") | {"i", "i'm", "my", "we"}
    for at, word in enumerate(tail[:5]):
        if word in subjects or word in table("function.determiners"):
            return False
        if at and (word in table("auxiliaries.others") or (is_s_form(word) and is_auxiliary(word))):
            return True
    return False


def _has_finite(tail: Sequence[str]) -> bool:
    """Return whether the words already contain a finite verb ("Learning Spanish is fun")."""
    subjects = table("function.subordinators") | {"i", "i'm", "and", "but", ","}
    for word in tail:
        if word in subjects:
            return False
        if word in table("auxiliaries.others") or word in table("auxiliaries.modals"):
            return True
    return False


_QUESTION_REACH = 7
_STATEMENT_REACH = 40


def is_question(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence is a question and therefore stays unchanged. `tokens` is the sentence without fillers."""
    words = [token for token in tokens if token.is_word]
    if not words or words[0] is not next((token for token in tokens if token.kind is not Kind.MARK), None):
        return False
    if any(token.text == "?" for token in tokens[-3:]):
        return not (_has_tag(tokens) or _starts_as_statement(tokens))
    return not _is_condition(tokens) and _starts_as_question(words)


def _has_tag(tokens: Sequence[Token]) -> bool:
    """Return whether a statement ends with a question tag (", right?", ", don't I?")."""
    commas = [at for at, token in enumerate(tokens) if token.text == ","]
    if not commas or not commas[-1]:
        return False
    tail = [token.low for token in tokens[commas[-1] + 1 :] if token.is_word]
    question = _starts_as_question([token for token in tokens if token.is_word])
    if len(tail) == 1:
        return tail[0] in table("questions.tags") and not question
    return len(tail) in (2, 3) and tail[0] in table("auxiliaries.questioning") and tail[1] in ("i", "we", "you", "it")


def _starts_as_statement(tokens: Sequence[Token]) -> bool:
    """Return whether a statement precedes the question ("I'm vegan, what can I eat?")."""
    if not speaks(tokens[0]) or tokens[0].low in ("me", "us"):
        return False
    return any(
        _asks_back(tokens, at) or (token.text in (",", ";", "—", "-") and _starts_as_question(_words_after(tokens, at)))
        for at, token in enumerate(tokens[:_STATEMENT_REACH])
        if at > 1
    )


def _asks_back(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a question to the assistant begins here without a comma ("... how about you?")."""
    return " ".join(token.low for token in tokens[at : at + 2]) in table("questions.asking_back")


def _words_after(tokens: Sequence[Token], at: int) -> list[Token]:
    """Return the words after a position, without an opening "so", "and" or "but"."""
    words = [token for token in tokens[at + 1 : at + 1 + _STATEMENT_REACH] if token.is_word]
    return words[1:] if words and words[0].low in ("so", "and", "but") else words


def _starts_as_question(words: Sequence[Token]) -> bool:
    if len(words) < 2:
        return False
    first, second = words[0].low, words[1].low
    if first in table("auxiliaries.questioning"):
        if first == "had":
            return False
        pronoun = second in table("function.nominatives") or second in ("i", "we")
        return pronoun or (second in table("function.possessed") and first not in ("have", "do", "can"))
    if first not in table("function.question_words"):
        return False
    if second == "to":
        return True
    if second in table("auxiliaries.questioning") or "'" in first or first in ("whats", "wheres", "whos"):
        return second != "i" and not (first == "which" and second in ("is", "was"))
    return any(
        words[at].low in table("auxiliaries.questioning") and words[at + 1].low in ("i", "you", "we", "my", "he", "she")
        for at in range(1, min(len(words) - 1, _QUESTION_REACH))
        if not any(word.low in ("i", "we", "my") for word in words[1:at])
    )


def _is_condition(tokens: Sequence[Token]) -> bool:
    """Return whether the sentence consists of a condition and its consequence ("Should I ever move, I would ...")."""
    if tokens[0].low not in ("should", "were") or tokens[1].low not in ("i", "we", "my"):
        return False
    return any(
        token.text == "," and after.low in ("i", "we") and verb.low in table("auxiliaries.modals")
        for token, after, verb in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def _is_request(tokens: Sequence[Token]) -> bool:
    at = next((at for at, token in enumerate(tokens) if token.kind is not Kind.MARK), 0)
    lows = [token.low for token in tokens[at : at + 5]] + [""] * 5
    if lows[0] in table("imperative.before"):
        lows = lows[1:]
    if [token.low for token in tokens[at : at + 2]] == ["so", "do"]:
        return False
    if lows[0] in table("imperative.never_statement"):
        return True
    if lows[0] in ("don't", "dont") or (lows[0] == "do" and lows[1] == "not"):
        return True
    if lows[0] in table("imperative.never_request") or lows[1] in ("i", "we"):
        return False
    return is_base(lows[0]) and not _is_subject(lows)


def _is_subject(lows: Sequence[str]) -> bool:
    """Return whether the first word is a noun rather than an imperative ("Book club meets on my street", "Work is hard")."""
    finite = table("auxiliaries.others") | table("auxiliaries.modals") | {"had", "and", ",", "'s", "or", ":"}
    if lows[1] in finite or lows[1] == "" or is_ing_form(lows[0]):
        return True
    determined = lows[1] in table("function.determiners") or lows[1] in table("function.prepositions")
    return (
        not determined
        and lows[1] not in ("me", "us", "you")
        and (lows[2] in finite - {"and", ",", "or", ":"} or is_everyday_s_form(lows[2]))
    )


def rewritten(tokens: list[Token]) -> str:
    """Return the English text in the third person. Questions and sentences without a first person stay unchanged."""
    companions = Companions()
    result: list[Token] = []
    parts = list(sentence_tokens(tokens))
    for at, sentence in enumerate(parts):
        result += _rewrite_sentence(sentence, companions, is_first=not result, is_last=at == len(parts) - 1)
    if result:
        result[0] = replace(result[0], gap="")
    return joined_text(list(_quote_unchanged(result)))


def _quote_unchanged(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens, with "The user said" before each run of sentences that stay in the user's own words."""
    for is_quoted, run in groupby(tokens, lambda token: token.kind is Kind.SAID):
        parts = list(run)
        if is_quoted:
            text = joined_text(parts).strip()
            text = f"«{text}»" if '"' in text else f'"{text}"'
            parts = [Token(parts[0].gap, f"The user said: {text}", Kind.SAID)]
        yield from parts


def _rewrite_sentence(tokens: list[Token], companions: Companions, is_first: bool, is_last: bool) -> list[Token]:
    """Return one sentence in the third person, or unchanged. Fillers at the start of the text are dropped."""
    shield(tokens)
    start = filler_length(tokens) if is_first else 0
    if start == len(tokens):
        return tokens if is_last else []
    statement = tokens[start:]
    reminder = reminder_length(statement)
    polite = reminder and asks_politely(statement)
    own_words = joined_text(statement[reminder:]).strip()
    statement = spelled_out(statement[reminder:])
    lacking = missing_subject(statement)
    if not lacking and (not any(map(speaks, statement)) or language_of(joined_text(tokens)) != ENGLISH):
        return tokens
    statement = _with_subject(statement, lacking)
    if not reminder and (not lacking or any(token.text == "?" for token in statement)) and is_question(statement):
        return tokens
    if polite and statement[-1].text == "?":
        statement[-1] = replace(statement[-1], text=".")
    request = not lacking and not reminder and _is_request(statement)
    companions.needed = False
    result = _rewrite_statement(statement, companions, tokens[0].gap, request)
    return [Token(tokens[0].gap, own_words, Kind.SAID)] if companions.needed else result or tokens


def _with_subject(statement: list[Token], lacking: list[str]) -> list[Token]:
    if not lacking:
        return statement
    at = next(at for at, token in enumerate(statement) if token.kind is not Kind.MARK)
    first = statement[at]
    added = [Token(first.gap if index == 0 else " ", word) for index, word in enumerate(lacking)]
    lowered = first.text if first.text.isupper() else first.text[:1].lower() + first.text[1:]
    return [*statement[:at], *added, replace(first, gap=" ", text=lowered), *statement[at + 1 :]]


def _is_symbol(following: list[Token]) -> bool:
    """Return whether a word is part of an address, code or a formula, judging by the characters after it (`redis://`)."""
    if not following or following[0].kind is not Kind.MARK:
        return False
    sign, glued = following[0].text, all(token.gap == "" for token in following)
    return sign in "=<>+*&|@_$%^~" or (len(following) > 1 and glued and sign in ":/_")


def _rewrite_statement(statement: list[Token], companions: Companions, gap: str, request: bool) -> list[Token]:
    """Return the sentence in the third person, or an empty list if it is unclear which verbs are the user's."""
    # in a request, the noun before "and I" isn't a companion ("Feed the cat and I will pay you")
    rewriting = Rewriting(statement if request else speaker_first(statement), companions, request)
    result = rewriting.run()
    if rewriting.unsure:
        return []
    at = next((at for at, token in enumerate(result) if token.kind is not Kind.MARK), 0)
    first = result[at]
    is_plain = first.is_word and first.text.islower() and first.text.replace(" ", "").replace("'", "").isalpha()
    if is_plain and not _is_symbol(result[at + 1 : at + 3]):
        result[at] = replace(first, text=first.text[:1].upper() + first.text[1:])
    result[0] = replace(result[0], gap=gap)
    return result
