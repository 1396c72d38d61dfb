"""Each port's suite runs over every adapter: add one here and all the laws are its own."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace.models.memory import Memory
from commonplace.ports import Audit, Entry, Ports
from commonplace.settings import Settings
from commonplace.wiring import open_local
from tests.conftest import NOON


@pytest.fixture(params=["sqlite"])
def ports(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ports]:
    assert request.param == "sqlite"
    local = open_local(Settings(db=tmp_path / "memory.db"))
    yield local.ports
    local.close()


class Writer:
    """Puts memories into the record store, numbered, a second apart."""

    def __init__(self, ports: Ports) -> None:
        self._ports, self._written = ports, 0

    def entry(self, text: str, user_id: str = "local|ana", **fields: object) -> Entry:
        self._written += 1
        at = NOON + timedelta(seconds=self._written)
        vector = self._ports.embedder.embed(text)
        whole = {
            "memory_id": f"mem_{self._written:026d}", "user_id": user_id, "raw_text": text, "normalized_text": text,
            "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": at,
            "updated_at": at, "embedding_model": self._ports.embedder.name if vector is not None else None, **fields,
        }  # fmt: skip
        return Entry(Memory.model_validate(whole), vector, Audit("store", at, {"tool": "test"}))

    def write(self, text: str, user_id: str = "local|ana", **fields: object) -> Memory:
        ((memory, _),) = self._ports.records.add([self.entry(text, user_id, **fields)])
        return memory


@pytest.fixture
def writer(ports: Ports) -> Writer:
    return Writer(ports)
