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
from commonplace.domain.consistency import Scope
from tests.fuzz.conftest import Kept, open_file
from tests.fuzz.effort import MARKS, attempt, examples
from tests.fuzz.hostile import SAYINGS
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
    "leave": lambda memory, _, __: memory.erasure().erase(),
    "check": lambda memory, _, __: memory.check(),
    "validate": lambda memory, _, __: memory.validate_storage(),
    "repair": lambda memory, _, __: memory.repair_index("all", dry_run=False),
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


_DERIVED = {
    "memories": "change fingerprint version status agent_id collection key memory_type category section content_type importance"
    " emotion subject happened_at happened_day created_at valid_from valid_to expires_at session_id position speaker length"
    " question instruction preference embedding embedding_model",
    "tags": "tag memories",
    "changes": "last",
    "words_content": "c0 c1",
    "words_data": "block",
    "words_docsize": "sz",
    "words_idx": "pgno",
}  # fmt: skip
_CELLS = [(table, column) for table, columns in _DERIVED.items() for column in columns.split()]
_WRONG = (
    "NULL",
    "-1",
    "1e300",
    "'2026'",
    "x'c328'",
    "''",
    'substr("{0}", 1, length("{0}") / 2)',
    "\"{0}\" || 'x'",
    '"{0}" + 1',
)


@examples(25)
@given(
    damage=st.lists(
        st.tuples(st.sampled_from(_CELLS), st.sampled_from((*_WRONG, "gone")), st.integers(1, 4)), min_size=1, max_size=5
    ),
    scope=st.sampled_from(["missing", "all"]),
)
def test_whatever_is_derived_is_derived_again(
    kept: Kept, damage: list[tuple[tuple[str, str], str, int]], scope: Scope
) -> None:
    with kept.opened() as (whole, file):
        expected, records = _answers(whole), list(whole.export())
        whole.close()
        for (table, column), wrong, each in damage:
            where = "" if table == "changes" else f"WHERE {'pgno' if table == 'words_idx' else 'rowid'} % {each} = 0"
            if table == "tags":
                where = f"WHERE length(tag) % {each} = 0"
            done = f"DELETE FROM {table}" if wrong == "gone" else f"UPDATE {table} SET {column} = {wrong.format(column)}"
            if (table, wrong) != ("memories", "gone"):
                with closing(sqlite3.connect(file, isolation_level=None)) as connection, suppress(sqlite3.Error):
                    connection.execute(f"{done} {where}")
        with open_file(file) as memory:
            planned = memory.repair_index(scope)
            assert memory.repair_index(scope, dry_run=False).failed == planned.failed == []
            assert memory.validate_storage().findings == []
        with open_file(file) as memory:
            assert _answers(memory) == expected
            assert [_without_usage(one) for one in memory.export()] == [_without_usage(one) for one in records]


def _answers(memory: Commonplace) -> list[list[tuple[str, float]]]:
    asked = ("Who moved to Berlin?", "garden", SAYINGS[0], SAYINGS[-1], "what did I plant")
    return [[(hit.id, hit.relevance_score) for hit in memory.search_memory(query).results] for query in asked]


def _without_usage(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "access_count": 0, "last_accessed": None}


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
