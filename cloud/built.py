"""The folders that `make built` made of the template's functions and layers, and what they weigh."""

import io
import platform
import zipfile
from functools import cache
from pathlib import Path

from cloud.template import PATH, Template

ROOT = PATH.parent
HOST = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())


def folder(name: str, architecture: str = HOST) -> Path:
    """What was built of a function or layer, by its name in the template."""
    return ROOT / ".aws-sam" / architecture / name


def folders(function: str, architecture: str = HOST) -> list[Path]:
    """The folders that a function is made of: its own, then its layers."""
    return [folder(part, architecture) for part in _template().functions[function].parts]


def unzipped(built: Path) -> float:
    """MB of a folder's files."""
    return sum(path.stat().st_size for path in _files(built)) / 1e6


def zipped(built: Path) -> float:
    """MB of the archive that a folder is uploaded as."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(built):
            archive.write(path, path.relative_to(built))
    return target.tell() / 1e6


@cache
def _template() -> Template:
    return Template()


def _files(built: Path) -> list[Path]:
    return [path for path in built.rglob("*") if path.is_file()]
