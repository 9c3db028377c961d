"""What a guest kernel needs of a processor with more registers than the kernel knows."""

import os
import shutil
import subprocess
from functools import cache

from tests.lab.machine import HERE, ROOT

_LIBRARY = ROOT / "build" / "lab-whole-registers.so"


@cache
def for_a_kernel() -> dict[str, str]:
    """Variables of its process; none without a compiler, which older processors do not need either."""
    compiler = shutil.which("cc")
    if compiler is None:
        return {}
    _LIBRARY.parent.mkdir(exist_ok=True)
    made = _LIBRARY.with_suffix(f".{os.getpid()}")
    options = ["-std=c11", "-shared", "-fPIC", "-O1", "-o", str(made), str(HERE / "whole_registers.c")]
    subprocess.run([compiler, *options], check=True)
    made.rename(_LIBRARY)
    return {"LD_PRELOAD": str(_LIBRARY)}
