"""Holds every pin against the published advisories (`make audit`), and says so where they could not be asked.

pip-audit looks them up, out of an environment of its own; nothing is installed for it. Exit codes: 0, nothing is known or
could be asked; 1, something is known of a pin; 2, pip-audit itself failed.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PIP_AUDIT = ROOT / ".venv-audit" / "bin" / "pip-audit"
_NO_NETWORK = re.compile(
    r"could not connect|ConnectionError|NameResolutionError|Failed to resolve|timed out|Max retries", re.I
)


@dataclass
class Found:
    """What is known of the pins of one file. `unasked`: of how many nothing could be asked."""

    pins: int
    unasked: int = 0
    known: list[str] = field(default_factory=list)


def files() -> list[Path]:
    """Every file of pins with hashes."""
    layers = (path for path in (ROOT / "layers").glob("*/*requirements.txt"))
    return sorted([*ROOT.glob("requirements*.txt"), *layers])


def pins_of(file: Path) -> int:
    """How many pins a file has."""
    return len(re.findall(r"^[\w.-]+(\[[^\]]*\])?==", file.read_text("utf-8"), re.M))


def found_in(file: Path, program: Path = PIP_AUDIT) -> Found:
    """What pip-audit tells of a file; `RuntimeError` where it fails for another reason than the network."""
    done = subprocess.run(
        [program, "-r", file, "--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    pins = pins_of(file)
    try:
        told = json.loads(done.stdout)["dependencies"]
    except ValueError:
        if _NO_NETWORK.search(done.stderr):
            return Found(pins, pins)
        raise RuntimeError(f"pip-audit failed on {file}:\n{done.stderr}") from None
    known = [
        f"{one['name']} {one['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version'}"
        for one in told
        for hole in one.get("vulns", ())
    ]
    return Found(pins, sum("skip_reason" in one for one in told), known)


def main(given: Iterable[Path]) -> int:
    """Prints a line for each file, and what is known; the exit code."""
    whole = {file: found_in(file) for file in given}
    for file, found in whole.items():
        name = file.relative_to(ROOT)
        print(f"{name}: {found.pins} pins, {len(found.known)} known holes", end="")
        print(f"; of {found.unasked} the advisories could not be asked" if found.unasked else "")
        print("".join(f"  {line}\n" for line in found.known), end="")
    if unasked := sum(found.unasked for found in whole.values()):
        print(f"the advisories could not be asked of {unasked} of {sum(found.pins for found in whole.values())} pins")
    return int(any(found.known for found in whole.values()))


if __name__ == "__main__":
    try:
        sys.exit(main(files()))
    except (RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
