"""The memories that the rules make from messages and conversations stay within the targets."""

from benchmarks.extraction import figures


def test_no_more_comes_out_wrong_than_may() -> None:
    assert not {(one.what, one.half): one.wrong for one in figures() if one.share > one.most}
