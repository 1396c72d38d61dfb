"""Gets the jars of a server by Maven into a cache outside the repository, and holds each against a committed SHA-256.

`python -m cloud.fetch` gets both servers; `--write` downloads anew and writes `artefacts.sha256` from what came, which is
what to do (and to review) after a change of `pom.xml`.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE / "artefacts.sha256"
SERVERS = ("opensearch", "dynamodb")
JAVA = 17
_NEEDED = (
    f"Java {JAVA} or newer and Maven are needed (Debian: apt-get install openjdk-{JAVA}-jre-headless maven; "
    f"macOS: brew install openjdk@{JAVA} maven)"
)


class CannotRun(Exception):  # noqa: N818 - a state of this machine; the message says what to install
    """This machine lacks what the servers need."""


def cache() -> Path:
    """Where downloads are kept: `COMMONPLACE_CACHE`, or `~/.cache/commonplace`."""
    return Path(os.environ.get("COMMONPLACE_CACHE") or Path.home() / ".cache" / "commonplace")


def java() -> str:
    """The path of a Java that is new enough; raises `CannotRun`."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    told = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr if found else ""
    version = re.search(r'version "(\d+)', told)  # macOS has a `java` that only says that there is none
    if not found or not version or int(version[1]) < JAVA:
        raise CannotRun(f"there is no Java {JAVA} here: {_NEEDED}")
    return found


def fetch(server: str) -> Path:
    """The folder with a server's jars, and its plugins unpacked, each in a folder of its own.

    A folder is there only when all of it was checked, so that a second call looks no further. Its name tells which list it
    was checked against. Raises `CannotRun` without Java, Maven or the network, `ValueError` for a file with another content.
    """
    java()
    wanted = _listed(server)
    digest = hashlib.sha256(repr(sorted(wanted.items())).encode()).hexdigest()[:12]
    folder = cache() / f"{server}-{digest}"
    if folder.is_dir():
        return folder
    with _downloaded(server) as came:
        path = Path(came)
        _compare(server, wanted, _digests(path))
        for plugin in path.glob("*.zip"):
            with zipfile.ZipFile(plugin) as packed:
                packed.extractall(path / "plugins" / plugin.stem)
        try:
            path.rename(folder)
        except OSError:  # another process was faster, with the same files
            if not folder.is_dir():
                raise
        else:
            path.mkdir()  # for the temporary folder's own end
    return folder


def _downloaded(server: str) -> "tempfile.TemporaryDirectory[str]":
    maven = shutil.which("mvn")
    if maven is None:
        raise CannotRun(f"there is no Maven here: {_NEEDED}")
    cache().mkdir(parents=True, exist_ok=True)
    folder = tempfile.TemporaryDirectory(prefix=f"{server}-", dir=cache())
    command = [maven, "-q", "-B", "-f", str(HERE / "pom.xml"), f"-P{server}", "dependency:copy-dependencies"]
    options = [f"-DoutputDirectory={folder.name}", "-DincludeScope=runtime"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        folder.cleanup()
        errors = [line for line in done.stdout.splitlines() if "ERROR" in line]
        raise CannotRun(f"Maven could not get {server}: {errors[0] if errors else done.stderr.strip()}")
    return folder


def _digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


def _listed(server: str) -> dict[str, str]:
    lines = (line.split() for line in LIST.read_text("utf-8").splitlines())
    return {Path(name).name: digest for digest, name in lines if name.startswith(f"{server}/")}


def _compare(server: str, wanted: dict[str, str], came: dict[str, str]) -> None:
    wrong = sorted(name for name in wanted.keys() | came.keys() if wanted.get(name) != came.get(name))
    if wrong:
        raise ValueError(f"{server}: not as {LIST.name} has it: {', '.join(wrong)}")


def _write() -> None:
    lines = []
    for server in SERVERS:
        with _downloaded(server) as came:
            lines += [f"{digest}  {server}/{name}\n" for name, digest in sorted(_digests(Path(came)).items())]
    LIST.write_text("".join(lines), "utf-8")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m cloud.fetch", description="Gets the real servers for tests and make cloud."
    )
    parser.add_argument("--write", action="store_true", help="write artefacts.sha256 from what Maven brings now")
    try:
        if parser.parse_args().write:
            _write()
        for server in SERVERS:
            print(fetch(server))
    except (CannotRun, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
