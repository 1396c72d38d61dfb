"""Rows of records without an index."""

from datetime import timedelta

import numpy as np
import pytest

from commonplace.domain.memory import Memory
from commonplace.ports.values import Filter, Stored, Visibility
from commonplace.retrieval.record_scan import RecordScan
from tests.conftest import NOON

SEEN = Visibility("local|ana", ("global",), NOON + timedelta(hours=1))


@pytest.mark.parametrize("length", [1, 3, 5, 512])
def test_a_vector_of_another_length_has_no_cosine(length: int) -> None:
    whole = {
        "memory_id": "mem_1", "user_id": "local|ana", "raw_text": "tea", "normalized_text": "tea", "memory_type": "fact",
        "category": "contexts", "section": "personal_context", "created_at": NOON, "updated_at": NOON,
        "embedding_model": "model",
    }  # fmt: skip
    record = Stored(Memory.model_validate(whole), np.eye(1, length, dtype=np.float32)[0])
    rows, passing = RecordScan([record], "model").rows(SEEN, Filter(), ["tea"], np.eye(1, 4, dtype=np.float32)[0])
    assert passing == {"mem_1"}
    assert np.isnan(rows["mem_1"].cosine)
    assert rows["mem_1"].counts == (1.0,)
