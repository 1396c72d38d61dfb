"""How likely it is that the memories hold the answer to a question at all.

No score of the best hit tells (measured: AUROC .42-.56). What tells is who said it: a question about Ana whose best match
was said by Ben is likely about something that Ana never said (.82; docs/architecture.md, "Answerable").
"""

import math

import numpy as np

from commonplace.candidates import Candidates, Corpus
from commonplace.ranking import Question, Ranked, named_speakers, term_weights

_STEEPNESS = 8.0  # logistic fit of the lead on LoCoMo conversations 0 and 1
_BEST = 5
_LEAST, _MOST = 0.15, 0.85


def answerable(question: Question, candidates: Candidates, corpus: Corpus, ranked: Ranked) -> float:
    """0-1. With one speaker named: by the lead of their best hit over everybody else's. Else by the words that are found."""
    if not len(ranked.rows):
        return 0.0
    named = named_speakers(question, corpus)
    if len(named) == 1:
        speakers = candidates.speakers[ranked.rows]
        own = speakers == list(candidates.speaker_names).index(named[0])
        others = ~own & (speakers >= 0)
        if own.any() and others.any():
            lead = float(ranked.impartial[own].max() - ranked.impartial[others].max())
            return 1 / (1 + math.exp(-_STEEPNESS * lead))
    return _LEAST + (_MOST - _LEAST) * _coverage(question, candidates, corpus, ranked)


def _coverage(question: Question, candidates: Candidates, corpus: Corpus, ranked: Ranked) -> float:
    """The share of the question's words, by rarity, that the best hits hold together; of likeness where it has none."""
    weights = term_weights(question, corpus)
    best = ranked.rows[:_BEST]
    if not weights.sum():
        return float(np.clip(np.nan_to_num(candidates.cosines[best]).max(), 0.0, 1.0))
    held = (candidates.term_counts[best] > 0).any(axis=0)
    return float(weights[held].sum() / weights.sum())
