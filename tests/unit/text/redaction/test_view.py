"""Spans of secrets that overlap: whatever any finder names is hidden."""

from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.text.redaction.view import Span, merged

SPANS = st.lists(
    st.builds(
        lambda start, length, kind: Span(start, start + length, kind),
        st.integers(0, 20),
        st.integers(1, 9),
        st.sampled_from("ab"),
    )
)


def covered(spans: list[Span]) -> list[int]:
    return [place for span in spans for place in range(span.start, span.end)]


@given(SPANS)
@example([Span(0, 9, "a"), Span(2, 4, "b")])
def test_joined_spans_hide_every_character_of_every_span_once(spans: list[Span]) -> None:
    assert covered(merged(spans)) == sorted(set(covered(spans)))


@given(SPANS)
def test_a_joined_span_has_the_kind_of_a_span_in_it(spans: list[Span]) -> None:
    for joined in merged(spans):
        assert joined.kind in {span.kind for span in spans if joined.start <= span.start and span.end <= joined.end}
