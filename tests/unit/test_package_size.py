"""What the package adds to each Lambda function, held without building one: `tests/artefacts` holds the functions' own sizes."""

from pathlib import Path

import commonplace

PACKAGE = Path(commonplace.__file__).parent
MOST_MB, MOST_ENCODERS_MB = 8.5, 81.0


def test_the_package_and_its_encoders_stay_within_their_budgets() -> None:
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    encoders = [path for path in files if path.is_relative_to(PACKAGE / "data" / "encoders")]
    weight, of_encoders = (sum(path.stat().st_size for path in some) / 1e6 for some in (files, encoders))
    assert 5.0 < weight - of_encoders <= MOST_MB
    assert 10.0 < of_encoders <= MOST_ENCODERS_MB
