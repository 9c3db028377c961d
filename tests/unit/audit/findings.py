"""Each rule with records that it must find: rule, subject, verdict, and a part of the evidence.

Every file findings_of_*.py in this folder defines some in a list FINDS.
"""

import importlib
from pathlib import Path

from weir.audit import Subject

_FILES = sorted(Path(__file__).parent.glob("findings_of_*.py"))
FINDS: list[tuple[str, Subject, str, str]] = [
    case for file in _FILES for case in importlib.import_module(f"{__package__}.{file.stem}").FINDS
]
