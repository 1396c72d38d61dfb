"""A file that is written at once or not at all."""

import os
import shutil
from pathlib import Path
from tempfile import NamedTemporaryFile


def replace(file: Path, body: bytes) -> None:
    """Writes it beside and puts it in the place of the file, whose rights it takes. Raises `OSError`."""
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as made:  # for its owner alone
        try:
            made.write(body)
            made.flush()
            os.fsync(made.fileno())
            made.close()  # no file that is open is replaced on Windows
            if file.exists():
                shutil.copymode(file, made.name)
            Path(made.name).replace(file)
        except BaseException:
            Path(made.name).unlink(missing_ok=True)
            raise
