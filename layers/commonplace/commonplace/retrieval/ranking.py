"""Rank candidates. Each candidate gets an absolute score, which is a sum of parts, and a relevance from 0 to 1.

The formula and its constants are based on measurements, which docs/search.md describes and benchmarks/retrieval.py can
repeat. The functions are pure, so every engine orders the same candidates in the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from typing import Literal

import numpy as np

from commonplace.domain.memory import Memory
from commonplace.ports.index import Candidates, Corpus, Flags, Floats, Integers
from commonplace.ports.values import Weights
from commonplace.retrieval import bm25
from commonplace.retrieval.ranked import Ranked
from commonplace.text.foundation import tokenizer

Profile = Literal["window", "classic"]

_WORDS, _HALF, _RISE = 1.5, 16.0, 1.5  # the word score is 1.5 s^1.5 / (s^1.5 + 16^1.5); a weak match adds little
_COSINE, _NEAR = 1.3, 0.8  # weight of the cosines, and relative weight of the neighbours' vectors
_SPEAKER, _WITH_SPEAKER = 0.12, 0.1  # for a turn by the named speaker, and for a turn near one
_LABELLED = 0.15  # times the share of the query's words, weighted by rarity, that only labels contain
_ALL_NAMED = 0.5  # if the text or labels contain all words of a query that looks like a label
_ANSWER = 0.05
_INSTRUCTION = 0.2
_RELATED = 0.25  # an instruction that shares no words with the query needs at least this cosine
_PREFERENCE = 0.15
_DATE, _DATE_DAYS, _LONG_SPAN_DAYS, _LONG_SPAN_SHARE = 0.4, 7.0, 40, 0.2
_EVEN = 0.2  # the score with a relevance of 0.5; correct memories among single facts score at least half of it
_ORDERED_ROWS = 300  # more than twice the highest limit
_RECENCY_DAYS, _MANY_USES = 90.0, 20
_OF_SPEAKER, _OF_FEEDBACK = "speaker", "feedback"
TIE_BREAKS = ("tie_importance", "tie_recency", "tie_usage")
"""The names of the amounts that order equal matches without affecting their relevance."""


@dataclass(frozen=True)
class DaySpan:
    """Days that a query names, as inclusive ordinals. An open end is infinite. `any_year` is True if no year was named."""

    first: float
    last: float
    any_year: bool = False

    def in_years(self, years: Sequence[int]) -> list["DaySpan"]:
        """Return the span and the same days in each of `years`, or only the span if the query gave its year."""
        if not self.any_year:
            return [self]
        begins = date.fromordinal(int(self.first))
        day = min(begins.day, 28)
        firsts = [begins.replace(year=year, day=day).toordinal() + begins.day - day for year in years]
        return [self, *(DaySpan(first, first + self.last - self.first) for first in firsts)]


@dataclass(frozen=True)
class Question:
    """A query for ranking. `label` is True if the query has only a few content words, like the name of a tag or category."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    words: frozenset[str]
    spans: tuple[DaySpan, ...] = ()
    advice: bool = False
    label: bool = False


def rank(
    question: Question,
    candidates: Candidates,
    corpus: Corpus,
    profile: Profile = "window",
    rated: Mapping[str, float] = {},
    now: float = 0.0,
) -> Ranked:
    """Score the candidates and order them by score, then by id. `rated` maps ids to feedback. `now` is seconds since 1970."""
    rows = np.flatnonzero(candidates.ranked)
    if profile == "classic":
        parts = _score_classic(question, candidates, corpus, rows, now)
    else:
        parts = _score_window(question, candidates, corpus, rows)
    if rated:
        parts[_OF_FEEDBACK] = np.array([rated.get(candidates.ids[row], 0.0) for row in rows.tolist()])
    scores: Floats = reduce(np.add, parts.values())
    order = _order_by_score(candidates.ids, rows, scores)
    positive = np.maximum(scores[order], 0.0)
    impartial = (scores - parts[_OF_SPEAKER])[order] if _OF_SPEAKER in parts else scores[order]
    return Ranked(rows[order], scores[order], positive / (positive + _EVEN), impartial, order, parts)


def _order_by_score(ids: Sequence[str], rows: Integers, scores: Floats) -> Integers:
    """Order rows by score, highest first. Among the rows that can be returned, equal scores are ordered by id."""
    order = np.argsort(-scores, kind="stable")
    head = order[:_ORDERED_ROWS]
    named = sorted(zip((-scores[head]).tolist(), (ids[row] for row in rows[head].tolist()), head.tolist(), strict=True))
    return np.concatenate([np.array([place for _, _, place in named], dtype=np.int64), order[_ORDERED_ROWS:]])


def named_speakers(question: Question, corpus: Corpus) -> list[str]:
    """Return the known speakers whose name occurs, at least in part, in the query."""
    return sorted(name for name in corpus.speakers if question.words.intersection(tokenizer.words(name)))


def break_ties(scores: Floats, memories: Sequence[Memory], now: float, weights: Weights) -> list[int]:
    """Return the indexes of the memories, best first. Importance, recency and usage decide between similar scores."""
    settled = reduce(np.add, tie_breaks(memories, now, weights).values(), scores)
    return [int(row) for row in np.argsort(-settled, kind="stable")]


def tie_breaks(memories: Sequence[Memory], now: float, weights: Weights) -> dict[str, Floats]:
    """Return, by name, the amounts that importance, recency and usage add to each score to order similar matches."""
    importance = np.array([memory.importance for memory in memories])
    days = np.array([max(0.0, now - memory.happened_at.timestamp()) / 86_400 for memory in memories])
    uses = np.array([min(memory.access_count, _MANY_USES) / _MANY_USES for memory in memories])
    recency = np.exp(-days / _RECENCY_DAYS)
    shares = weights.importance * importance, weights.recency * recency, weights.usage * uses
    return dict(zip(TIE_BREAKS, shares, strict=True))


def term_weights(question: Question, corpus: Corpus) -> Floats:
    """Return each term's weight times its rarity. Speakers' names get 0, unless the query has no other terms."""
    names = {term for name in corpus.speakers for term in tokenizer.terms(name)}
    own = np.array([0.0 if term in names else w for term, w in zip(question.terms, question.weights, strict=True)])
    if not own.any():
        own = np.array(question.weights)
    weights: Floats = own * bm25.inverse_document_frequency(corpus)
    return weights


def _score_window(question: Question, candidates: Candidates, corpus: Corpus, own: Integers) -> dict[str, Floats]:
    """Return the score parts of the candidates in rows `own` by name, as arrays in the order of `own`."""
    weights, around = term_weights(question, corpus), bm25.window(candidates, own)
    words = bm25.lexical(candidates, corpus, weights, around)
    raised = words**_RISE
    follows_question = (candidates.questions[around.previous] & (around.previous >= 0)).astype(float)
    cosines, speaks = np.nan_to_num(candidates.cosines), _mark_named_speech(question, candidates, corpus)
    days = [day for span in question.spans for day in span.in_years(corpus.years)]
    near = (cosines[own] + _NEAR * around.lent(cosines)) / (1 + _NEAR * around.weights.sum(axis=1))
    return {
        "words": _WORDS * raised / (raised + _HALF**_RISE),
        "meaning": _COSINE * near,
        "answer": _ANSWER * around.openness * (follows_question - candidates.questions[own]),
        "instruction": _INSTRUCTION * (candidates.instructions[own] & ((words > 0) | (candidates.cosines[own] > _RELATED))),
        "preference": _PREFERENCE * question.advice * candidates.preferences[own],
        "date": _DATE * _score_dates(days, candidates.days[own]),
        "labels": _score_labels(question, candidates.term_counts[own], weights),
        _OF_SPEAKER: _SPEAKER * speaks[own] + _WITH_SPEAKER * around.near(speaks),
    }


def _score_labels(question: Question, term_counts: Floats, weights: Floats) -> Floats:
    """Score matches in labels, so that a query for a tag or category finds memories whose text lacks its words."""
    only = np.isclose(term_counts, bm25.LABEL_WEIGHT)
    share = _LABELLED * (only @ weights) / max(float(weights.sum()), 1e-9)
    if question.label:
        share = share + _ALL_NAMED * (term_counts[:, np.array(question.weights) == 1.0] > 0).all(axis=1)
    return np.asarray(share)


def _mark_named_speech(question: Question, candidates: Candidates, corpus: Corpus) -> Flags:
    """Flag the turns by the speaker whom the query mentions. No turn is flagged unless the query mentions exactly one."""
    named = named_speakers(question, corpus)
    if len(named) != 1:
        return np.zeros(len(candidates), dtype=np.bool_)
    return np.asarray(candidates.speakers == list(candidates.speaker_names).index(named[0]))


def _score_dates(spans: Sequence[DaySpan], days: Floats) -> Floats:
    """Score days by distance from a span. Days inside get 1, each week outside divides by e, and long spans count less."""
    best = np.zeros(len(days))
    for span in spans:
        distance = np.maximum(np.maximum(span.first - days, days - span.last), 0.0)
        share = _LONG_SPAN_SHARE if span.last - span.first >= _LONG_SPAN_DAYS else 1.0
        best = np.maximum(best, share * np.exp(-distance / _DATE_DAYS))
    return best


def _score_classic(
    question: Question, candidates: Candidates, corpus: Corpus, own: Integers, now: float
) -> dict[str, Floats]:
    """Score with the specified formula: .4 cosine + .3 exact + .1 level / 5 + .1 recency. `tie_breaks` adds usage."""
    weights = term_weights(question, corpus)
    exact = (candidates.term_counts > 0) @ weights / max(float(weights.sum()), 1e-9)
    recency = np.exp(-np.maximum(now - candidates.created, 0.0) / 86_400 / _RECENCY_DAYS)
    return {
        "semantic": 0.4 * np.nan_to_num(candidates.cosines)[own],
        "exact": 0.3 * exact[own],
        "importance": 0.1 * (1 + np.rint(4 * candidates.importances[own])) / 5,
        "recency": 0.1 * recency[own],
    }
