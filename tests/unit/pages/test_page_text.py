"""A text on a line of Markdown: it comes back letter by letter, is shown as it is, and can't break out of its line."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from commonplace.pages.page import escape, unescape

MARKUP = [
    "\n", "\r", "\r\n", "\t", " ", "\u2028", "\x85", "\ufeff", "\u00a0", "\\", "<br>", "<!--", "-->", "<!-- mem_1 v1 -->",
    "<script>", "&#10;", "&amp;", "# ", "## Preference", "- ", "* ", "1. ", "12) ", "> ", "```", "~~~", "---", "===", "|",
    "**key**: ", "![i](http://e/)", "[a]: b", "[x]", "](", "`", "*", "_", "$", "é", "東京", "🙂", "a", "7", "word",
]  # fmt: skip
TEXTS = st.one_of(st.lists(st.sampled_from(MARKUP), max_size=30).map("".join), st.text(max_size=200))
COMMONMARK = MarkdownIt("commonmark")


@given(TEXTS)
@example("<!-- mem_1 v1 --> and --> \n\n# heading\n")
@example("\\")
@example("\\\n")
@example("\\<br>")
@example(" \n x \n ")
def test_a_text_comes_back_letter_by_letter_from_one_line(text: str) -> None:
    line = escape(text)
    assert len(f"{line}.".splitlines()) == 1
    assert line == line.strip()
    assert unescape(line) == text


def test_the_longest_text_comes_back() -> None:
    text = "\\<br>\n &#32;!["[:8] * 1_000
    assert len(text) == 8_000
    assert unescape(escape(text)) == text


@given(TEXTS.filter(lambda text: any(map(str.isalnum, text))))
def test_it_stays_in_its_entry_and_fetches_nothing(text: str) -> None:
    blocks = COMMONMARK.parse(f"- {escape(text)} <!-- mem_1 v1 -->\n- the next")
    kinds = [block.type for block in blocks if block.nesting >= 0]
    own, following = ["list_item_open", "paragraph_open", "inline"], ["list_item_open", "paragraph_open", "inline"]
    assert kinds == ["bullet_list_open", *own, *following]
    inside = [piece for block in blocks for piece in block.children or ()]
    assert not [piece for piece in inside if piece.type == "image"]
    assert {piece.content for piece in inside if piece.type == "html_inline"} <= {"<br>", "<!-- mem_1 v1 -->"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The user works as a nurse.", "The user works as a nurse."),
        ("5 < 7 & 8 > 2, *really*", "5 < 7 & 8 > 2, *really*"),
        ("[redacted:card] is kept", "\\[redacted:card] is kept"),
        ("milk\neggs", "milk<br>eggs"),
        ("1. milk", "1\\. milk"),
        (" C:\\temp ", "&#32;C:\\\\temp&#32;"),
    ],
)
def test_what_people_write_looks_as_they_wrote_it(text: str, shown: str) -> None:
    assert escape(text) == shown


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a <b>bold</b> claim", "a <b>bold</b> claim"),
        ("one<br/>two<br />three", "one\ntwo\nthree"),
        ("50\\% off, C:\\temp", "50% off, C:\\temp"),
        ("&nbsp; &#9999999; &#55296;", "&nbsp; &#9999999; &#55296;"),
    ],
)
def test_what_people_type_means_what_it_says(typed: str, meant: str) -> None:
    assert unescape(typed) == meant
