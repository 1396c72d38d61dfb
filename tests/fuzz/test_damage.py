"""Memory files with damage of any kind: what can be read is read, and the rest is an error that names the file."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace, CommonplaceError
from tests.fuzz.conftest import Kept, open_file
from tests.fuzz.effort import MARKS, attempt, examples
from tests.integration.command_line import run

pytestmark = MARKS
_SOME = 5  # seconds of process time
_PAGE = 4096  # bytes
_DAMAGE = st.lists(
    st.tuples(
        st.sampled_from(["cell", "cell", "cell", "cell", "words", "bytes", "zeros", "cut", "page"]),
        st.integers(0, 2**31),
        st.binary(min_size=1, max_size=64),
    ),
    min_size=1,
    max_size=3,
)
_WORK: Mapping[str, Callable[[Commonplace, str, Path], Any]] = {
    "search": lambda memory, _, __: memory.search_memory("Who moved to Berlin?"),
    "list": lambda memory, _, __: memory.list_memories(),
    "get": lambda memory, known, _: memory.get_memory(known),
    "key": lambda memory, _, __: memory.get_memory(key="garden.plan"),
    "history": lambda memory, known, _: memory.history(memory_id=known),
    "context": lambda memory, _, __: memory.get_memory_context("Berlin"),
    "discover": lambda memory, _, __: memory.discover_memory_tools(),
    "store": lambda memory, _, __: memory.store_memory("I planted three plum trees."),
    "update": lambda memory, known, _: memory.update_memory(memory_id=known, importance=5),
    "delete": lambda memory, known, _: memory.delete_memory(memory_id=known),
    "export": lambda memory, _, __: list(memory.export()),
    "import": lambda memory, _, __: memory.import_turns([{"role": "user", "content": "I planted plum trees."}]),
    "record": lambda memory, _, __: memory.record_interactions([{"type": "explicit", "text": "Remember that I like plums."}]),
    "night": lambda memory, _, __: memory.nightly("rules"),
    "runs": lambda memory, _, __: memory.runs(),
    "undo": lambda memory, _, __: memory.undo("last"),
    "pages": lambda memory, _, folder: memory.write_markdown(folder),
    "reindex": lambda memory, _, __: memory.reindex(),
    "erase": lambda memory, known, _: memory.erase(known),
    "leave": lambda memory, _, __: memory.leaving().erase(),
}


@examples(25)
@given(damage=_DAMAGE, work=st.lists(st.sampled_from(sorted(_WORK)), min_size=1, max_size=4), number=st.integers(0, 9))
def test_a_damaged_file_is_read_as_far_as_it_goes(
    kept: Kept, damage: list[tuple[str, int, bytes]], work: list[str], number: int
) -> None:
    known = kept.ids[1 + number % (len(kept.ids) - 1)]
    with kept.opened() as (whole, file):
        whole.close()
        _damage(file, damage)
        memory = attempt("damaged: open", lambda: open_file(file), _SOME)
        if isinstance(memory, CommonplaceError):
            return
        with memory:
            for name in work:
                attempt(f"damaged: {name}", partial(_WORK[name], memory, known, file.parent / "pages"), _SOME)


@examples(10)
@given(damage=_DAMAGE)
def test_the_doctor_can_be_asked_about_it(kept: Kept, damage: list[tuple[str, int, bytes]]) -> None:
    with kept.opened() as (whole, file):
        whole.close()
        _damage(file, damage)
        done = run("doctor", "--db", str(file), home=file.parent)
        assert done.code in (0, 4, 5), done


def _damage(file: Path, damage: list[tuple[str, int, bytes]]) -> None:
    """Changes single cells, then bytes of the file."""
    with closing(sqlite3.connect(file)) as connection:
        for _, number, some in (one for one in damage if one[0] == "cell"):
            _damage_cell(connection, number, some)
        connection.commit()
    _damage_bytes(file, [one for one in damage if one[0] != "cell"])


def _damage_cell(connection: sqlite3.Connection, number: int, some: bytes) -> None:
    """Another value in a column of our tables, as far as SQLite lets it in: half of it, other bytes, a number, nothing."""
    columns = connection.execute(
        "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.sql LIKE"
        " 'CREATE TABLE %' AND t.name NOT LIKE 'words%' ORDER BY 1, 2"
    ).fetchall()
    table, column = columns[number % len(columns)]
    old = f'substr("{column}", 1, length("{column}") / 2)'
    wrong = f"""json_set("{column}", '$.' || (SELECT key FROM json_each("{column}") LIMIT 1 OFFSET {number % 40}), 'x')"""
    for value in [(old, "?", "NULL", "-1e300", "'{}'", wrong)[some[0] % 6], old]:
        with suppress(sqlite3.Error):
            where = f"WHERE rowid % {1 + some[-1] % 3} = 0" if table == "memories" else ""
            connection.execute(f'UPDATE "{table}" SET "{column}" = {value} {where}', [some] * (value == "?"))
            return


def _damage_bytes(file: Path, damage: list[tuple[str, int, bytes]]) -> None:
    """Changes some bytes, zeroes or swaps a page, cuts the end off, or changes letters of what records say."""
    content = bytearray(file.read_bytes())
    for how, number, some in damage:
        at = number % max(1, len(content))
        page = at - at % _PAGE
        if how == "bytes":
            content[at : at + len(some)] = some
        elif how == "zeros":
            content[page : page + _PAGE] = bytes(_PAGE)
        elif how == "cut":
            del content[max(at, _PAGE) :]
        elif how == "page":
            content[page : page + _PAGE] = content[-_PAGE:]
        elif (found := content.find(b'{"', at)) >= 0:
            content[found + number % 400 : found + number % 400 + len(some)] = some
    file.write_bytes(content)
