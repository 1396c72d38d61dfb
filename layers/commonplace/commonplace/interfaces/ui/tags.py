"""The views that show current and former tags, and plan a merge of tags with the same meaning."""

from starlette.responses import Response

from commonplace.domain.storage import TagUse
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.runs import beginning
from commonplace.interfaces.ui.visit import Visit

PAGE = 100
ORDERS = {"name": "by name", "count": "most used first", "last": "last used first"}


def tags(visit: Visit) -> Response:
    """Show a page of the tags in use, and all tags that are no longer in use."""
    uses = visit.memory.tag_uses()
    order = visit.arguments.get("order", "count")
    active, inactive = [tag for tag in uses if tag.status == "active"], [tag for tag in uses if tag.status != "active"]
    start = beginning(visit, len(active))
    return visit.show(
        "tags.html", tags=_sort_tags(active, order)[start : start + PAGE], start=start, page=PAGE, total=len(active),
        others=inactive, order=order, orders=ORDERS,
    )  # fmt: skip


def plan(visit: Visit) -> Response:
    """Plan a merge of tags with the same meaning. A person then approves or discards the plan like any other run."""
    result = visit.memory.optimize_tags(dry_run=True)
    if result.run_id is None:
        return visit.go("/ui/tags", "No two tags have the same meaning: there is nothing to merge.")
    return visit.go(f"/ui/runs/{result.run_id}", "This is a plan: nothing changes before you approve it.")


def _sort_tags(uses: list[TagUse], order: str) -> list[TagUse]:
    if order == "count":
        return sorted(uses, key=lambda tag: (-tag.count, tag.tag))
    if order == "last":
        return sorted(uses, key=lambda tag: (-(tag.last_used.timestamp() if tag.last_used else 0.0), tag.tag))
    return uses


ROUTES = (Route("/ui/tags", tags), Route("/ui/tags/plan", plan, "POST"))
