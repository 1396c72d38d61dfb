"""Reading a time range from a search query: "last week", "before 2023", "gestern Abend"."""

from commonplace.timerange.reader import Granularity, TimeRange, read_time_range

__all__ = ["Granularity", "TimeRange", "read_time_range"]
