"""What 0.1 wrote, reached by ways in that stay: a file by the Python client, a table by the Lambda functions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from commonplace import Commonplace
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.integration.lambda_calls import ISSUER, Context, handler, http, token

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LATER = NOON.replace(day=22)
"""When it is opened again: the lease of what died has run out, what was closed is not purged yet."""
_FUNCTIONS = {"search_memory": "search", "memory_search": "search", "memory_search_personal": "search", "read_memory": "read"}


class Door(Protocol):
    """What may be asked of each user, as of later; answers are plain JSON values."""

    def call(self, user: str, tool: str, arguments: dict[str, Any]) -> Any:
        """A tool's answer."""

    def told(self, user: str, run_id: str) -> Any:
        """A run with the words that it is about."""

    def review(self, user: str, verb: str, run_id: str) -> Any:
        """`undo`, `approve` or `discard` of a run."""

    def history(self, user: str, key: str) -> Any:
        """What a key has held."""

    def night(self, user: str) -> None:
        """Reads what is pending, after what died."""

    def records(self, user: str) -> list[dict[str, Any]]:
        """Every record as it is kept, closed ones too."""


class FileDoor:
    """A memory file, opened anew for each question."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def open(self, user: str) -> Commonplace:
        return Commonplace(self._file, user_id=user, now=lambda: LATER, settings=Settings(db=self._file))

    def call(self, user: str, tool: str, arguments: dict[str, Any]) -> Any:
        with self.open(user) as memory:
            return memory.call(tool, arguments)

    def told(self, user: str, run_id: str) -> Any:
        with self.open(user) as memory:
            return memory.told(run_id).model_dump(mode="json")

    def review(self, user: str, verb: str, run_id: str) -> Any:
        with self.open(user) as memory:
            verbs = {"undo": memory.undo_run, "approve": memory.approve_run, "discard": memory.discard_run}
            return verbs[verb](run_id).model_dump(mode="json")

    def history(self, user: str, key: str) -> Any:
        with self.open(user) as memory:
            return memory.history(key).model_dump(mode="json")

    def night(self, user: str) -> None:
        with self.open(user) as memory:
            list(memory.each_run("rules"))

    def records(self, user: str) -> list[dict[str, Any]]:
        with self.open(user) as memory:
            return list(memory.export())


class TableDoor:
    """A table behind the functions, whose containers are open over it."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client, self._table = client, table

    def call(self, user: str, tool: str, arguments: dict[str, Any]) -> Any:
        return self._asked(_FUNCTIONS[tool], user, "POST", f"/tools/{tool}", arguments)

    def told(self, user: str, run_id: str) -> Any:
        return self._asked("record", user, "GET", f"/runs/{run_id}")

    def review(self, user: str, verb: str, run_id: str) -> Any:
        return self._asked("record", user, "POST", f"/runs/{run_id}/{verb}")

    def history(self, user: str, key: str) -> Any:
        return self._asked("record", user, "GET", f"/history/{key}")

    def night(self, user: str) -> None:
        message = {"messageId": "1", "body": json.dumps({"user_id": f"{ISSUER}|{user}"})}
        answer = handler("night")({"Records": [message]}, Context(milliseconds=900_000))
        assert answer == {"batchItemFailures": []}

    def records(self, user: str) -> list[dict[str, Any]]:
        found = self._client.query(
            TableName=self._table, KeyConditionExpression="#user = :user AND begins_with(#item, :memory)",
            ExpressionAttributeNames={"#user": "user", "#item": "item"}, ConsistentRead=True,
            ExpressionAttributeValues={":user": {"S": f"{ISSUER}|{user}"}, ":memory": {"S": "memory#"}},
        )  # fmt: skip
        assert "LastEvaluatedKey" not in found
        return [json.loads(item["record"]["S"]) for item in found["Items"]]

    def _asked(self, function: str, user: str, method: str, path: str, body: object = None) -> Any:
        zone = {"x-commonplace-timezone": "Europe/Berlin"}
        response = handler(function)(http(path, body, method, authorizer=token(user), headers=zone), Context())
        assert response["statusCode"] == 200, response["body"]
        return json.loads(response["body"])
