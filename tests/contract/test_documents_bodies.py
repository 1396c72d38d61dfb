"""What a document may say: a secret is known by every name above it, and what is no JSON object is refused."""

import pytest

from commonplace.client.documents import Documents
from commonplace.domain.errors import ErrorCode
from tests.conftest import refusal
from tests.contract.test_documents_kept import Told
from tests.contract.test_documents_kept import documents as documents
from tests.contract.test_documents_kept import told as told

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    "value",
    [
        '{"passwords": {"gmail": "hunter2xyz"}}',
        '{"passwords": [{"name": "gmail", "value": "hunter2xyz"}]}',
        '{"accounts": {"passwords": {"of the": {"old": ["hunter2xyz"]}}}}',
        '{"pin": 4471.0}',
        '{"card": {"pin": {"now": 4471}}}',
    ],
)
def test_a_secret_is_known_by_any_name_that_it_stands_under(told: Told, documents: Documents, value: str) -> None:
    kept = documents.write(("store",), "k", value, form="json")
    assert kept.redacted
    texts = [kept.body, *(one.raw_text for one in told.memories())]
    assert not [one for one in texts if "hunter2xyz" in one or "4471" in one]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('"my cat is called Minka"', ErrorCode.INVALID_JSON),
        ('["Minka"]', ErrorCode.INVALID_JSON),
        ('{"cat": Minka}', ErrorCode.INVALID_JSON),
        ('{"cat": NaN}', ErrorCode.INVALID_JSON),
        ('{"cat": "Minka", "cat": "Mo"}', ErrorCode.INVALID_JSON),
        ('{"a":' * 101 + "1" + "}" * 101, ErrorCode.INVALID_JSON),
        ('{"a":' * 20_000 + "1" + "}" * 20_000, ErrorCode.INVALID_JSON),
        ('{"cat": "\\ud800"}', ErrorCode.INVALID_ARGUMENT),
        ('{"\\u001b[2J": "Minka"}', ErrorCode.INVALID_ARGUMENT),
    ],
)
def test_what_is_no_json_object_of_printable_texts_is_refused_without_its_words(
    documents: Documents, body: str, code: ErrorCode
) -> None:
    error = refusal(lambda: documents.write(("store",), "k", body, form="json"))
    assert (error.code, error.field, "Minka" in str(error)) == (code, "body", False)
    assert documents.listed() == []
    documents.write(("store",), "k", '{"a":' * 100 + "1" + "}" * 100, form="json")
