"""Collects and draws the study of a bundle by the code of the bundle, in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from weir.base.errors import WeirError
from weir.report.bundle.pdf_date import without_date
from weir.runs.manifest import TABLES

DRAWN = ("figures", "tables")
COLLECTED = ("records.csv", *TABLES)


def collected_again(code: Path, study: Path) -> list[str]:
    """Write the tables of the study anew from its runs; names of those that differ from what was there."""
    before = {name: (study / name).read_bytes() for name in COLLECTED}
    arguments = ["collect", "--plan", str(study / "plan.json"), "--out", str(study / "records.csv")]
    _call([sys.executable, "-m", "weir", *arguments], code)
    return [name for name in COLLECTED if (study / name).read_bytes() != before[name]]


def drawn_again(code: Path, study: Path) -> bool:
    """Draw figures and tables into the study; False where there is no R."""
    if not shutil.which("Rscript"):
        return False
    # A file that is not drawn again would be compared with itself.
    for name in DRAWN:
        shutil.rmtree(study / name, ignore_errors=True)
    arguments = ["study", str(study), "--with", f"published={code / 'reference' / 'published.csv'}"]
    _call(["Rscript", str(code / "analysis" / "draw.R"), *arguments], code)
    for file in (study / "figures").glob("*.pdf"):
        file.write_bytes(without_date(file.read_bytes()))
    return True


def _call(arguments: list[str], code: Path) -> None:
    kept: Mapping[str, str] = {
        name: value for name, value in os.environ.items() if not name.startswith("WEIR_")
    }
    # The bundle's weir first; behind it what it imports, which `spack load` names there.
    path = os.pathsep.join(filter(None, (str(code), os.environ.get("PYTHONPATH"))))
    environment = {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(arguments, cwd=code, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = " ".join((done.stderr or done.stdout).split()[:60]) or "no message"
        raise WeirError(f"{Path(arguments[0]).name} failed: {message}", file=str(code))
