"""weir/plan/config/suites.py: what a suite's file means, and the messages for wrong ones."""

from pathlib import Path

import pytest

from tests.checkout import SUITE, load, make_checkout
from weir.base.errors import ConfigError
from weir.plan.config.expression import Expression

HEAD = "suite: mine\nquestion: How?\nexperiments:\n  one:\n    tool: fake\n    nodes: [1]\n    ppn: [1]\n"


def problems_of(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(make_checkout(folder, {"mine": text}))
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_values_are_converted_and_formulas_compiled(tmp_path: Path) -> None:
    text = HEAD + (
        "    space: {xfer: [16 KiB, 1 MB]}\n"
        "    fixed: {block: '= 2 * xfer', access: [write], sync: false,\n"
        "            stonewall: 5 min, hints: {b: 1, a: x}}\n"
        "    timeout: 2 min\n"
    )
    (suite,) = load(make_checkout(tmp_path, {"mine": text})).suites
    (experiment,) = suite.experiments
    values = {axis.name: axis.values for axis in experiment.axes}
    assert values["xfer"] == (16384, 10**6)
    assert values["access"] == (["write"],)
    assert values["sync"] == (False,)
    assert values["stonewall"] == (300.0,)
    assert values["hints"] == ({"a": "x", "b": "1"},)
    assert isinstance(values["block"][0], Expression)
    assert experiment.timeout_s == 120
    assert (experiment.rounds, experiment.iterations) == (1, 1)


def test_a_formula_comes_after_what_it_uses(tmp_path: Path) -> None:
    text = HEAD + "    fixed: {stripe_count: '= block // xfer', block: '= 2 * xfer', xfer: 1 MiB}\n"
    (suite,) = load(make_checkout(tmp_path, {"mine": text})).suites
    assert [axis.name for axis in suite.experiments[0].axes] == ["xfer", "block", "stripe_count"]


@pytest.mark.parametrize(
    ("line", "place", "message", "hint"),
    [
        ("spase: {}", "8: experiments.one.spase", "unknown key 'spase'", "did you mean 'space'?"),
        ("space: {xfre: [1 MiB]}", "8: experiments.one.space.xfre", "no parameter 'xfre'", "'xfer'?"),
        ("space: {xfer: [16384]}", "8: experiments.one.space.xfer[0]", "16384 has no unit", "'16 KiB'"),
        ("space: {xfer: [0 B]}", "space.xfer[0]", "'0 B' is too small", "at least 1"),
        ("space: {xfer: [1 MiB, 1024 KiB]}", "space.xfer[1]", "in the list of 'xfer' twice", "keep one"),
        ("space: {xfer: 1 MiB}", "space.xfer", "'1 MiB' is not a list", "write [1 MiB]"),
        ("space: {xfer: []}", "space.xfer", "is empty", "at least 1"),
        ("fixed: {api: posix}", "8: experiments.one.fixed.api", "not one of the choices", "'POSIX'?"),
        ("fixed: {access: [wirte]}", "fixed.access", "not one of the choices", "'write'?"),
        ("fixed: {sync: yes}", "fixed.sync", "'yes' is not true or false", "write true"),
        ("fixed: {stripe_count: -1}", "fixed.stripe_count", "-1 is too small", "at least 0"),
        ("fixed: {stripe_count: 1 B}", "fixed.stripe_count", "not a whole number", "without unit"),
        ("fixed: {stonewall: 60}", "fixed.stonewall", "60 has no unit", "'60 s'"),
        ("fixed: {hints: [a]}", "fixed.hints", "not a valid group of hints", "{romio_cb_write: enable}"),
        ("fixed: {geometry: 7}", "fixed.geometry", "7 is not text", 'in quotes: "7"'),
        ("fixed: {block: '= 2 * xfre'}", "fixed.block", "unknown name 'xfre'", "'xfer'?"),
        ("fixed: {block: '= block'}", "fixed.block", "needs itself", "break the circle"),
        ("where: [{exclude: xfer > 1}]", "where[0]", "'because' is missing", "The reason"),
        ("where: [{exclude: ap > 1, because: x}]", "where[0].exclude", "unknown name 'ap'", "'api'?"),
        ("repetitions: {rounds: 0}", "repetitions.rounds", "0 is too small", "at least 1"),
        ("targets: {kind: [disc]}", "targets.kind[0]", "no kind of target 'disc'", "'disk'?"),
        ("targets: [dsk]", "targets[0]", "site here has no target 'dsk'", "'disk'?"),
        ("scales: {q: {ppn: two}}", "scales.q.ppn", "'two' is not a list", "write a list of whole numbers"),
        ("scales: {q: {ppn: many}}", "scales.q.ppn", "'many' is not a list", "such as [1, 2]"),
        (
            "scales: {q: {ppn: [two]}}",
            "scales.q.ppn[0]",
            "'two' is not a whole number",
            "write it in digits, such as 2",
        ),
        ("targets: disk", "targets", "'disk' is not a list", "write [disk]"),
        ("stacks: [plane]", "stacks[0]", "site here has no stack 'plane'", "'plain'?"),
        ("timeout: 60", "timeout", "60 has no unit", "'60 s'"),
        ("scales: {quick: {node: [1]}}", "scales.quick.node", "unknown key 'node'", "'nodes'?"),
        ("scales: {quick: {space: {xfer: [1]}}}", "scales.quick.space.xfer[0]", "1 has no unit", "'1 B'"),
    ],
)
def test_mistakes_are_named_with_file_line_key_and_hint(
    tmp_path: Path, line: str, place: str, message: str, hint: str
) -> None:
    printed = problems_of(tmp_path, f"{HEAD}    {line}\n")
    assert printed.startswith("config/suites/mine.yaml:8: ")
    assert place in printed
    assert message in printed
    assert hint in printed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("suite: mine", "suite: yours", "1: suite: the suite is named 'yours', its file 'mine.yaml'"),
        ("tool: fake", "tool: fkae", "5: experiments.one.tool: there is no tool 'fkae'"),
        ("ppn: [1]", "ppn: [0]", "7: experiments.one.ppn[0]: 0 is too small"),
        ("nodes: [1]", "nodes: [1, 1]", "6: experiments.one.nodes: '1' stands in the list twice"),
        ("nodes: [1]", "nodes: 1", "6: experiments.one.nodes: 1 is not a list"),
        ("question: How?\n", "", "1: the key 'question' is missing"),
        (
            "experiments:",
            "where: [{exclude: ap > 1, because: x}]\nexperiments:",
            "3: where[0].exclude: 'ap > 1' uses the unknown name 'ap'",
        ),
        ("  one:", "  Number One:", "4: experiments.Number One: 'Number One' is not a name"),
    ],
)
def test_mistakes_in_the_frame(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert f"mine.yaml:{message}" in problems_of(tmp_path, HEAD.replace(old, new))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("fixed: {api: POSIX}", "8: fixed: stands beside the experiments", "into experiments: one:"),
        ("  fixed: {api: POSIX}", "8: experiments.fixed: stands beside the exp", "into experiments: one:"),
        ("  space:\n    xfer: [1 MiB]", "8: experiments.space: stands beside the exp", "beside its tool"),
        (
            "   fixed: {api: POSIX}",
            "8: is not valid YAML",
            "indent 'fixed' by 4 spaces, like 'ppn' in line 7",
        ),
        ("     fixed: {api: POSIX}", "8: is not valid YAML", "indent 'fixed' by 4 spaces, like 'ppn'"),
        ("    fixed: [api, POSIX]", "one.fixed: a list is not keys with values", "such as api: POSIX"),
        ("    fixed:\n    - api: POSIX", "one.fixed: a list is not keys with values", "without '- '"),
        ("    fixed: {api: [POSIX, MPIIO]}", "one.fixed.api: a list of 2", "space: {api: [POSIX, MPIIO]}"),
        ("    fixed: {geometry: [a, b]}", "one.fixed.geometry: a list of 2", "space: {geometry: [a, b]}"),
        ("    fixed: {sync: [true]}", "one.fixed.sync: a list of 1", "space: {sync: [true]}"),
    ],
)
def test_what_stands_in_the_wrong_place_is_told_where_it_belongs(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    found = problems_of(tmp_path, HEAD + text + "\n")
    assert message in found
    assert hint in found
    assert "quotes" not in found
    assert found.count("mine.yaml") == 1  # and nothing that follows from it


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    printed = problems_of(tmp_path, HEAD + "    fixed: {api: posix, sync: 1, blcok: 1 MiB, xfer: 3}\n")
    assert printed.count("config/suites/mine.yaml:8:") == 4


def test_a_suite_that_is_not_there(tmp_path: Path) -> None:
    make_checkout(tmp_path)
    with pytest.raises(ConfigError, match="there is no suite 'mien'") as caught:
        load(tmp_path, suites=["mien"])
    assert "did you mean 'mine'?" in str(caught.value)


SCALED = SUITE + (
    "scales:\n"
    "  quick: {nodes: [1], ppn: [1], space: {xfer: [16 KiB]}, repetitions: {rounds: 1}}\n"
    "  half: {fixed: {api: POSIX}}\n"
)


def test_a_scale_takes_the_place_of_lists(tmp_path: Path) -> None:
    make_checkout(tmp_path, {"mine": SCALED})
    quick = load(tmp_path, scale="quick").suites[0].experiments[0]
    assert (quick.ppn, quick.rounds, quick.iterations) == ((1,), 1, 3)
    assert {axis.name: axis.values for axis in quick.axes}["xfer"] == (16384,)
    half = load(tmp_path, scale="half").suites[0].experiments[0]
    assert {axis.name: axis.values for axis in half.axes}["api"] == ("POSIX",)
    full = load(tmp_path, scale="full").suites[0].experiments[0]
    assert full.ppn == (1, 2)
    assert len({axis.name: axis.values for axis in full.axes}["xfer"]) == 2


def test_an_experiment_changes_a_scale_for_itself(tmp_path: Path) -> None:
    own = SCALED.replace("    repetitions:", "    scales: {quick: {ppn: [4]}}\n    repetitions:", 1)
    make_checkout(tmp_path, {"mine": own})
    assert load(tmp_path, scale="quick").suites[0].experiments[0].ppn == (4,)


def test_scales_are_checked_also_when_they_are_not_requested_for(tmp_path: Path) -> None:
    printed = problems_of(tmp_path, SCALED.replace("xfer: [16 KiB]}", "xfer: [16 KB], yfer: [1]}"))
    assert "scales.quick.space.xfer[0]: '16 KB' has the unknown unit 'KB'" in printed
    assert "scales.quick.space.yfer: no experiment has the parameter 'yfer'" in printed


def test_a_scale_that_no_suite_has(tmp_path: Path) -> None:
    make_checkout(tmp_path, {"mine": SCALED})
    with pytest.raises(ConfigError, match="no suite of mine has the scale 'quikc'") as caught:
        load(tmp_path, scale="quikc")
    assert "did you mean 'quick'?" in str(caught.value)
