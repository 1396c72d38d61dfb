import json
import os
import subprocess
from pathlib import Path

import pytest

from commonplace.domain.memory import Memory
from tests.integration.command_line import COMMAND, clean, run, stored

pytestmark = pytest.mark.integration

FORM = '{"commonplace_export": 1}'


def test_every_record_is_a_line_oldest_first(memory_file: Path) -> None:
    texts = ["I play the cello.", "チェロを\u2028弾きます。", "Line one\nline two."]
    ids = [stored(text, memory_file) for text in texts]
    done = run("export", "--db", str(memory_file), home=memory_file.parent)
    assert (done.code, done.err) == (0, "")
    form, *lines = done.out.removesuffix("\n").split("\n")
    assert form == FORM
    records = [Memory.model_validate_json(line) for line in lines]
    assert [record.memory_id for record in records] == ids
    assert [record.raw_text for record in records] == texts


def test_an_empty_file_gives_no_record(tmp_path: Path) -> None:
    done = run("export", home=tmp_path)
    assert (done.code, done.out, done.err) == (0, f"{FORM}\n", "")


def test_only_the_memories_of_the_user_are_given(memory_file: Path) -> None:
    stored("I play the cello.", memory_file)
    assert run("export", "--user", "ana", "--db", str(memory_file), home=memory_file.parent).out == f"{FORM}\n"


def test_a_reader_that_goes_away_makes_no_noise(memory_file: Path, tmp_path: Path) -> None:
    turns = [{"session_id": "s", "position": n, "speaker": "user", "text": "blather " * 600} for n in range(20)]
    file = tmp_path / "turns.json"
    file.write_text(json.dumps(turns), encoding="utf-8")
    run("import", str(file), "--apply", "--db", str(memory_file), home=tmp_path)
    reader, writer = os.pipe()
    export = subprocess.Popen(
        [COMMAND, "export", "--db", str(memory_file)], stdout=writer, stderr=subprocess.PIPE, env=clean(tmp_path)
    )
    os.close(writer)
    assert os.read(reader, 10)
    os.close(reader)
    _, noise = export.communicate(timeout=60)
    assert noise == b""
