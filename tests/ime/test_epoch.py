"""Who may say that a file is settled while several drains and a writer are at it."""

from pathlib import Path

from tests.programs import ran


def test_no_drain_vouches_for_what_it_did_not_see(programs: Path) -> None:
    done = ran([programs / "ime-epoch", "5000"], timeout=120)
    assert done.returncode == 0, done.stdout
    assert done.stdout == "5000 changes, 0 called settled too early, settled in the end\n"
