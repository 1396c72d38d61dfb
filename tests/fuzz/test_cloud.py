"""The same tools as on AWS, over real OpenSearch and DynamoDB, asked by Schemathesis; in the long run only."""

import os
import uuid
from collections.abc import Iterator
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.box import cloud
from cloud.tokens import Issuer
from commonplace.contract.formats.openapi import write
from commonplace.contract.manifest import rows
from tests.fuzz.asked import ask, operations
from tests.fuzz.effort import MARKS, examples

pytestmark = MARKS
_ROUTES = operations(write(rows()))


@pytest.fixture(scope="module")
def url(opensearch_url: str, dynamodb_url: str) -> Iterator[str]:
    """The front, with a table and an index of its own."""
    name = f"fuzz-{uuid.uuid4().hex}"
    own = {"OPENSEARCH_URL": opensearch_url, "DYNAMODB_URL": dynamodb_url, "COMMONPLACE_TABLE": name}
    with mock.patch.dict(os.environ, own | {"COMMONPLACE_INDEX_ALIAS": name}), cloud(port=0) as (front, _, _):
        yield front.url


@pytest.mark.parametrize("route", _ROUTES)
@examples(2)
@given(data=st.data())
def test_a_route_answers_as_its_document_says(url: str, route: str, data: st.DataObject) -> None:
    token = {"Authorization": f"Bearer {Issuer.kept().token('ana')}"}
    ask(_ROUTES[route], url, f"cloud: {route}", data, token)
