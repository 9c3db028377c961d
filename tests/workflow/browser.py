"""A page as a reader meets it in Chromium."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.programs import ran

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def open_page(
    page: Path, scratch: Path, *options: str, steps: str = "", fragment: str = ""
) -> subprocess.CompletedProcess[str]:
    """Chromium without a network. page: a file, or the directory of a report.html; steps: those of a reader,
    in JavaScript, 200 ms after the page is there."""
    if CHROMIUM is None:
        pytest.skip("no chromium to open the report with")
    # Before the page's own policy. What goes wrong, or is refused by it, stands in the text of the page.
    watch = f"""<script>
    const wrong = (message) => document.body.append('PAGE ERROR ' + message);
    onerror = wrong;
    addEventListener('securitypolicyviolation', (event) => wrong(`refused ${{event.effectiveDirective}}`));
    addEventListener('load', () => setTimeout(() => {{ {steps} }}, 200));
    </script>"""
    copy = scratch / "page.html"
    copy.write_text(watch + (page / "report.html" if page.is_dir() else page).read_text())
    fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-background-networking",
    ]
    apart = [
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={scratch / 'profile'}",
    ]
    command = [CHROMIUM, *fixed, *apart, "--virtual-time-budget=4000", *options, copy.as_uri() + fragment]
    done = ran(command, timeout=120, code=0, env={**os.environ, "HOME": str(scratch)})
    done.stdout = done.stdout.replace("&nbsp;", " ")  # between numbers and units
    return done


FILM = """<body style="margin: 0; width: 1700px">{frames}<script>
const cut = (box) => (box ? box.scrollWidth - box.clientWidth : 0);
const seen = (page) => [cut(page.documentElement), cut(page.querySelector("#batches .scroll"))].join(" ");
const told = ({{ id, contentDocument: page }}) =>
  ` FRAME ${{id}} ${{seen(page)}} ${{page.getElementById("page").innerText}} END`;
onload = () => document.body.append(...[...document.querySelectorAll("iframe")].map(told));
</script></body>"""
FRAME = re.compile(r"FRAME (\S+) (-?\d+) (-?\d+) (.*?) END", re.DOTALL)


def film_of(
    folder: Path, names: Sequence[str], picture: Path | None = None
) -> dict[str, tuple[int, int, str]]:
    """The pages NAME.html of a folder at 1280 and at 390 px below each other: what each shows, and a picture.

    Of each NAME-WIDTH: by how many pixels the page, and its table of batches, are too wide; the text.
    """
    widths = (1280, 390)
    frames = [
        f'<iframe id="{name}-{width}" src="{name}.html" style="width: {width}px; height: 900px"></iframe>'
        for name in names
        for width in widths
    ]
    (folder / "report.html").write_text(FILM.format(frames="".join(frames)))
    options = ("--allow-file-access-from-files", f"--window-size=1700,{910 * len(names)}")
    shot = [f"--screenshot={picture}"] if picture else []
    dom = open_page(folder, folder, *options, "--dump-dom", *shot).stdout
    return {name: (int(wider), int(cut), text) for name, wider, cut, text in re.findall(FRAME, dom)}
