"""Who may say that a file is settled while several drains and a writer are at it."""

import subprocess
from pathlib import Path


def test_no_drain_vouches_for_what_it_did_not_see(programs: Path) -> None:
    done = subprocess.run(
        [programs / "ime-epoch", "5000"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout == "5000 changes, 0 called settled too early, settled in the end\n"
