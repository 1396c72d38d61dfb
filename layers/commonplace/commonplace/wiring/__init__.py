"""The composition root: the only room that knows adapters; each is imported when it is first needed."""

from commonplace.wiring.cloud import Maintenance, open_cloud, open_leaving, open_maintenance, open_models, open_upkeep
from commonplace.wiring.local import Opened, local_clock, open_local
from commonplace.wiring.nights import NightWork, open_night_work
from commonplace.wiring.pages import folder_pages

__all__ = [
    "Maintenance",
    "NightWork",
    "Opened",
    "folder_pages",
    "local_clock",
    "open_cloud",
    "open_leaving",
    "open_local",
    "open_maintenance",
    "open_models",
    "open_night_work",
    "open_upkeep",
]
