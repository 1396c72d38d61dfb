"""The distribution as it is built: its name, its licence, what a plain install brings, and the names that it exports."""

import re
import shutil
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import commonplace
from tests.integration.command_line import run

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
_UI = ROOT / "layers/commonplace/commonplace/interfaces/ui"
_BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", "NOTICE.md")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for name in _BUILT_FROM:
        shutil.copy(ROOT / name, source)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "layers/commonplace", source / "layers/commonplace", ignore=ignored)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
    ]
    subprocess.run([*pip, "--no-index", "--wheel-dir", str(built), str(source)], check=True, timeout=120)
    (path,) = built.iterdir()
    return path


def read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(f"commonplace_memory-{commonplace.__version__}.dist-info/{name}").decode()


def metadata(wheel: Path) -> Message:
    return Parser().parsestr(read(wheel, "METADATA"))


def test_its_name_and_version(wheel: Path) -> None:
    about = metadata(wheel)
    assert (about["Name"], about["Version"]) == ("commonplace-memory", commonplace.__version__)
    assert "commonplace = commonplace.interfaces.cli:main" in read(wheel, "entry_points.txt")


def test_its_licence(wheel: Path) -> None:
    about = metadata(wheel)
    assert about["License-Expression"] == "Apache-2.0"
    assert about.get_all("License-File") == ["LICENSE", "NOTICE.md"]
    assert "Apache License\n                           Version 2.0, January 2004" in read(wheel, "licenses/LICENSE")
    assert "Universal Sentence Encoder" in read(wheel, "licenses/NOTICE.md")


def test_what_is_optional_is_in_an_extra(wheel: Path) -> None:
    about = metadata(wheel)
    needs = about.get_all("Requires-Dist", [])
    assert sorted(about.get_all("Provides-Extra", [])) == [
        "aws", "claude", "langchain", "langgraph", "openai-agents", "pydantic-ai", "strands",
    ]  # fmt: skip
    assert [need for need in needs if need.startswith("anthropic")] == ['anthropic<3,>=2.11; extra == "claude"']
    served = {"mcp", "starlette", "uvicorn", "waitress", "werkzeug"}
    assert {need for need in needs if need.split("<")[0] in served} == {
        "mcp<3,>=2.1",
        "starlette<2,>=1.10",
        "uvicorn<1,>=0.54",
    }
    of_aws = {need.split(">")[0].split("<")[0] for need in needs if 'extra == "aws"' in need}
    assert of_aws == {"aws-lambda-powertools", "aws-xray-sdk", "boto3", "opensearch-py"}


def test_the_wheel_holds_the_models_the_types_and_the_page(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"commonplace/py.typed", "commonplace/data/encoders/use/words3.npy", "commonplace/data/classifier.npz"} <= names
    page = _UI.rglob("*.*")
    assert {f"commonplace/interfaces/ui/{path.relative_to(_UI)}" for path in page if path.suffix != ".pyc"} <= names


def test_what_the_root_exports_is_there() -> None:
    assert {"Commonplace", "CommonplaceError", "ErrorCode", "Settings", "__version__"} <= set(commonplace.__all__)
    assert all(getattr(commonplace, name) for name in commonplace.__all__)
    assert commonplace.Settings(user="ana").user == "ana"
    with pytest.raises(AttributeError, match="nothing"):
        commonplace.nothing  # noqa: B018 - the look-up is what is tried


def test_the_command_tells_the_version(tmp_path: Path) -> None:
    assert run("--version", home=tmp_path).out == f"commonplace {commonplace.__version__}\n"


def test_the_oldest_mcp_that_is_tested_is_the_oldest_that_is_allowed() -> None:
    (allowed,) = set(re.findall(r'"mcp>=([\d.]+),', (ROOT / "pyproject.toml").read_text("utf-8")))
    pinned = re.findall(r"^mcp(?:-types)?==([\d.]+) ", (ROOT / "tests/mcp_oldest.txt").read_text("utf-8"), re.MULTILINE)
    assert [version.removesuffix(".0") for version in pinned] == [allowed, allowed]
