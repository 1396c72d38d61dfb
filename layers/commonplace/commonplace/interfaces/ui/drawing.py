"""Lay out two pictures, the concept network and the growth chart. The same memories always produce the same picture."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from wcwidth import wcswidth

from commonplace.domain.analysis import Month, NetworkLink, NetworkNode

WIDTH, HEIGHT = 960, 640
GROWTH_WIDTH, GROWTH_HEIGHT = 960, 300
COLOURS = 6
"""The number of colours for communities. If there are more communities, some share a colour."""
_MARGIN, _LETTER, _LINE = 16.0, 7.4, 20.0  # margin of the picture, width of a character, height of a label
_LONGEST = 18  # maximum width of a label in columns
_STEPS, _SPREAD_STEPS = 220, 250
_MOST_BARS, _THICKEST = 36, 56.0
_BELOW, _LEFT = 44.0, 56.0  # space for month names and numbers in the growth chart


@dataclass(frozen=True)
class Dot:
    """A concept in the picture. `label` is a shortened name. `colour` is a number, or None for a lone concept."""

    name: str
    label: str
    count: int
    x: float
    y: float
    radius: float
    colour: int | None


class Line(NamedTuple):
    """A link in the picture. `strength` ranges from 0 to 1."""

    start: tuple[float, float]
    end: tuple[float, float]
    strength: float


class Network(NamedTuple):
    dots: list[Dot]
    lines: list[Line]


class Bar(NamedTuple):
    """A bar for one month or year. Heights are in picture units. `total` counts the memories at the end of the period."""

    name: str
    added: int
    closed: int
    total: int
    x: float
    width: float
    added_height: float
    closed_height: float
    total_y: float
    is_named: bool


class Growth(NamedTuple):
    """The growth chart. `ground` is the y coordinate of zero. `before` counts memories that existed before the first bar."""

    bars: list[Bar]
    ground: float
    before: int
    most: int


def network(nodes: Sequence[NetworkNode], links: Sequence[NetworkLink]) -> Network:
    """Place linked concepts near each other. The labels don't overlap if there is enough space."""
    if not nodes:
        return Network([], [])
    labels = [_shorten_name(node.id) for node in nodes]
    most = max(node.count for node in nodes)
    radii = [5 + 13 * math.sqrt(node.count / most) for node in nodes]
    at = {node.id: number for number, node in enumerate(nodes)}
    pull = np.zeros((len(nodes), len(nodes)))
    for link in links:
        if link.weight > 0:
            pull[at[link.source], at[link.target]] = pull[at[link.target], at[link.source]] = link.weight
    sizes = np.array(
        [(max(_LETTER * wcswidth(label), 2 * r) + 10, 2 * r + _LINE) for label, r in zip(labels, radii, strict=True)]
    )
    places, members = _spread_boxes(_compute_positions(pull), sizes), Counter(node.community for node in nodes)
    several = sorted(community for community, size in members.items() if size > 1)
    colours = {community: number % COLOURS for number, community in enumerate(several)}
    dots = [
        Dot(node.id, label, node.count, round(float(x), 1), round(float(y), 1), round(r, 1), colours.get(node.community))
        for node, label, r, (x, y) in zip(nodes, labels, radii, places, strict=True)
    ]
    edges = [(dots[at[link.source]], dots[at[link.target]], link.weight) for link in links]
    lines = [Line((dot.x, dot.y), (other.x, other.y), round(max(0.0, min(1.0, weight)), 2)) for dot, other, weight in edges]
    return Network(dots, lines)


def _compute_positions(pull: np.ndarray) -> np.ndarray:
    """Compute positions from -1 to 1 with a force simulation. Links pull concepts together, and concepts repel each other."""
    number = np.arange(len(pull))
    angle, radius = number * math.pi * (3 - math.sqrt(5)), np.sqrt((number + 0.5) / len(pull))
    places = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    near = 1.3 / math.sqrt(len(pull))
    for step in range(_STEPS):
        offsets = places[:, None] - places[None]
        distance = np.maximum(np.linalg.norm(offsets, axis=2), 1e-3)
        force = near**2 / distance**2 - pull * distance / near
        np.fill_diagonal(force, 0.0)
        moved = (offsets * force[..., None]).sum(axis=1) - 0.6 * places
        length = np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
        places = places + moved / length * np.minimum(length, 0.12 * (1 - step / _STEPS))
    return places / max(1.0, float(np.abs(places).max()))


def _spread_boxes(places: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Scale the positions to the picture's size. Push overlapping boxes apart, but not out of the picture."""
    low = sizes / 2 + _MARGIN
    high = np.array([WIDTH, HEIGHT]) - low
    spread = np.ptp(places, axis=0)
    places = (places - places.min(axis=0)) / np.where(spread > 0, spread, 1) if len(places) > 1 else np.full((1, 2), 0.5)
    places = low + places * (high - low)
    needed = (sizes[:, None] + sizes[None]) / 2
    for _ in range(_SPREAD_STEPS):
        between = places[:, None] - places[None]
        over = needed - np.abs(between)
        np.fill_diagonal(over[..., 0], -1.0)
        both = (over > 0).all(axis=2)
        if not both.any():
            break
        shorter = over[..., 0] < 2 * over[..., 1]
        order = np.sign(np.arange(len(places))[:, None] - np.arange(len(places))[None])
        side = np.where(between == 0, order[..., None], np.sign(between))
        push = np.where(np.stack([shorter, ~shorter], axis=2) & both[..., None], side * over / 2, 0.0).sum(axis=1)
        places = np.clip(places + 0.6 * push, low, high)
    return places


def _shorten_name(name: str) -> str:
    label = name
    while wcswidth(label) > _LONGEST:
        label = label[:-1]
    return label if label == name else f"{label.rstrip()}…"


def growth(months: Sequence[Month]) -> Growth:
    """Return up to 36 bars for the newest months, or for years if the months span more than three years."""
    years = months and _parse_month(months[-1].month) - _parse_month(months[0].month) >= _MOST_BARS
    sums: dict[int, list[int]] = {}
    for month in months:
        at = int(month.month[:4]) if years else _parse_month(month.month)
        added, closed = sums.get(at, [0, 0])
        sums[at] = [added + month.added, closed + month.closed]
    last = max(sums, default=0)
    first = max(min(sums, default=1), last - _MOST_BARS + 1)
    before = sum(added - closed for at, (added, closed) in sums.items() if at < first)
    shown = [(at, *sums.get(at, [0, 0])) for at in range(first, last + 1)]
    return _draw_bars(
        [(str(at) if years else f"{at // 12:04}-{at % 12 + 1:02}", added, closed) for at, added, closed in shown], before
    )


def _draw_bars(shown: Sequence[tuple[str, int, int]], before: int) -> Growth:
    """Compute the sizes and positions of the bars. `before` is the number of memories that existed before the first bar."""
    totals, total = list[int](), before
    for _, added, closed in shown:
        total += added - closed
        totals.append(total)
    most = max([before, *totals, *(added for _, added, _ in shown), 1])
    deepest = max([closed for _, _, closed in shown], default=0)
    height = GROWTH_HEIGHT - _BELOW - _MARGIN
    unit = height / (most + deepest)
    ground = _MARGIN + most * unit
    wide = (GROWTH_WIDTH - _LEFT - _MARGIN) / max(len(shown), 1)
    thick, name_step = min(0.7 * wide, _THICKEST), math.ceil(len(shown) / 12)
    bars = [
        Bar(
            name, added, closed, total, round(_LEFT + wide * (number + 0.5) - thick / 2, 1), round(thick, 1),
            round(added * unit, 1), round(closed * unit, 1), round(ground - total * unit, 1),
            (len(shown) - 1 - number) % name_step == 0,
        )
        for number, ((name, added, closed), total) in enumerate(zip(shown, totals, strict=True))
    ]  # fmt: skip
    return Growth(bars, round(ground, 1), before, most)


def _parse_month(month: str) -> int:
    """Return the number of months from January of the year 0 to a month like `2026-05`."""
    return 12 * int(month[:4]) + int(month[5:]) - 1
