import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.strict_json import read_json, read_object

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4))


@given(_VALUES)
def test_what_is_json_is_read_as_it_is(value: object) -> None:
    assert read_json(json.dumps(value)) == value


@given(st.dictionaries(st.text(), _SCALARS, min_size=1), st.data())
def test_a_key_given_twice_is_refused_wherever_it_stands(value: dict[str, object], data: st.DataObject) -> None:
    twice = data.draw(st.sampled_from(sorted(value)))
    pairs = ", ".join(f"{json.dumps(key)}: {json.dumps(value[key])}" for key in [*value, twice])
    for text in (f"{{{pairs}}}", f'[{{"a": {{{pairs}}}}}]'):
        with pytest.raises(CommonplaceError, match="appears twice"):
            read_json(text)


@given(st.text() | st.binary())
def test_whatever_comes_is_read_or_refused_in_our_words(text: str | bytes) -> None:
    codes = set()
    try:
        read_json(text)
    except CommonplaceError as error:
        codes.add(error.code)
    assert codes <= {ErrorCode.INVALID_JSON}


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "-1e999", "9" * 5000, "[" * 100_000])
def test_what_only_some_readers_take_is_refused(text: str) -> None:
    with pytest.raises(CommonplaceError) as refused:
        read_json(text)
    assert refused.value.code is ErrorCode.INVALID_JSON


@pytest.mark.parametrize("text", ["[]", "null", '"{}"', "7"])
def test_only_an_object_is_an_object(text: str) -> None:
    with pytest.raises(CommonplaceError, match="must be a JSON object"):
        read_object(text)


def test_no_value_of_the_input_is_quoted() -> None:
    with pytest.raises(CommonplaceError) as refused:
        read_json('{"password": "hunter2" "x": 1}')
    assert "hunter2" not in str(refused.value)


def test_a_mark_of_the_encoding_is_no_part_of_the_text() -> None:
    assert read_object(b'\xef\xbb\xbf{"a": 1}') == read_object('\ufeff{"a": 1}') == {"a": 1}
