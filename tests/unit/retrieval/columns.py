"""Candidates and a corpus for tests of ranking, with everything ordinary that is not said."""

from collections.abc import Sequence

import numpy as np

from commonplace.ports.index import Candidates, Corpus

SPEAKERS = ("ana", "ben")


def columns(
    *, counts: Sequence[Sequence[float]] | None = None, sessions: Sequence[int] | None = None,
    positions: Sequence[int] | None = None, questions: Sequence[bool] | None = None,
    speakers: Sequence[int] | None = None, cosines: Sequence[float] | None = None, days: Sequence[float] | None = None,
    instructions: Sequence[bool] | None = None, preferences: Sequence[bool] | None = None,
    session_lengths: Sequence[float] | None = None, lengths: Sequence[float] | None = None,
) -> Candidates:  # fmt: skip
    """One row per entry of the first column given."""
    given = (counts, sessions, cosines, days, instructions, preferences)
    size = next(len(column) for column in given if column is not None)
    zeros, no = np.zeros(size), np.zeros(size, dtype=np.bool_)
    return Candidates(
        ids=[f"mem_{row:03d}" for row in range(size)],
        ranked=np.ones(size, dtype=np.bool_),
        term_counts=np.array(counts, dtype=float) if counts is not None else np.zeros((size, 1)),
        lengths=np.array(lengths) if lengths is not None else zeros + 8,
        cosines=np.array(cosines) if cosines is not None else zeros,
        sessions=np.array(sessions) if sessions is not None else np.full(size, -1),
        session_lengths=np.array(session_lengths) if session_lengths is not None else zeros + 8,
        positions=np.array(positions) if positions is not None else np.arange(size),
        speakers=np.array(speakers) if speakers is not None else np.full(size, -1),
        speaker_names=SPEAKERS,
        questions=np.array(questions, dtype=np.bool_) if questions is not None else no,
        instructions=np.array(instructions, dtype=np.bool_) if instructions is not None else no,
        preferences=np.array(preferences, dtype=np.bool_) if preferences is not None else no,
        days=np.array(days) if days is not None else zeros + 738_000,
        importances=zeros + 0.5,
        created=zeros,
    )


def corpus_of(memories: int = 100, frequencies: Sequence[float] = (5,), speakers: Sequence[str] = ()) -> Corpus:
    """Statistics of a store."""
    return Corpus(memories, 8.0, np.array(frequencies, dtype=float), frozenset(speakers), (2020, 2021))
