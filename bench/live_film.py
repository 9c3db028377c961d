#!/usr/bin/env python3
"""Film strip of the live page of a measurement, 10, 30 and 60 s after its first page and at the end.

python bench/live_film.py [--suites quick] [--picture build/live-film.png]

Runs `weir report` in a copy of this checkout. The picture has each page at 1280 and at 390 px; beside it,
by how much a page is too wide, and its state.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.workflow.browser import film_of  # noqa: E402
from tests.workflow.conftest import copy_of_the_tree  # noqa: E402
from weir.report.live import LIVE_PAGE  # noqa: E402

MOMENTS_S = (10, 30, 60)
RELOAD = "reloadWhileMeasured(facts.live"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suites", default="quick")
    parser.add_argument("--picture", type=Path, default=ROOT / "build/live-film.png")
    requested = parser.parse_args()
    environment = {**os.environ, "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as scratch:
        checkout = copy_of_the_tree(Path(scratch))
        environment["PYTHONPATH"] = str(checkout.root)
        command = [sys.executable, "-m", "weir", "report", "--suites", requested.suites, "--page-only"]
        process = subprocess.Popen(command, cwd=checkout.root, env=environment, stdout=subprocess.DEVNULL)
        names = filmed(process, checkout.root / "results", Path(scratch))
        for name, (wider, cut, text) in film_of(Path(scratch), names, requested.picture).items():
            state = re.search(r"(Measuring|Measured)[^\n]*", text)
            print(f"{name}: {max(wider, cut, 0)} px too wide; {state[0] if state else 'no state'}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {requested.picture}")
    return process.returncode


def filmed(process: subprocess.Popen[bytes], results: Path, folder: Path) -> list[str]:
    """Copies of the page that do not load themselves again, while the process measures."""
    began, names, page = 0.0, [], None
    while process.poll() is None:
        page = page or next(results.glob(f"*/*/{LIVE_PAGE}"), None)
        if page and not began:
            began = time.monotonic()
        due = MOMENTS_S[len(names)] if len(names) < len(MOMENTS_S) else None
        if page and due and time.monotonic() - began >= due:
            names.append(kept(page, folder / f"after-{due}-s.html"))
        time.sleep(0.2)
    # The live page leads to the report in the end.
    return [*names, kept(page.with_name("report.html"), folder / "end.html")] if page else names


def kept(page: Path, copy: Path) -> str:
    text = page.read_text()
    assert f"{RELOAD})" in text
    copy.write_text(text.replace(f"{RELOAD})", f"{RELOAD}, () => {{}})"))
    return copy.stem


if __name__ == "__main__":
    sys.exit(main())
