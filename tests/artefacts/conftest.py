"""These run what `make artefacts` has built, and by it alone: building takes minutes."""

import os

collect_ignore_glob = [] if os.environ.get("COMMONPLACE_ARTEFACTS") else ["test_*.py"]
