"""A memory of which no record is left is erased by its id: out of backups, and so that nothing brings it back."""

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import ErrorCode
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Alias
from tests.conftest import refusal
from tests.contract.changes import ANA, BEN
from tests.contract.damage import damage_of
from tests.contract.test_backups import applied, at, call, erasable, life, made, reading
from tests.contract.test_erased_ids import erasable as erasable_of

pytestmark = pytest.mark.integration

Purge = Callable[[str], None]
assert life  # a fixture of the backups' tests


@pytest.fixture
def purge(opened: OpenStore, request: pytest.FixtureRequest, tmp_path: Path) -> Purge:
    """Leaves no record and no audit row of a memory."""

    def purged(memory_id: str) -> None:
        damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")(memory_id, b"[]")
        assert opened.erasure().erase_unreadable(ANA, memory_id)

    return purged


def backup_body(ports: Ports, backup_id: str) -> bytes:
    assert ports.files is not None
    found = ports.files.get(ANA, "backup", backup_id, at(0).now)
    assert found is not None
    return gzip.decompress(found[1])


@pytest.mark.parametrize("name", ["id", "17"], ids=["by its id", "by what it was called elsewhere"])
def test_one_that_only_backups_have_goes_from_all_of_them(
    opened: OpenStore, life: dict[str, str], purge: Purge, name: str
) -> None:
    ports, tea = opened.ports, life["tea"]
    backups = [made(ports), made(ports, 1)]
    purge(tea)
    named = tea if name == "id" else name
    assert [one.content for one in erasable(opened, 2).scope(named).memories] == ["Ana drinks green tea."]
    done = erasable(opened, 2).erase_memory(named)
    assert (done.ids, done.memories) == ((tea,), 1)
    for backup_id in backups:
        backup = reading(ports, backup_id).backup
        assert backup is not None
        assert tea.encode() not in backup_body(ports, backup_id)
        assert life["cello"] in {one.memory_id for one in backup.records}
        assert applied(ports, 3, backup_id, "replace").adds == []
    assert ports.erased.among(ANA, [tea, "17", "18", life["cello"]]) == {tea, "17"}
    assert "was erased already" in refusal(lambda: erasable(opened, 4).erase_memory(tea)).message


def test_one_that_only_an_alias_names_leaves_its_hash(opened: OpenStore, life: dict[str, str], purge: Purge) -> None:
    ports, tea = opened.ports, life["tea"]
    purge(tea)
    ports.aliases.add(ANA, [Alias("old/3", tea)])
    assert erasable(opened, 2).erase_memory("old/3").ids == (tea,)
    assert ports.erased.among(ANA, [tea, "old/3"]) == {tea, "old/3"}
    assert [one.memory_id for one in ports.aliases.all(ANA)] == [life["cello"]]


def test_what_is_purged_of_a_history_goes_with_it(opened: OpenStore, life: dict[str, str], purge: Purge) -> None:
    ports = opened.ports
    home = call(ports, "get_memory", at(0), key="home").memory.memory_id
    (first,) = [one.memory_id for one in ports.records.all(ANA) if one.superseded_by == home]
    call(ports, "delete_memory", at(0), key="home")
    ports.aliases.add(ANA, [Alias("19", home)])
    backup_id = made(ports)
    purge(home)
    done = erasable(opened, 2).erase_memory(first)
    assert set(done.ids) == {first, home}
    assert not [one for one in (first, home) if one.encode() in backup_body(ports, backup_id)]
    assert ports.erased.among(ANA, [first, home, "19"]) == {first, home, "19"}


def test_a_name_that_only_a_backup_knows_leads_to_no_memory_that_is_there(opened: OpenStore, life: dict[str, str]) -> None:
    ports = opened.ports
    made(ports)
    ports.aliases.add(ANA, [Alias("17", life["tea"], withdrawn=True)])
    for name in ("17", "18"):
        assert refusal(partial(erasable(opened, 1).erase_memory, name)).code is ErrorCode.NOT_FOUND
    assert call(ports, "get_memory", at(2), memory_id=life["tea"]).memory.value


def test_an_id_that_nothing_knows_is_not_found_and_nobody_elses_is(
    opened: OpenStore, life: dict[str, str], purge: Purge
) -> None:
    backup_id = made(opened.ports)
    purge(life["tea"])
    for ask in (
        lambda: erasable(opened, 1).erase_memory("mem_unknown"),
        lambda: erasable_of(opened, BEN).erase_memory(life["tea"]),
    ):
        assert refusal(ask).code is ErrorCode.NOT_FOUND
    backup = reading(opened.ports, backup_id).backup
    assert backup is not None
    assert life["tea"] in {one.memory_id for one in backup.records}
    assert opened.ports.erased.among(ANA, [life["tea"]]) == opened.ports.erased.among(BEN, [life["tea"]]) == set()
