"""Searching without an index: the user's newest records are read and looked through, each time."""

from commonplace.adapters.scan.facts import ScanFacts
from commonplace.adapters.scan.index import ScanIndex
from commonplace.adapters.scan.rationed import RationedRecords

__all__ = ["RationedRecords", "ScanFacts", "ScanIndex"]
