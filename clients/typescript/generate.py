"""Writes `src/schema.d.ts` from the OpenAPI of the local server: `python -m clients.typescript.generate [--check]`."""

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from commonplace.contract.formats.openapi import write_local
from commonplace.contract.manifest import rows

HERE = Path(__file__).parent
SCHEMA = HERE / "src" / "schema.d.ts"
_URL = "http://127.0.0.1:8787"


def openapi() -> str:
    """The OpenAPI document of the local server, as JSON."""
    return json.dumps(write_local(rows(), _URL))


def first_line() -> str:
    """Name the SHA-256 of the OpenAPI document, so that a unit test sees a stale file without node."""
    return f"// OpenAPI SHA-256: {hashlib.sha256(openapi().encode()).hexdigest()}\n"


def generated() -> str:
    """The types, as openapi-typescript makes them; it must be installed (`make client`)."""
    with tempfile.TemporaryDirectory() as folder:
        document, made = Path(folder, "openapi.json"), Path(folder, "schema.d.ts")
        document.write_text(openapi(), encoding="utf-8")
        command: list[str | Path] = [HERE / "node_modules" / ".bin" / "openapi-typescript", document, "--output", made]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return first_line() + made.read_text("utf-8")


if __name__ == "__main__":
    if "--check" not in sys.argv:
        SCHEMA.write_text(generated(), encoding="utf-8")
    elif SCHEMA.read_text("utf-8") != generated():
        sys.exit(f"{SCHEMA.name} is not up to date: run python -m clients.typescript.generate")
