"""Documents beside what is said: found together, never mixed up by a night, and without what a user wants forgotten."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import ErrorCode
from commonplace.domain.memory import DOCUMENTS
from commonplace.nightly.user_erasure import ErasableUser
from tests.conftest import NOON, found, refusal
from tests.integration.test_night_forgets import nights, places, talk

pytestmark = pytest.mark.integration

PAGE = (Path(__file__).parents[2] / "docs" / "documents.md").read_text("utf-8")
PLACE = (("memories",), "me.md")


def active(memory: Commonplace) -> set[tuple[str, str]]:
    return {(one["collection"], one["raw_text"]) for one in memory.export() if one["status"] == "active"}


def test_a_night_neither_leaves_out_what_a_document_says_nor_closes_it(memory: Commonplace) -> None:
    memory.documents.write(*PLACE, "I play the bassoon.\n\nI live in Vienna.")
    nights(memory, [talk(11, "I play the bassoon.")], [talk(12, "I moved from Vienna to Graz.")])
    current = active(memory)
    assert {(DOCUMENTS, "I play the bassoon."), (DOCUMENTS, "I live in Vienna.")} <= current
    said = " ".join(text for collection, text in current if collection != DOCUMENTS)
    assert "bassoon" in said
    assert "Graz" in said


def test_a_wish_to_forget_reaches_documents_and_their_history(memory: Commonplace, memory_file: Path) -> None:
    memory.documents.write(*PLACE, "I play the bassoon.\n\nI live in Vienna.")
    memory.documents.write(*PLACE, "I live in Vienna.\n\nI play the bassoon.\n\nI like tea.")
    nights(memory, [talk(13, "Forget my bassoon.")])
    assert memory.documents.read(*PLACE).body == "I live in Vienna.\n\n[erased]\n\nI like tea."
    memory.close()
    assert places(memory_file, "bassoon") == []


def test_documents_are_the_users_whichever_agent_wrote_them(open_memory: Callable[..., Commonplace]) -> None:
    writer, reader = open_memory(agent_id="writer"), open_memory(agent_id="reader")
    writer.documents.write(*PLACE, "I play the bassoon.")
    assert reader.documents.read(*PLACE).body == "I play the bassoon."
    assert list(reader.documents.scores("what do I play?")) == ["memories/me.md"]
    reader.documents.write(*PLACE, "I play the bassoon.\n\nI like tea.")
    for one in (writer, reader):
        assert sorted(found(one, "what do I play, what do I like?")) == ["I like tea.", "I play the bassoon."]


def test_an_erased_document_is_in_no_byte_of_the_file(memory: Commonplace, memory_file: Path) -> None:
    memory.documents.write(*PLACE, "I play the bassoon.")
    memory.documents.write(*PLACE, "I sold the bassoon. I live in Vienna.")
    memory.backup()
    memory.documents.erase(*PLACE)
    memory.close()
    assert places(memory_file, "bassoon") == []


def test_an_erasure_that_died_half_way_goes_on(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.documents.write(*PLACE, "I play the bassoon.\n\nI live in Vienna.")
    with monkeypatch.context() as patched:
        patched.setattr(ErasableUser, "_erase_memories", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.documents.erase(*PLACE)
    assert memory.documents.versions(*PLACE) == []
    assert memory.documents.erase(*PLACE).memories == 2
    assert active(memory) == set()
    assert refusal(lambda: memory.documents.erase(*PLACE)).code is ErrorCode.NOT_FOUND


@pytest.mark.parametrize("fields", [None, ()], ids=["with memories", "without"])
def test_a_deleted_one_is_gone_after_thirty_days_which_no_clock_that_is_ahead_brings_about(
    tmp_path: Path, fields: tuple[str, ...] | None
) -> None:
    times = [NOON]
    with Commonplace(tmp_path / "memory.db", now=lambda: times[-1]) as memory:

        def write_on(days: float) -> bool:
            """Whether the deleted one is still there after a write of that day."""
            times.append(NOON + timedelta(days=days))
            memory.documents.write(("memories",), "other.json", '{"likes": "tea"}', form="json", fields=fields)
            return bool(memory.documents.versions(*PLACE))

        memory.documents.write(*PLACE, '{"plays": "the bassoon"}', form="json", fields=fields)
        memory.documents.delete(*PLACE)
        assert [write_on(days) for days in (1_000, 5, 29, 29.9)] == [True] * 4
        assert not write_on(30.1)
        assert refusal(lambda: memory.documents.undo(*PLACE)).code is ErrorCode.NOT_FOUND


def test_a_write_that_died_before_its_memories_is_whole_with_the_next(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from commonplace.use_cases import documents

    with monkeypatch.context() as patched:
        patched.setattr(documents, "settle", lambda document, *_: document)
        memory.documents.write(*PLACE, "I play the bassoon.\n\nI live in Vienna.")
    assert active(memory) == set()
    memory.documents.write(*PLACE, "I live in Vienna.")
    assert active(memory) == {(DOCUMENTS, "I live in Vienna.")}


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        exec(compile(code, "docs/documents.md", "exec"), {})
