"""Parse a query into intent, terms and time range, and estimate how likely the memories are to contain its answer."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from commonplace.domain.results import Intent
from commonplace.ports.index import Candidates, Corpus
from commonplace.retrieval.ranked import Ranked
from commonplace.retrieval.ranking import DaySpan, Question, named_speakers, term_weights
from commonplace.text.foundation import intent_cues, tokenizer
from commonplace.text.tagging.phrases import concepts_of
from commonplace.text.tagging.synonyms import expansions
from commonplace.text.time_ranges import TimeRange
from commonplace.text.time_ranges.reader import read_time_range

_EXPANSION_WEIGHT = 0.2
_EXPANSIONS = 6
_STEEPNESS = 8.0  # logistic fit of the lead, on LoCoMo conversations 0 and 1
_BEST = 5
_SUBJECT = "user"  # all memories are about the user, so this word doesn't distinguish them
_LEAST_SPEAKERS = 2  # speakers with names, not roles
_LONGEST_LABEL = 4  # in words
_LEAST, _MOST = 0.15, 0.85


@dataclass(frozen=True)
class Query:
    """A parsed query. A `general` query has no subject. `expansions` maps each added word to words in the query."""

    question: Question
    intent: Intent
    concepts: list[str]
    expansions: dict[str, str]
    time: TimeRange | None
    general: bool
    named: frozenset[str]  # the query's own terms, or empty if the query asks what is true now

    def repeats(self, text: str) -> bool:
        """Return whether the query contains all words in a text. If so, it refers to this text and not to a newer value."""
        return self.question.words.issuperset(tokenizer.words(text))

    def with_known_expansions(self, frequencies: Iterable[float]) -> "Query":
        """Return the query with up to six expansions that occur in memories. All other expansions get a weight of 0.

        `frequencies` gives the number of visible memories with each term, so that the user's tags need not be loaded first.
        """
        terms = self.question.terms
        present = {term for term, count in zip(terms, frequencies, strict=True) if count}
        terms_by_name = {name: own for name in self.expansions if present.issuperset(own := tokenizer.terms(name))}
        names = list(terms_by_name)[:_EXPANSIONS]
        stand = {term for name in names for term in terms_by_name[name]}
        weighted = zip(terms, self.question.weights, strict=True)
        weights = (weight if weight > _EXPANSION_WEIGHT or term in stand else 0.0 for term, weight in weighted)
        known = {name: self.expansions[name] for name in names}
        return replace(self, question=replace(self.question, weights=tuple(weights)), expansions=known)


def parse_query(text: str, now: datetime, renamed: Mapping[str, str] = {}) -> Query:
    """Parse a query with rules and add all expansions. `now` must be timezone-aware. `renamed` maps old tags to new ones."""
    own = own_terms(text)
    spoken = tokenizer.words(text)
    named = _find_renamed_tags(spoken, renamed) if renamed else {}
    instead = {term for words in named.values() for term in tokenizer.terms(words)}
    own = [term for term in own if term not in instead]
    own = list(dict.fromkeys([*own, *(term for tag in named for term in tokenizer.terms(tag))]))
    time = read_time_range(text, now)
    # "What do I do?" contains only function words, so only its meaning can match. "*" matches everything.
    for_all = not set(own) - tokenizer.terms_of_asking() and bool(own or not spoken)
    general = time is None and (for_all or intent_cues.asks_about_the_user(text))
    added = {} if general else {**{words: tag for tag, words in named.items()}, **expansions(spoken)}
    extra = [term for word in added for term in tokenizer.terms(word)]
    extra = [term for term in dict.fromkeys(extra) if term not in own]
    question = Question(
        terms=(*own, *extra),
        weights=(1.0,) * len(own) + (_EXPANSION_WEIGHT,) * len(extra),
        words=frozenset(spoken),
        spans=_build_day_spans(time),
        advice=intent_cues.asks_for_advice(text),
        label=_is_like_label(text, spoken),
    )
    asked = frozenset(() if intent_cues.asks_about_now(text) else own)
    return Query(question, _detect_intent(text), concepts_of(text), added, time, general, asked)


def own_terms(text: str) -> list[str]:
    """Return the distinct terms in a query. The term "user" is left out if there are others."""
    own = list(dict.fromkeys(tokenizer.terms(text)))
    return [term for term in own if term != _SUBJECT] or own


def _find_renamed_tags(spoken: Sequence[str], renamed: Mapping[str, str]) -> dict[str, str]:
    """Map the current name of each tag whose old name is in the query to the words of the old name."""
    tags = {tuple(tokenizer.words(tag)): into for tag, into in renamed.items()}
    longest = max(map(len, tags))
    runs = [tuple(spoken[at : at + size]) for size in range(longest, 0, -1) for at in range(len(spoken) - size + 1)]
    return {tags[run]: " ".join(run) for run in runs if run in tags}


def _is_like_label(text: str, spoken: Sequence[str]) -> bool:
    """Return whether a query has at most four words, all of them with content, and isn't a question."""
    few = 0 < len(spoken) <= _LONGEST_LABEL and not intent_cues.is_question(text)
    asking = tokenizer.terms_of_asking()
    return few and all((terms := tokenizer.terms(word)) and asking.isdisjoint(terms) for word in spoken)


def _detect_intent(text: str) -> Intent:
    if intent_cues.asks_for_similar(text):
        return "show_similar"
    return "remind" if intent_cues.asks_for_reminders(text) else "find"


def _build_day_spans(time: TimeRange | None) -> tuple[DaySpan, ...]:
    if time is None:
        return ()
    first = float("-inf") if time.after is None else float(time.after.toordinal())
    last = float("inf") if time.before is None else float((time.before - timedelta(microseconds=1)).date().toordinal())
    return (DaySpan(first, last, time.any_year),)


def answerable(question: Question, candidates: Candidates, corpus: Corpus, ranked: Ranked) -> float | None:
    """Estimate the probability, from 0 to 1, that the memories contain the answer.

    If the query names a speaker, the estimate uses the lead of that speaker's best hit, and otherwise word coverage. It is
    None unless the memories come from a conversation, because among single facts, "my cat" may match a dog's name better.
    """
    if not len(ranked.rows):
        return 0.0
    if len(corpus.speakers) < _LEAST_SPEAKERS:
        return None
    named = named_speakers(question, corpus)
    if len(named) == 1:
        speakers = candidates.speakers[ranked.rows]
        own = speakers == list(candidates.speaker_names).index(named[0])
        from_others = ~own & (speakers >= 0)
        if own.any() and from_others.any():
            lead = float(ranked.impartial[own].max() - ranked.impartial[from_others].max())
            return 1 / (1 + math.exp(-_STEEPNESS * lead))
    return _LEAST + (_MOST - _LEAST) * _compute_coverage(question, candidates, corpus, ranked)


def _compute_coverage(question: Question, candidates: Candidates, corpus: Corpus, ranked: Ranked) -> float:
    """Return the share of the query's terms, by rarity, in the best hits. If the query has none, return the best cosine."""
    weights = term_weights(question, corpus)
    best = ranked.rows[:_BEST]
    if not weights.sum():
        return float(np.clip(np.nan_to_num(candidates.cosines[best]).max(), 0.0, 1.0))
    matched = (candidates.term_counts[best] > 0).any(axis=0)
    return float(weights[matched].sum() / weights.sum())
