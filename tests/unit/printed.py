"""Reports as LaTeX prints them."""

import shutil
from pathlib import Path

import pytest

from tests.programs import ran


def need_latex() -> None:
    for program in ("latexmk", "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def text_of(pdf: Path) -> str:
    return ran(["pdftotext", "-layout", pdf, "-"], code=0).stdout
