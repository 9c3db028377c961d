"""The lines of a receipt: what failed is told, and thousands of failures are not."""

import pytest

from weir.measure.receipt import BatchReceipt


@pytest.mark.parametrize(("failed", "shown", "last"), [(1, 1, None), (10, 10, None), (13, 10, 3)])
def test_no_more_than_ten_failed_executions_are_listed(failed: int, shown: int, last: int | None) -> None:
    receipt = BatchReceipt(
        **{"batch": "disk", "executions": 20, "kept": 1, "kept_from": None, "kept_to": None, "measured": 19},
        **{
            "done": 19 - failed,
            "added": 0,
            "failed": tuple(f"cell {number}: no space" for number in range(failed)),
        },
        **{"left": 0, "successes": 1, "first_failure": "no space", "unavailable": None, "error": None},
        unavailable_cells={},
        slow_nodes=None,
    )
    first, *lines = receipt.lines()
    assert first == f"disk: {19 - failed} executions done, {failed} failed, 1 of 20 were there already"
    expected = [f"  failed: cell {number}: no space" for number in range(shown)]
    assert lines == expected + ([f"  and {last} more failed: the receipt has all"] if last else [])
    assert len(receipt.data()["failed"]) == failed
