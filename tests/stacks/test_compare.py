"""envs/spack/compare.py: stacks side by side, on numbers with a known answer."""

import runpy

from tests.stacks.conftest import ROOT

COMPARE = runpy.run_path(str(ROOT / "envs" / "spack" / "compare.py"))


def rows(stack: str, values: list[float], verdict: str = "VALID") -> list[dict[str, str]]:
    point = {"api": "POSIX", "access": "write", "ppn": "2", "xfer_bytes": "16384"}
    return [
        {**point, "stack": stack, "verdict": verdict, "bw_mib_s": str(value), "run": str(run)}
        for run, value in enumerate(values)
    ]


def test_a_stack_of_half_the_speed_is_marked() -> None:
    text = COMPARE["table"](
        COMPARE["bandwidths"](rows("debian", [100.0, 101.0, 99.0]) + rows("spack", [50.0, 50.5, 49.5]))
    )
    line = next(line for line in text.splitlines() if line.startswith("POSIX write 16 KiB, 2 ranks"))
    assert "100, 3" in line
    assert "50, 3  0.50 [0.49, 0.51]*" in line


def test_a_difference_within_the_noise_is_not_marked() -> None:
    noisy = [80.0, 120.0, 100.0, 90.0, 110.0]
    low, high = COMPARE["ratio_interval"]([value + 5 for value in noisy], noisy)
    assert low < 1 < high


def test_iterations_of_one_run_count_once() -> None:
    many = [{**row, "run": "7"} for row in rows("debian", [90.0, 100.0, 500.0])]
    assert COMPARE["bandwidths"](many) == {("POSIX", "write", 2, 16384): {"debian": [100.0]}}


def test_invalid_records_and_absent_stacks_say_nothing() -> None:
    found = COMPARE["bandwidths"](rows("debian", [100.0]) + rows("spack", [1.0], verdict="INVALID"))
    assert found == {("POSIX", "write", 2, 16384): {"debian": [100.0]}}
