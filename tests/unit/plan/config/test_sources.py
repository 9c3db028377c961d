"""weir/plan/config/sources.py: a user's directory over config/, file by file."""

from pathlib import Path

import pytest

from tests.checkout import SITE, SUITE, TARGET, TOOLS, make_checkout
from tests.programs import replace_in, write_file
from weir.base.errors import ConfigError, WeirError
from weir.plan.config import load_config
from weir.plan.config.sites import load_site
from weir.plan.config.sources import Sources, find_sources


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_checkout(tmp_path / "checkout")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A suite, a target of the checkout's site, and a site of the user."""
    folder = tmp_path / "own"
    write_file(folder / "suites/other.yaml", SUITE.replace("suite: mine", "suite: other"))
    write_file(folder / "sites/here/targets/fast.yaml", TARGET.replace("target: disk", "target: fast"))
    site = SITE.replace("site: here", "site: lab").replace("{root}/bin", "{config}/bin")
    write_file(folder / "sites/lab/site.yaml", site)
    write_file(folder / "sites/lab/targets/disk.yaml", TARGET)
    return folder


def test_what_the_user_has_is_beside_what_is_shipped(root: Path, own: Path) -> None:
    sources = find_sources(own, start=root, environment={})
    assert (sources.sites(), sources.suites()) == (["here", "lab"], ["mine", "other"])
    site, _ = load_site(sources, "here", TOOLS)
    assert list(site.targets) == ["disk", "fast"]
    config = load_config(
        root=root, overrides={"suites": "mine,other"}, environment={"WEIR_CONFIG": str(own)}, tools=TOOLS
    )
    assert [suite.name for suite in config.suites] == ["mine", "other"]


def test_a_file_of_the_user_replaces_its_namesake(root: Path, own: Path) -> None:
    (own / "sites/here/targets/disk.yaml").write_text(TARGET.replace("A directory", "Another"))
    (own / "config.yaml").write_text("site: here\nsuites: [other]\n")
    config = load_config(root=root, config_dir=own, environment={}, tools=TOOLS)
    assert config.site.targets["disk"].description == "Another"
    assert [suite.name for suite in config.suites] == ["other"]


def test_placeholders_name_the_checkout_and_the_users_directory(root: Path, own: Path) -> None:
    sources = find_sources(own, start=root, environment={})
    assert load_site(sources, "lab", TOOLS)[0].stacks["plain"].programs["fake"] == (f"{own}/bin/fake",)
    assert load_site(sources, "here", TOOLS)[0].stacks["plain"].programs["fake"] == (f"{root}/bin/fake",)


def test_mistakes_name_the_users_file_and_all_places(root: Path, own: Path) -> None:
    sources = find_sources(own, start=root, environment={})
    with pytest.raises(ConfigError, match=rf"^{own}/sites, config/sites: there is no site 'lap'"):
        load_site(sources, "lap", TOOLS)
    file = own / "sites/here/targets/fast.yaml"
    replace_in(file, "kind: disk", "kind: disc")
    with pytest.raises(ConfigError, match=rf"^{file}:2: kind: 'disc'"):
        load_site(sources, "here", TOOLS)


@pytest.mark.parametrize("part", ["contracts", "applications"])
def test_a_file_or_the_name_of_one(root: Path, tmp_path: Path, part: str) -> None:
    folder = tmp_path / "only" / part
    write_file(folder / "mine.yaml", "")
    sources = find_sources(tmp_path / "only", start=root, environment={})
    assert sources.named_file(part, "mine") == folder / "mine.yaml"
    assert sources.named_file(part, "other/mine.yaml") == Path("other/mine.yaml")
    plain = tmp_path / "plain"
    plain.write_text("")
    assert sources.named_file(part, str(plain)) == plain
    kind = part.removesuffix("s")
    searched = rf"^{tmp_path}/only/{part}, config/{part}: there is no {kind} 'mien'\n.*did you mean 'mine'\?"
    with pytest.raises(ConfigError, match=searched) as caught:
        sources.named_file(part, "mien")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("name", "problem"), [("none", "is not a directory"), ("empty", "holds none of")])
def test_a_directory_without_configuration_is_wrong_use(root: Path, name: str, problem: str) -> None:
    (root / "empty").mkdir()
    with pytest.raises(WeirError, match=problem) as caught:
        find_sources(root / name, start=root, environment={})
    assert (caught.value.exit_code, caught.value.problems[0].key) == (2, "--config-dir")
    with pytest.raises(WeirError, match=f"^WEIR_CONFIG: .*{problem}"):
        find_sources(start=root, environment={"WEIR_CONFIG": str(root / name)})
    with pytest.raises(WeirError, match=r"^--config-dir: '~nobody-here/config' is not a directory"):
        find_sources("~nobody-here/config", start=root, environment={})


def test_without_a_checkout_the_installed_configuration_counts(tmp_path: Path) -> None:
    sources = find_sources(start=tmp_path, environment={})
    assert isinstance(sources, Sources)
    assert {"local", "sandbox"} <= set(sources.sites())
    assert "quick" in sources.suites()
