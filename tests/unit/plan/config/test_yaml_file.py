"""weir/plan/config/yaml_file.py"""

import os
import sys
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT
from tests.programs import ran
from weir.base.errors import ConfigError
from weir.plan.config.yaml_file import key_text, parse_yaml, read_yaml


@pytest.fixture(autouse=True, params=["CSafeLoader", "SafeLoader"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """All of this module holds with the loader that a PyYAML without libyaml has, too."""
    monkeypatch.setattr("weir.plan.config.yaml_file.LOADER", getattr(yaml, request.param), raising=False)
    return str(request.param)


@pytest.mark.slow
def test_a_package_without_libyaml_reads_a_configuration(loader: str) -> None:
    """As pip builds it where there is no wheel and no libyaml."""
    without = "" if loader.startswith("C") else "; del yaml.CSafeLoader, yaml.CSafeDumper"
    code = f"import sys, yaml{without}\nfrom weir.cli import main\nsys.exit(main(['plan', '--json']))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert ran([sys.executable, "-c", code], cwd=ROOT, env=environment, code=0).stderr == ""


def test_every_key_and_item_has_its_line() -> None:
    file = parse_yaml("a: 1\nb:\n  c: [x,\n    y]\n  d:\n    - e: 1\n", "f.yaml")
    assert file.data == {"a": 1, "b": {"c": ["x", "y"], "d": [{"e": 1}]}}
    assert file.line(("b", "c", 1)) == 4
    assert file.line(("b", "d", 0, "e")) == 6
    assert file.line(("b", "missing", "inner")) == 2
    assert key_text(("b", "d", 0, "e")) == "b.d[0].e"


def test_scalars_follow_yaml_1_2() -> None:
    text = "[off, no, Yes, 100:16:4:4, 1_000, 0x10, NULL, null, ~, true, False, 3, 1.5, 1e3, '7', 2026-01-01]"
    texts = ["off", "no", "Yes", "100:16:4:4", "1_000", "0x10", "NULL"]
    values = [None, None, True, False, 3, 1.5, 1000.0, "7", "2026-01-01"]
    assert parse_yaml(text, "f").data == texts + values


def test_a_key_that_stands_twice_is_an_error() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml("a: 1\nb: 2\na: 3\n", "f.yaml")
    assert "f.yaml:3: a: 'a' stands here twice (first in line 1)" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("a: b: c\n", "f.yaml:1", "into quotes"),
        ("a:\n\tb: 1\n", "f.yaml:2", "spaces, not with tabs"),
        ("a: [1, 2\nb: 3\n", "f.yaml:2", "close the bracket"),
        ("a: {b: 1\nc: 3\n", "f.yaml:2", "close the bracket"),
        ("a:\n  b: 1\n c: 2\n", "f.yaml:3", "indent 'c' by 2 spaces, like 'b' in line 2"),
        ("a: 1\nbcd\ne: 2\n", "f.yaml:3", "write 'key: value'"),
        ("a: 'x\nb: 1\n", "f.yaml:3", "close the quote"),
        ("a: @x\n", "f.yaml:1", "into quotes"),
        ("a: *x\n", "f.yaml:1", "begins with * into quotes"),
        ("a:\n  - 1\n  b: 2\n", "f.yaml:3", "begin every item"),
        ("arguments: [{root}/bin/x]\n", "f.yaml:1", "quotes"),
        ("a: {[1]: 2}\n", "f.yaml:1", "quotes"),
    ],
)
def test_what_is_no_yaml_says_where(text: str, place: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "f.yaml")
    assert str(caught.value).startswith(place)
    assert hint in str(caught.value)


BOMB = "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
DEEP_ALIASES = "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 40))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (BOMB, 13, "more than 20,000 values"),
        (DEEP_ALIASES, 30, "nested too deep"),
        ("a: 1\nb: &b [*b]\n", 2, "'*b' stands inside of what it stands for"),
        ("a: 1\nb: " + "[" * 100_000, 2, "nested too deep"),
        ("a: 1\nb: " + "{a: " * 100_000, 2, "nested too deep"),
        ("a:\n" + "".join("  " * i + "- a:\n" for i in range(1, 600)), 16, "nested too deep"),
        ("a: 1\nb: " + "9" * 6000 + "\n", 2, "too large a number"),
        ("a: 1\nb: -99999999999999999999\n", 2, "too large a number"),
        ("a: 1\nb: 1e999\n", 2, "too large a number"),
        ("a: 1\nb: [" + "1, " * 30_000 + "]\n", 2, "more than 20,000 values"),
        ("".join(f"k{i}: 1\n" for i in range(30_000)), 10_000, "more than 20,000 values"),
        ('a: 1\nb: "/scratch/x\\0y"\n', 2, "holds the control character U+0000"),
        ('a: 1\n"b\\e[31m": 1\n', 2, "holds the control character U+001B"),
        (f"a: 1\n? {'k' * 900}\n: 2\n", 2, "is too long"),
    ],
)
@pytest.mark.row("suite, contract")
def test_a_file_that_would_take_memory_or_time_is_refused_with_its_line(
    text: str, line: int, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "f.yaml")
    assert str(caught.value).startswith(f"f.yaml:{line}: ")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.row("suite, contract")
def test_more_text_than_any_configuration_has_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large.yaml").write_text("a: 1 # " + "x" * 2**21)
    with pytest.raises(ConfigError, match=r"large.yaml: holds more than 1,048,576 characters"):
        read_yaml(tmp_path / "large.yaml", tmp_path)
    with pytest.raises(ConfigError, match=r"/dev/zero: holds more than 1,048,576 characters"):
        read_yaml(Path("/dev/zero"), tmp_path)


def test_aliases_stand_for_what_is_anchored() -> None:
    assert parse_yaml("a: &a {b: 1}\nc: [*a, *a]\n", "f").data["c"] == [{"b": 1}, {"b": 1}]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing.yaml: cannot be read: No such file"):
        read_yaml(tmp_path / "missing.yaml", tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"a: \xe9\n")
    with pytest.raises(ConfigError, match=r"latin.yaml: is not UTF-8 text"):
        read_yaml(tmp_path / "latin.yaml", tmp_path)
    assert read_yaml(Path("/dev/null"), tmp_path).data is None
