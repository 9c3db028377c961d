"""result_summary.txt: of the scripts (to 2019, "GB/s" means GiB/s) and of the C application (since 2020)."""

from __future__ import annotations

import math
import re
from pathlib import Path

from weir.base.errors import WeirError
from weir.decide.io500.result import PHASES, Phase, Published, Result, half_step

_NUMBER = r"([-+0-9.eE]+|-?nan|-?inf)"
_PHASE = re.compile(
    rf"\[(?P<mark>[^\]]*)\]\s+(?:(?:BW|IOPS)\s+phase\s+\d+\s+)?(?P<name>[\w-]+)\s+{_NUMBER}"
    rf"\s+(?P<unit>\S+)\s*:\s*time\s+{_NUMBER}\s+seconds(?P<rest>.*)",
    re.IGNORECASE,
)
_SCORE = re.compile(
    rf"\[SCORE(?P<mark>[^\]X]*)\]\s+Bandwidth\s+{_NUMBER}\s+\S+\s*:\s*IOPS\s+{_NUMBER}\s+\S+"
    rf"\s*:\s*TOTAL\s+{_NUMBER}(?P<rest>.*)"
)
_RANDOM_READ = re.compile(r"ior-rnd4k(-easy)?-read", re.IGNORECASE)
# The scripts divided by 2^30 and printed GB/s.
_UNITS = {"gib/s": "GiB/s", "gb/s": "GiB/s", "kiops": "kIOPS"}
_HINT = "a phase is printed as '[RESULT] ior-easy-write 1.5 GiB/s : time 300.1 seconds'"


def is_summary(text: str) -> bool:
    return re.search(r"^\[RESULT", text, re.MULTILINE) is not None


def read_summary(text: str, file: Path) -> Result:
    phases: dict[str, Phase] = {}
    published: Published | None = None
    version = ""
    random_read_gib_s: float | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("IO500 version"):
            version = line.removeprefix("IO500 version").strip()
        elif match := _SCORE.match(line):
            published = _published(match, file, number)
        elif match := _PHASE.match(line):
            phase = _phase(match, file, number)
            if phase is None:
                if _RANDOM_READ.fullmatch(match["name"]):
                    random_read_gib_s = number_at_least_zero(match[3], file, number, match["name"])
                continue
            # The scripts of 2017 print each line when its phase ends, and all again after the last one.
            if phases.get(phase.name, phase) != phase:
                raise WeirError(
                    "the phase is printed twice, with different values",
                    file=str(file),
                    line=number,
                    key=phase.name,
                    hint="keep the lines of one run in one file",
                    exit_code=2,
                )
            phases[phase.name] = phase
        elif re.match(r"\[RESULT|\[SCORE(?!X)", line):
            raise _wrong(f"the line cannot be read: {line.strip()[:80]!r}", file, number)
    return Result(file, phases, published, version, random_read_gib_s=random_read_gib_s)


def _phase(match: re.Match[str], file: Path, line: int) -> Phase | None:
    name = match["name"].replace("-", "_").lower()
    if name not in PHASES:  # optional phases and the timestamp
        return None
    unit = _UNITS.get(match["unit"].lower())
    if unit != PHASES[name]:
        raise WeirError(
            f"the unit of {name} is {match['unit']}, which is not {PHASES[name]}",
            file=str(file),
            line=line,
            key=name,
            hint=_HINT,
            exit_code=2,
        )
    value = number_at_least_zero(match[3], file, line, name)
    time_s = number_at_least_zero(match[5], file, line, name)
    invalid = "invalid" in (match["mark"] + match["rest"]).lower()
    return Phase(name, value, half_step(match[3]), time_s, marked_invalid=invalid)


def _published(match: re.Match[str], file: Path, line: int) -> Published:
    bandwidth, iops, total = (number_at_least_zero(match[at], file, line, "SCORE") for at in (2, 3, 4))
    invalid = "invalid" in (match["mark"] + match["rest"]).lower()
    return Published(total, bandwidth, iops, invalid)


def number_at_least_zero(text: str, file: Path, line: int, key: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise WeirError(
            f"{text} is not a finite number that is at least 0",
            file=str(file),
            line=line,
            key=key,
            hint="a run that failed has no score; name the directory of a run that ended",
            exit_code=2,
        )
    return value


def _wrong(message: str, file: Path, line: int) -> WeirError:
    return WeirError(message, file=str(file), line=line, hint=_HINT, exit_code=2)
