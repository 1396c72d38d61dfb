"""Outlines as they may be kept, drawn for the laws of what counts them."""

from datetime import UTC, datetime

from hypothesis import strategies as st

from commonplace.domain.outline import Outline

MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(8999, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC).timestamp())
OUTLINES = st.builds(
    Outline,
    memory_id=st.uuids().map(str),
    agent_id=st.sampled_from(["global", "chef"]),
    status=st.sampled_from(["active", "superseded", "archived", "deleted"]),
    memory_type=st.sampled_from(["fact", "habit"]),
    category=st.sampled_from(["contexts", "projects"]),
    section=st.just("preference"),
    collection=st.text(min_size=1, max_size=2),
    durability=st.sampled_from(["durable", "daily"]),
    created_at=MOMENTS,
    happened_at=MOMENTS,
    valid_from=st.none() | MOMENTS,
    valid_to=st.none() | MOMENTS,
    expires_at=st.none() | MOMENTS,
    superseded_by=st.none() | st.just("mem_new"),
    tags=st.lists(st.sampled_from("abcdef"), max_size=4).map(tuple),
    concepts=st.lists(st.sampled_from(["tea", "Teas", "js", "JavaScript", "cello", "日本"]), max_size=4).map(tuple),
    record_bytes=st.integers(0, 10_000),
)
