"""weir/plan/config: config.yaml, the environment and the command line, in this order."""

from pathlib import Path

import pytest

from tests.checkout import SITE, SUITE, TARGET, TOOLS, load, make_checkout
from weir.base.errors import ConfigError, WeirError
from weir.plan import make_plan
from weir.plan.config import load_config
from weir.plan.config.sources import find_sources
from weir.workflow.study import archive_of, measured_study


def checkout(folder: Path) -> Path:
    targets = {"disk": TARGET, "memory": TARGET.replace("target: disk", "target: memory")}
    suites = {"mine": SUITE, "other": SUITE.replace("suite: mine", "suite: other")}
    return make_checkout(folder, suites, targets=targets)


def test_what_is_said_last_counts(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    environment = {"WEIR_SUITES": "other, mine", "WEIR_TARGETS": "memory"}
    plain = load(root)
    assert ([suite.name for suite in plain.suites], plain.targets) == (["mine"], ("disk", "memory"))
    from_environment = load_config(root=root, environment=environment, tools=TOOLS)
    assert [suite.name for suite in from_environment.suites] == ["other", "mine"]
    assert from_environment.targets == ("memory",)
    requested = load_config(root=root, environment=environment, overrides={"targets": ["disk"]}, tools=TOOLS)
    assert requested.targets == ("disk",)


def test_keys_that_are_not_weirs_are_left_alone(tmp_path: Path) -> None:
    """Snakemake gives all that stands behind --config."""
    overrides = {"suites": "other,mine", "records": "x.csv", "scale": "", "targets": []}
    config = load(checkout(tmp_path), **overrides)
    assert len(config.suites) == 2
    assert config.scale == "full"


def test_a_site_has_a_scale_of_its_own(tmp_path: Path) -> None:
    scaled = SUITE + "scales: {quick: {ppn: [1]}}\n"
    suites = {"mine": scaled, "plain": SUITE.replace("suite: mine", "suite: plain")}
    root = make_checkout(tmp_path, suites, SITE + "scale: quick\n")
    config = load(root)
    assert (config.scale, config.scale_requested) == ("quick", False)
    assert config.suites[0].experiments[0].ppn == (1,)
    assert measured_study(make_plan(config), root).name == "mine"
    assert make_plan(load(root, suites="plain")).notes == ()  # nobody requested quick
    requested = load(root, scale="full")
    assert (requested.suites[0].experiments[0].ppn, requested.scale_requested) == ((1, 2), True)
    assert measured_study(make_plan(requested), root).name == "mine-full"


def test_a_campaign_has_a_name_that_snakemake_keeps(tmp_path: Path) -> None:
    """To Snakemake 2026.10 is the number 2026.1, whose folder is another one, or that of another campaign."""
    root = checkout(tmp_path)
    plan = make_plan(load(root))
    for name in ("2026-12", "2026", "0", "v1.10.2", "reframe-20261010-101010"):
        assert measured_study(plan, root, name).site_folder == f"results/here@{name}"
    for name in ("2026.10", "2026.1", "007", "1e3", "inf", "a b", "../x"):
        with pytest.raises(WeirError, match="is not a name of a campaign"):
            measured_study(plan, root, name)


def test_archived_records_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(WeirError, match=r"^records: there is no such file: archive/none\.csv"):
        archive_of({"records": "archive/none.csv"}, tmp_path)


def test_archived_records_may_be_below_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine.csv").touch()
    study = archive_of({"records": "~/mine.csv"}, tmp_path)
    assert study is not None
    assert study.records == tmp_path / "mine.csv"


def test_another_configuration_file(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    (root / "other.yaml").write_text("site: here\nsuites: [other]\ntargets: [memory]\n")
    config = load_config(root / "other.yaml", root=root, environment={}, tools=TOOLS)
    assert (config.suites[0].name, config.targets) == ("other", ("memory",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("site: here\n", "config/config.yaml:1: the key 'suites' is missing"),
        (
            "site: here\nsuits: [mine]\n",
            "config/config.yaml:2: suits: unknown key 'suits'\n    did you mean 'suites'?",
        ),
        (
            "site: here\nsuites: [mine]\ntargets: [dsk]\n",
            "config/config.yaml:3: targets[0]: site here has no target",
        ),
        ("", "config/config.yaml:1: is empty"),
    ],
)
def test_mistakes_in_config_yaml(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(make_checkout(tmp_path, config=text))
    assert message in str(caught.value)


def test_a_wrong_word_is_laid_to_where_it_was_said(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    with pytest.raises(ConfigError, match=r"^WEIR_TARGETS: site here has no target 'memroy'"):
        load_config(root=root, environment={"WEIR_TARGETS": "memroy"}, tools=TOOLS)
    with pytest.raises(ConfigError, match=r"^requested stacks: site here has no stack 'plane'"):
        load(root, stacks=["plane"])


def test_the_checkout_is_found_from_below(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    below = root / "results" / "here"
    below.mkdir(parents=True)
    assert find_sources(start=below, environment={}).root == root.resolve()


def test_errors_carry_an_exit_code() -> None:
    assert WeirError("the work failed").exit_code == 1
    assert str(WeirError("no", file="f", line=3, key="k", hint="do")) == "f:3: k: no\n    do"
