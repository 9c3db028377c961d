"""weir prove on a disk that nobody else uses: every byte of its counters is known, and no finding is of the
machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.witness.conftest import Prove
from tests.witness.own_disk import own_disk

pytestmark = pytest.mark.slow
DD = ("dd", "if=/dev/urandom", "of=f", "bs=1M", "count=64", "conv=fsync")


def claim_of(seen: dict[str, Any]) -> dict[str, Any]:
    (claim,) = seen["claims"]
    return dict(claim)


def test_a_disk_that_counts_nothing_is_unknown(prove: Prove, tmp_path: Path) -> None:
    with own_disk(tmp_path / "data") as disk:
        honest = prove(*DD, ahead=disk.ahead)
        disk.count(False)
        silent = prove(*DD, ahead=disk.ahead)
    assert claim_of(honest)["verdict"] == "VALID", honest["stderr"]
    assert claim_of(silent)["verdict"] == "UNPROVEN", silent["stderr"]
    assert f"{disk.names[0]} counts nothing of what it moves" in silent["stderr"]
