"""Reports as LaTeX prints them."""

import shutil
import subprocess
from pathlib import Path

import pytest


def need_latex() -> None:
    for program in ("latexmk", "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def text_of(pdf: Path) -> str:
    command = ["pdftotext", "-layout", pdf, "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
