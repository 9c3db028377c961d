"""What fio --minimal prints: a line of each job, without the request."""

from pathlib import Path

import pytest

from tests.unit.imported import rows_of, run_of

SHARES = ("1", "5", "10", "20", "30", "40", "50", "60", "70", "80", "90", "95", "99", "99.5", "99.9")
NOTHING = "0;0;0;0;0;0;0.0;0.0;0;0;0.0;0.0;{}0%=0;0%=0;0;0;0.0;0.0;0;0;0%;0.0;0.0{}"


def line(version: int, name: str = "a", read_kib: int = 2048, more: str = "") -> str:
    """A read of 4 s; each percentile in microseconds is its share, but the last one."""
    shares = "".join(f"{float(one):f}%={float(one):.0f};" for one in SHARES).replace("=100;", "=250;")
    samples = ";9;1;2;1.5;0.5;9" if version == 5 else ""
    head = f"{version};{name};0;0;" if version == 2 else f"{version};fio-3.33;{name};0;0;"
    read = f"{read_kib};{read_kib // 4};128;4000;0;1;0.5;0.1;9;300;20.5;3.1;{shares}0%=0;0%=0;10;301;21.0;3.2"
    nothing = NOTHING.format(shares, samples)
    trims = "" if version == 3 else f";{nothing}"
    return f"{head}{read};500;524;100%;512.0;3.5{samples};{nothing}{trims};1.0%;2.0%;9;0;1{more}\n"


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_the_fields_of_each_version_are_read(version: int) -> None:
    """All of them were refused."""
    parsed = run_of("fio: note\n" + line(version))
    (row,) = parsed.rows
    assert (row["access"], row["moved_bytes"], row["bw_mib_s"], row["total_s"]) == ("read", 2 << 20, 0.5, 4)
    assert (row["ops_s"], row["lat_min_us"], row["lat_max_us"]) == (128, 10, 301)
    assert (row["lat_p50_us"], row["lat_p99_us"], row["lat_p999_us"]) == (50, 99, 250)
    assert (row["api"], row["order"], row["xfer_bytes"], row["iodepth"]) == (None, None, None, None)
    assert parsed.tool_version == ("" if version == 2 else "3.33")


def test_writes_stand_behind_reads() -> None:
    fields = line(5).split(";")
    at = 5 + 12 + len(SHARES) + 2 + 15
    swapped = [*fields[:5], *fields[at : 2 * at - 5], *fields[5:at], *fields[2 * at - 5 :]]
    assert [(row["access"], row["bw_mib_s"]) for row in run_of(";".join(swapped)).rows] == [("write", 0.5)]


def test_lines_of_one_job_are_neither_workers_nor_repetitions(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, line(3) + line(3, read_kib=4096) + line(3, name="b"))
    assert [row["bw_mib_s"] for row in rows] == [0.5, 1, 0.5]
    assert len({row["cell"] for row in rows}) == 3


def test_a_job_that_failed_is_told(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, line(3).replace(";a;0;0;", ";a;0;28;"))
    assert (row["verdict"], row["evidence"]) == ("INVALID", "a: error 28")
