"""What `.ci/run` installs on a machine that has nothing, with stand-ins for the programs of that machine."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BASH = shutil.which("bash") or "/bin/bash"


def program(folder: Path, name: str, script: str = "") -> None:
    """A program of this name on the PATH that the folder is."""
    path = folder / name
    path.write_text(f"#!{BASH}\n{script}\n", "utf-8")
    path.chmod(0o755)


def install_chromium(programs: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [BASH, str(ROOT / ".ci" / "install_chromium.sh")],
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )


def package_manager(programs: Path, calls: Path, on_install: str) -> None:
    """An `apt-get` that notes its calls, run by root."""
    program(programs, "id", "echo 0")
    program(programs, "apt-get", f'echo "$*" >> {calls}\nif [ "$1" = install ]; then {on_install}; fi')


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
def test_a_chromium_that_is_there_is_used(tmp_path: Path, name: str) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    program(programs, name)
    package_manager(programs, tmp_path / "calls", "exit 1")
    assert install_chromium(programs).returncode == 0
    assert not (tmp_path / "calls").exists()


def test_a_chromium_that_is_missing_is_installed(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    chromium = programs / "chromium"
    package_manager(programs, tmp_path / "calls", f'echo > {chromium}; "{shutil.which("chmod")}" +x {chromium}')
    assert install_chromium(programs).returncode == 0
    assert (tmp_path / "calls").read_text("utf-8").splitlines() == ["update --quiet", "install --yes chromium"]


@pytest.mark.parametrize("has_package_manager", [True, False])
def test_it_fails_and_says_so_if_none_can_be_installed(tmp_path: Path, has_package_manager: bool) -> None:
    if has_package_manager:
        package_manager(tmp_path, tmp_path / "calls", "exit 100")
    done = install_chromium(tmp_path)
    assert done.returncode == 1
    assert "No Chromium" in done.stderr


def test_a_run_stops_at_once_and_names_everything_that_is_missing(tmp_path: Path) -> None:
    for name in ("dirname", "git", "node"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    program(tmp_path, "make")
    done = subprocess.run(
        [BASH, str(ROOT / ".ci" / "run")], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "Missing on this machine: java mvn npm Python-3.11 Python-3.13\n"
