"""Replace a file atomically."""

import os
import shutil
from pathlib import Path
from tempfile import NamedTemporaryFile


def replace(file: Path, body: bytes) -> None:
    """Replace `file` atomically, keeping its permissions. The new file is first written next to it. Raises `OSError`."""
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as made:  # readable only by its owner
        try:
            made.write(body)
            made.flush()
            os.fsync(made.fileno())
            made.close()  # Windows does not replace open files
            if file.exists():
                shutil.copymode(file, made.name)
            Path(made.name).replace(file)
        except BaseException:
            Path(made.name).unlink(missing_ok=True)
            raise
