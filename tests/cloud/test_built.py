"""What the template's functions are built of, and what a built folder weighs."""

from pathlib import Path

import pytest

from cloud.built import folders, unzipped, zipped
from tests.stack import Stack


@pytest.mark.parametrize("function", Stack().functions())
def test_a_function_is_its_own_folder_and_its_layers(function: str) -> None:
    own, *layers = folders(function, "arm64")
    assert own.parts[-3:] == (".aws-sam", "arm64", f"{function.title()}Function")
    assert [layer.name for layer in layers] == Stack().functions()[function]["Layers"]


def test_a_folder_weighs_what_its_files_do(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "app.py").write_bytes(b"x" * 3_000_000)
    (tmp_path / "readme").write_bytes(b"y" * 500_000)
    assert unzipped(tmp_path) == 3.5
    assert 0 < zipped(tmp_path) < 0.1
