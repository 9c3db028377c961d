"""Hostile suites, sites, targets and contracts: a message in little time and memory."""

from pathlib import Path

import pytest

from tests.checkout import SUITE, load, make_checkout
from tests.fuzz_config import Input, failure_of, mutants, run
from weir.base.errors import ConfigError
from weir.plan import make_plan
from weir.plan.config import load_config

CPU_S = 10.0  # tests run beside others; `make fuzz-config` has the limit of a second
HEAD = "suite: mine\nquestion: How?\nexperiments:\n  one:\n    tool: fake\n    nodes: [1]\n    ppn: [1]\n"


@pytest.mark.parametrize(("inputs", "seed"), [(20, 1), pytest.param(150, 3, marks=pytest.mark.slow)])
def test_hostile_configurations_are_planned_or_refused_with_a_message(inputs: int, seed: int) -> None:
    failures = run(inputs, seed, cpu_s=CPU_S)
    assert not failures, f"{failures[0].input.name}: {failures[0].what}"


def test_the_same_seed_gives_the_same_inputs() -> None:
    assert [*mutants(20, 5)] == [*mutants(20, 5)]
    assert [*mutants(20, 5)] != [*mutants(20, 6)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: next(iter(())), "StopIteration"),
        (lambda: "x" * 2**30, "MemoryError"),
        (lambda: sum(range(2 * 10**7)), "took"),
    ],
)
def test_what_crashes_or_takes_too_much_is_found(tmp_path: Path, use: object, message: str) -> None:
    root = make_checkout(tmp_path)
    given = Input("suites/mine.yaml", SUITE.encode())
    assert failure_of(given, root, lambda root, name: None) is None
    failure = failure_of(given, root, lambda root, name: use(), cpu_s=0.01)  # type: ignore[operator]
    assert failure is not None
    assert message in failure.what


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "message"),
    [
        ("just text\n", "is empty or not a list of keys"),
        (HEAD + "".join(f"    k{i}: 1\n" for i in range(3000)), "more problems may follow"),
        (
            HEAD + "    targets: [" + ", ".join(f"{i % 9}, a" for i in range(6000)) + "]\n",
            "stands in the list twice",
        ),
        (
            HEAD
            + "".join(f"  e{i}: {{tool: fake, nodes: [1], ppn: [1]}}\n" for i in range(400))
            + "scales:\n"
            + "".join(f"  s{i}: {{}}\n" for i in range(400)),
            "the experiments have 160,801 editions",
        ),
        (HEAD + f"    timeout: {'9' * 6000} s\n", "is not a duration"),
        (HEAD + "    fixed: {block: '= xfer * 99999999999999999'}\n", "a number is larger than"),
        (HEAD + "    fixed: {geometry: '= api * 999999999'}\n", "is not a number"),
        (
            HEAD + f"    space: {{xfer: [{', '.join(f'{i} KiB' for i in range(1, 900))}],"
            f" stripe_count: [{', '.join(str(i) for i in range(900))}]}}\n",
            "the plan has 809,100 combinations up to here\n    at most 400,000",
        ),
    ],
)
def test_a_suite_that_would_take_memory_or_time_is_refused(tmp_path: Path, suite: str, message: str) -> None:
    root = make_checkout(tmp_path, {"mine": suite})
    with pytest.raises(ConfigError) as caught:
        make_plan(load(root))
    assert message in str(caught.value)
    assert str(caught.value).startswith("config/suites/mine.yaml:")


@pytest.mark.parametrize("pattern", ["a{1,99999999999}", "a" * 5000])
def test_a_pattern_of_hosts_that_cannot_be_compiled_is_a_message(tmp_path: Path, pattern: str) -> None:
    root = make_checkout(tmp_path)
    site = root / "config/sites/here/site.yaml"
    site.write_text(site.read_text() + f"hosts: ['{pattern}']\n")
    with pytest.raises(ConfigError, match="is not a regular expression"):
        load(root)


def test_problems_of_a_file_end_where_nobody_reads_on(tmp_path: Path) -> None:
    """Each may cost a search for the name that was meant."""
    root = make_checkout(
        tmp_path, {"mine": HEAD + "    where:\n" + "      - {because: x, exclude: nods > 1}\n" * 900}
    )
    with pytest.raises(ConfigError) as caught:
        load(root)
    assert len(caught.value.problems) < 110


def test_a_text_as_configuration_is_a_message(tmp_path: Path) -> None:
    root = make_checkout(tmp_path, config="just text\n")
    with pytest.raises(ConfigError, match="is empty or not a list of keys"):
        load_config(root=root, overrides={}, environment={})
