"""What rules make of messages and talks is within its reach."""

from benchmarks.extraction import figures


def test_no_more_comes_out_wrong_than_may() -> None:
    assert not {(one.what, one.half): one.wrong for one in figures() if one.share > one.most}
