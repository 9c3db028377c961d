"""A page as a reader meets it in Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def open_page(
    folder: Path, scratch: Path, *options: str, steps: str = "", fragment: str = ""
) -> subprocess.CompletedProcess[str]:
    """Chromium without a network; steps are a reader's, in JavaScript, 200 ms after the page is there."""
    if CHROMIUM is None:
        pytest.skip("no chromium to open the report with")
    head, body, tail = (folder / "report.html").read_text().rpartition("</body>")
    # What goes wrong in the page stands in its text.
    watch = "<script>onerror = (message) => document.body.append('PAGE ERROR ' + message);</script>"
    copy = scratch / "page.html"
    copy.write_text(f"{watch}{head}<script>setTimeout(() => {{ {steps} }}, 200)</script>{body}{tail}")
    fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-background-networking",
    ]
    apart = ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={scratch / 'profile'}"]
    done = subprocess.run(
        [CHROMIUM, *fixed, *apart, "--virtual-time-budget=4000", *options, copy.as_uri() + fragment],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "HOME": str(scratch)},
    )
    done.stdout = done.stdout.replace("&nbsp;", " ")  # between numbers and units
    return done
