"""The verdicts of `weir prove` on an older kernel, that of a guest, are those on the machine's own."""

import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.compiled import shared_library
from tests.lab.conftest import proving_guest
from tests.lab.machine import ROOT, Machine
from tests.needs import loop_devices, mounts, need
from tests.programs import ran
from tests.zoo.animals import DIRECT_LOOP
from tests.zoo.errors import skips_unstaged
from tests.zoo.proven import TRIALS, results_of
from tests.zoo.staging import mounted

pytestmark = pytest.mark.slow
_DISK = Path("/mnt/disk")
_LIMIT_S = 400  # a guest takes tens of seconds for a start of Python on a busy machine
_READ = "dd of=/dev/null bs=1M if={place}/file"
_WRITE = "dd if=/dev/zero bs=1M count=48 of={place}/new"
_QUIET = "LD_PRELOAD={quiet}:$LD_PRELOAD"
_MAPS = (
    'import mmap,sys;f=open(sys.argv[1],"rb");m=mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ);sum(m[::4096])'
)
_FIO = "fio --name=j --directory={place} --size=2m --bs=4k --rw=write --fdatasync=1 --end_fsync=1"


class Case(NamedTuple):
    """The command, and what both kernels have to tell of its result: the file was written and synchronised
    before, and its pages were dropped."""

    command: str
    verdict: str
    named: frozenset[str] = frozenset()  # findings, and evidence that is missing


def _case(command: str, verdict: str, *named: str) -> Case:
    return Case(command, verdict, frozenset(named))


CASES: Mapping[str, Case] = {
    "write": _case(f"{_WRITE} conv=fsync", "VALID"),
    "direct write": _case(f"{_WRITE} conv=fsync oflag=direct", "VALID"),
    "write without synchronisation": _case(_WRITE, "VALID"),
    "write synchronised by nothing": _case(f"{_QUIET} {_WRITE} conv=fdatasync", "VALID"),
    "each write synchronised": _case(f"{_FIO} --output-format=json", "VALID"),
    "each write synchronised by nothing": _case(
        f"{_QUIET} {_FIO} --output-format=json", "INVALID", "syncs-not-at-device"
    ),
    "read": _case(_READ, "VALID"),
    "direct read": _case(f"{_READ} iflag=direct", "VALID"),
    "read of what was read before": _case(f"cat {{place}}/file >/dev/null; {_READ}", "UNPROVEN", "fetched"),
    "read of what another process mapped": _case(
        f"{{python}} -c '{_MAPS}' {{place}}/file; {_READ}", "DEGRADED", "read-from-cache", "fetched"
    ),
}
QUICK = ("write", "read of what another process mapped")
_MAKES = "head -c 48M /dev/urandom >{place}/file && sync {place}/file"
_DROPS = "dd if={place}/file iflag=nocache count=0 2>/dev/null"


def start(machine: Machine) -> None:
    machine.out("sh", "-c", f"mkfs.ext4 -q -F /dev/ubda && mkdir -p {_DISK} && mount /dev/ubda {_DISK}")


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with proving_guest("ext4 on a disk of a guest", ("mkfs.ext4", "fio", "cc"), start) as running:
        yield running


@pytest.fixture(scope="module")
def built() -> Iterator[dict[str, str]]:
    """A library where both machines see it, which have a /tmp each."""
    with tempfile.TemporaryDirectory(prefix="lab-programs-", dir=ROOT / "build") as folder:
        quiet = shared_library(Path(folder) / "quiet.so", ROOT / "tests/zoo/quiet_series.c")
        yield {"quiet": str(quiet), "python": sys.executable}


@pytest.fixture(scope="module")
def own_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of this machine that nobody else uses."""
    need(loop_devices, mounts)
    work = tmp_path_factory.mktemp("disk")
    with skips_unstaged(), mounted(DIRECT_LOOP, work / "mount", work, work):
        yield work / "mount"


def _script(case: str, place: Path, built: Mapping[str, str]) -> str:
    """Prints what weir prove wrote about the results of a case, after what it printed itself."""
    names = {**built, "place": str(place)}
    inner = CASES[case].command.format(**names).replace('"', '\\"').replace("$", "\\$")
    weir = f'{sys.executable} -m weir prove --json {place}/seen.json -- sh -c "{inner}" 2>&1'
    return "\n".join(
        [
            f"cd {ROOT}",
            f"[ -f {place}/file ] || {{ {_MAKES.format(**names)}; }}",
            _DROPS.format(**names),
            weir,
            f"echo; tr -d '\\n' <{place}/seen.json; rm -f {place}/seen.json {place}/new {place}/j.*",
        ]
    )


def _told(output: str) -> tuple[str, frozenset[str]]:
    """The verdict on the one result but for what the machine did, its findings, and what it lacks. None is
    judged where no call was seen."""
    results = results_of(output.splitlines()[-1], output)
    if not results:
        return "UNPROVEN", frozenset()
    (one,) = results
    left = "UNPROVEN" if one.missing else "VALID"
    return one.verdict if one.of_itself else left, frozenset(one.of_itself + one.missing)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if case in QUICK else [pytest.mark.weekly]) for case in CASES]
)
def test_both_kernels_have_one_verdict(
    machine: Machine, built: dict[str, str], own_disk: Path, case: str
) -> None:
    expected = (CASES[case].verdict, CASES[case].named)
    output = machine.out("sh", "-c", _script(case, _DISK, built), limit_s=_LIMIT_S)
    assert _told(output) == expected, output
    for _ in range(TRIALS):  # others use the disk below
        script = _script(case, own_disk, built)
        output = ran(["sh", "-c", script], check=True).stdout
        if _told(output) == expected:
            break
    assert _told(output) == expected, output
