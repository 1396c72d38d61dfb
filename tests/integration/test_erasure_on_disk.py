"""What is erased is nowhere in the file: not in the record, its words, tags and audits, nor in what was there before."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace.bootstrap.local import OpenStore, open_local
from commonplace.domain.interactions import INTERACTION
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run
from commonplace.memories.vectors import to_bytes
from commonplace.ports.values import Audit, Change, Entry, Operation
from commonplace.settings import Settings
from tests.conftest import NOON

pytestmark = pytest.mark.integration

ANA = "local|ana"
SECRET = "zanzibar"
WORDLESS = {"raw_text": "", "normalized_text": "", "tags": (), "concepts": (), "evidence": None, "embedding_model": None}


@pytest.fixture
def opened(memory_file: Path, word_vectors: None) -> Iterator[OpenStore]:
    local = open_local(Settings(db=memory_file))
    yield local
    local.close()


def entry(opened: OpenStore, number: int, text: str, tags: tuple[str, ...] = ()) -> Entry:
    fields = {
        "memory_id": f"mem_{number}", "user_id": ANA, "raw_text": text, "normalized_text": text, "tags": tags, "evidence": text,
        "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": NOON,
        "updated_at": NOON, "embedding_model": opened.ports.embedder.name,
    }  # fmt: skip
    memory = Memory.model_validate(fields)
    return Entry(memory, opened.ports.embedder.embed(text), Audit("store", NOON, {"said": text}))


def on_disk(memory_file: Path, what: bytes) -> list[str]:
    """The files beside the memory file, and itself, that hold it."""
    return [path.name for path in memory_file.parent.iterdir() if what in path.read_bytes().lower()]


def fill(opened: OpenStore, first: int) -> None:
    """So many memories that pages are split and segments of the word index merged."""
    opened.ports.records.add(
        [entry(opened, first + n, f"Line {first + n} of many: tea and biscuits " * 9) for n in range(150)]
    )


def test_no_word_and_no_vector_of_an_erased_memory_is_left(opened: OpenStore, memory_file: Path) -> None:
    ports = opened.ports
    fill(opened, 1_000)
    secret = entry(opened, 1, f"Ana went to {SECRET}. " + "It was hot there. " * 300, (SECRET,))
    vector = to_bytes(secret.vector)
    assert vector is not None
    ports.records.add([secret])
    for version in range(2, 6):  # each time it moves
        fill(opened, version * 10_000)
        (memory,) = ports.records.get(ANA, ["mem_1"])
        changed = memory.model_copy(update={"version": version, "raw_text": memory.raw_text + " Really." * 40 * version})
        ports.records.update(changed, Audit("change", NOON, {"said": changed.raw_text}), secret.vector)
    (memory,) = ports.records.get(ANA, ["mem_1"])
    assert on_disk(memory_file, SECRET.encode())
    gone = memory.model_copy(update={"version": memory.version + 1, "status": "deleted", **WORDLESS})
    change = Change(gone, Audit("forget", NOON, {}), before=memory, erases=True)
    assert ports.operations.apply(Operation("op_1", ANA, "FORGET", NOON, closes=(change,)))
    assert on_disk(memory_file, SECRET.encode()) == []  # while it is open
    opened.close()
    assert on_disk(memory_file, SECRET.encode()) == []
    assert on_disk(memory_file, vector[:64]) == []


def test_a_reader_at_work_holds_the_erasure_up_only_until_the_next_write(opened: OpenStore, memory_file: Path) -> None:
    ports = opened.ports
    ports.records.add([entry(opened, 1, f"Ana went to {SECRET}")])
    other = open_local(Settings(db=memory_file))
    (memory,) = ports.records.get(ANA, ["mem_1"])
    with other.ports.records._database.reading() as reading:  # type: ignore[attr-defined]
        assert reading.execute("SELECT count(*) FROM memories").fetchone() == (1,)
        gone = memory.model_copy(update={"version": 2, "status": "deleted", **WORDLESS})
        change = Change(gone, Audit("forget", NOON, {}), before=memory, erases=True)
        assert ports.operations.apply(Operation("op_1", ANA, "FORGET", NOON, closes=(change,)))
        assert on_disk(memory_file, SECRET.encode())
    ports.records.add([entry(opened, 2, "Ana likes tea")])
    assert on_disk(memory_file, SECRET.encode()) == []
    other.close()


def test_no_word_of_what_was_recorded_is_left_once_its_text_is_dropped(opened: OpenStore, memory_file: Path) -> None:
    night = opened.night()
    fence = night.leases.lease(ANA, NOON, NOON + timedelta(hours=1))
    assert fence is not None
    run = Run(run_id="run_1", user_id=ANA, date=NOON.date(), started_at=NOON)
    told = {"type": "explicit", "time": NOON, "text": f"forget {SECRET} " + "and what I said of it " * 400}
    night.ledger.record(ANA, [INTERACTION.validate_python({**told, "id": str(number)}) for number in range(20)], NOON)
    night.runs.save(run, fence)
    night.parts.save_part(run, "answer", f'{{"content": "The user was in {SECRET}"}}', fence)
    assert on_disk(memory_file, SECRET.encode())
    night.ledger.erase_texts(ANA, [str(number) for number in range(20)])
    night.parts.drop_parts(ANA, run.run_id)
    assert on_disk(memory_file, SECRET.encode()) == []
