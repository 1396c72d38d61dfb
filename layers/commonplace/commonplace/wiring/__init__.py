"""The composition root: the only room that knows adapters; each is imported when it is first needed."""

from commonplace.wiring.cloud import Maintenance, open_cloud, open_maintenance, open_models, open_upkeep
from commonplace.wiring.local import Opened, local_clock, open_local

__all__ = [
    "Maintenance",
    "Opened",
    "local_clock",
    "open_cloud",
    "open_local",
    "open_maintenance",
    "open_models",
    "open_upkeep",
]
