"""Draw the growth of the number of memories and the network of concepts that occur together."""

from starlette.responses import Response

from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui import drawing
from commonplace.interfaces.ui.visit import Visit

CONCEPTS = 40
"""The maximum number of concepts in a picture."""
HEADINGS = ("category", "type", "section", "collection", "durability", "status")


def network(visit: Visit) -> Response:
    """Show the most frequent concepts, or the concepts around one concept, with their links."""
    focus, depth = visit.arguments.get("focus"), visit.arguments.get("depth", "1")
    network = visit.memory.concept_network(focus, depth=int(depth) if depth in ("1", "2", "3") else 1, limit=CONCEPTS)
    return visit.show(
        "network.html", focus=focus, depth=depth, found=network, picture=drawing.network(network.nodes, network.links),
        width=drawing.WIDTH, height=drawing.HEIGHT,
    )  # fmt: skip


def growth(visit: Visit) -> Response:
    """Show how many memories were stored and closed per month, and how many memories are under each heading."""
    stats = visit.memory.memory_stats()
    return visit.show(
        "growth.html", stats=stats, picture=drawing.growth(stats.growth), headings=HEADINGS, width=drawing.GROWTH_WIDTH,
        height=drawing.GROWTH_HEIGHT,
    )  # fmt: skip


ROUTES = (Route("/ui/network", network), Route("/ui/growth", growth))
