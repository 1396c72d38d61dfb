"""Pictures: the same for the same memories, nothing outside them, and no memory more or less than there is."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.analysis import Month, NetworkLink, NetworkNode
from commonplace.interfaces.ui import drawing

NAMES = st.lists(st.text(min_size=1, max_size=30), max_size=14, unique=True)
MONTHS = st.lists(
    st.builds(
        lambda year, month, added, closed: Month(month=f"{year:04}-{month:02}", added=added, closed=closed),
        st.integers(1, 9000), st.integers(1, 12), st.integers(0, 50), st.integers(0, 50),
    ),
    max_size=60, unique_by=lambda one: one.month,
).map(lambda months: sorted(months, key=lambda one: one.month))  # fmt: skip


def nodes_of(names: list[str]) -> list[NetworkNode]:
    return [NetworkNode(id=name, count=len(names) - at, community=at // 3) for at, name in enumerate(names)]


def all_linked(names: list[str]) -> list[NetworkLink]:
    return [NetworkLink(source=one, target=other, weight=0.5, count=3) for one, other in combinations(names, 2)]


@given(NAMES)
def test_each_concept_stands_in_the_picture_wherever_it_is_linked(names: list[str]) -> None:
    nodes, links = nodes_of(names), all_linked(names)
    drawn = drawing.network(nodes, links)
    assert [dot.name for dot in drawn.dots] == names
    assert all(0 < dot.x < drawing.WIDTH and 0 < dot.y < drawing.HEIGHT for dot in drawn.dots)
    assert len(drawn.lines) == len(links)
    assert drawing.network(nodes, links) == drawn


def test_no_label_stands_over_another() -> None:
    names = [f"concept {number}" for number in range(24)]
    dots = drawing.network(nodes_of(names), all_linked(names[:8])).dots
    for one, other in combinations(dots, 2):
        assert abs(one.x - other.x) > 60 or abs(one.y - other.y) > 18


def test_what_is_linked_stands_nearer_than_what_is_not() -> None:
    names = [f"n{number}" for number in range(12)]
    dots = {dot.name: dot for dot in drawing.network(nodes_of(names), all_linked(names[:3])).dots}

    def apart(one: str, other: str) -> float:
        return float((dots[one].x - dots[other].x) ** 2 + (dots[one].y - dots[other].y) ** 2)

    within = [apart(one, other) for one, other in combinations(names[:3], 2)]
    beyond = [apart(one, other) for one in names[:3] for other in names[3:]]
    assert sum(within) / len(within) < sum(beyond) / len(beyond) / 2


@pytest.mark.parametrize(
    ("name", "label"), [("tea", "tea"), ("a" * 40, "a" * 18 + "…"), ("日本の映画と音楽について", "日本の映画と音楽に…")]
)
def test_a_long_name_is_shortened_by_its_width(name: str, label: str) -> None:
    assert [dot.label for dot in drawing.network(nodes_of([name]), []).dots] == [label]


@given(MONTHS)
def test_no_memory_is_lost_in_the_growth(months: list[Month]) -> None:
    drawn = drawing.growth(months)
    assert len(drawn.bars) <= 36
    total = sum(month.added - month.closed for month in months)
    assert drawn.before + sum(bar.added - bar.closed for bar in drawn.bars) == total
    assert not drawn.bars or drawn.bars[-1].total == total


def test_three_years_are_told_by_months_and_more_by_years() -> None:
    first, last = Month(month="2024-01", added=2, closed=0), Month(month="2026-12", added=1, closed=1)
    months = [bar.name for bar in drawing.growth([first, last]).bars]
    assert (len(months), months[0], months[-1]) == (36, "2024-01", "2026-12")
    later = Month(month="2027-01", added=1, closed=0)
    assert [bar.name for bar in drawing.growth([first, later]).bars] == ["2024", "2025", "2026", "2027"]
