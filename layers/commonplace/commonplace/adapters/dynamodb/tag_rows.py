"""The tags of the table that go on under another name: a row for each user, as long texts are kept."""

from collections.abc import Mapping

from commonplace.adapters.dynamodb.calls import key_of
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.long_texts import names_from, row_text, text_of
from commonplace.adapters.dynamodb.operations import fenced
from commonplace.adapters.dynamodb.table import REST, TAG_ROWS, Action
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.kept import kept_tag_rows, tag_rows_text
from commonplace.domain.runs import TagRow
from commonplace.ports.record_values import Fence


class DynamoTagRows:
    """Tag rows of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def rows(self, user_id: str) -> dict[str, TagRow]:
        calls = self._table.calls()
        return kept_tag_rows(text_of(calls, calls.one(user_id, TAG_ROWS)))

    def replace(self, user_id: str, rows: Mapping[str, TagRow], fence: Fence) -> None:
        prefix = f"{REST}{TAG_ROWS}#"
        before = names_from(self._table.calls(), user_id, prefix)
        text, parts = row_text(tag_rows_text(rows), user_id, prefix)
        gone = [Action("Delete", key_of(user_id, name)) for name in before]
        for actions in (*([part] for part in parts), [Action("Put", {**key_of(user_id, TAG_ROWS), **text}), *gone]):
            if self._table.calls().transact([fenced(fence), *actions]):
                raise CommonplaceError(ErrorCode.LEASE_LOST, "another run has begun")
