from pathlib import Path

import pytest

from commonplace import Commonplace
from tests.integration.command_line import run, run_process, stored

pytestmark = pytest.mark.integration


def records(memory_file: Path, user_id: str = "local") -> list[dict[str, object]]:
    with Commonplace(memory_file, user_id=user_id) as memory:
        return list(memory.export())


def test_a_person_sees_what_was_made_of_it(memory_file: Path) -> None:
    done = run("store", "I play the cello on Sundays.", "--db", str(memory_file), home=memory_file.parent)
    assert (done.code, done.err) == (0, "")
    (record,) = records(memory_file)
    assert str(record["memory_id"]) in done.out
    assert str(record["category"]) in done.out


def test_a_machine_gets_exactly_the_answer_of_the_tool(memory_file: Path) -> None:
    done = run("--json", "store", "I play the cello.", "--db", str(memory_file), home=memory_file.parent)
    assert set(done.answer) == {"success", "memory_id", "analysis", "recommendations"}
    assert done.out.count("\n") == 1


def test_the_same_again_is_the_same_memory(memory_file: Path) -> None:
    assert stored("I play the cello.", memory_file) == stored("i play  the CELLO.", memory_file)
    again = run("store", "I play the cello.", "--db", str(memory_file), home=memory_file.parent)
    assert "was there already" in again.out
    assert "already there as" in again.out
    assert "stored as" not in again.out


def test_every_override_is_honoured(memory_file: Path) -> None:
    options = (
        "--category", "reminders", "--importance", "5", "--tag", "Bills", "--tag", "flat", "--source", "agent",
        "--note", "asked twice", "--expires", "2199-01-01", "--timezone", "Asia/Tokyo",
    )  # fmt: skip
    done = run("store", "The rent is due on the third.", *options, "--db", str(memory_file), home=memory_file.parent)
    assert (done.code, done.err) == (0, "")
    (record,) = records(memory_file)
    assert record["category"] == "reminders"
    assert record["importance"] == 1.0
    assert {"bills", "flat"} <= set(record["tags"])  # type: ignore[call-overload]
    assert record["source"] == "agent"
    assert record["user_note"] == "asked twice"
    assert record["expires_at"] == "2199-01-01T00:00:00+09:00"


def test_the_text_may_come_from_stdin(memory_file: Path) -> None:
    done = run("store", "-", "--db", str(memory_file), home=memory_file.parent, stdin="Ich trinke Grünen Tee. 緑茶。\r\n")
    assert done.code == 0
    assert records(memory_file)[0]["raw_text"] == "Ich trinke Grünen Tee. 緑茶。"


def test_each_user_has_memories_of_their_own(memory_file: Path) -> None:
    run("--user", "ana", "store", "I play the cello.", "--db", str(memory_file), home=memory_file.parent)
    assert [record["user_id"] for record in records(memory_file, "ana")] == ["local|ana"]
    assert records(memory_file, "ben") == []


def test_what_stands_after_the_verb_wins(memory_file: Path) -> None:
    elsewhere = str(memory_file.with_name("other.db"))
    text = "I play the cello."
    run("--db", elsewhere, "--user", "ben", "store", text, "--db", str(memory_file), "--user", "ana", home=memory_file.parent)
    assert len(records(memory_file, "ana")) == 1
    assert not Path(elsewhere).exists()


def test_without_a_file_it_is_the_one_in_the_home(tmp_path: Path) -> None:
    done = run_process("store", "I play the cello.", home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert len(records(tmp_path / ".commonplace" / "memory.db")) == 1


def test_the_environment_names_file_and_user(memory_file: Path) -> None:
    environment = {"COMMONPLACE_DB": str(memory_file), "COMMONPLACE_USER": "ana"}
    run("store", "I play the cello.", home=memory_file.parent, environment=environment)
    assert len(records(memory_file, "ana")) == 1


def test_a_secret_is_told_and_not_kept(memory_file: Path) -> None:
    text = "My wifi password is 7hQ-plover-92x and the router stands in the hall."
    done = run("store", text, "--db", str(memory_file), home=memory_file.parent)
    assert "redacted" in done.out
    assert "plover" not in done.out + done.err
    assert all(b"plover" not in file.read_bytes() for file in memory_file.parent.iterdir() if file.is_file())
