"""docs/reference and the files that weir ships; a key that these do not set is one that nobody tried."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.checkout import ROOT, SHIPPED_SITES, SHIPPED_SUITES, copy_shipped_config, shipped
from weir.data import load_schema
from weir.plan import make_plan
from weir.plan.config import load_config
from weir.plan.config.reference import SCHEMAS, pages


@pytest.mark.parametrize("page", [*SCHEMAS, "tools"])
def test_the_reference_is_not_stale(page: str) -> None:
    path = ROOT / "docs" / "reference" / f"{page}.md"
    assert path.read_text() == pages(ROOT)[path], "run: .venv/bin/python -m weir.plan.config.reference"


def properties(part: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(part, Mapping):
        for key, inner in part.get("properties", {}).items():
            yield f"{path}.{key}", inner
        for key, inner in part.items():
            yield from properties(inner, f"{path}.{key}")
    elif isinstance(part, list):
        for item in part:
            yield from properties(item, path)


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid_strict_and_described(name: str) -> None:
    schema = load_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert schema["$id"] == name
    found = dict(properties(schema))
    assert found
    assert [path for path, inner in found.items() if not inner.get("description")] == []


@pytest.mark.parametrize(
    "site",
    [site if site == "local" else pytest.param(site, marks=pytest.mark.slow) for site in SHIPPED_SITES],
)
def test_every_suite_can_be_planned_at_every_site(site: str) -> None:
    plan = make_plan(shipped(site, SHIPPED_SUITES))
    counted = sum(cell.checks is None for cell in plan.cells)
    assert counted + plan.cost.shared + plan.cost.excluded == plan.cost.points
    assert plan.cells


@pytest.mark.slow
@pytest.mark.parametrize("suite", SHIPPED_SUITES)
def test_each_suite_by_itself_has_something_to_measure(suite: str) -> None:
    assert make_plan(shipped("local", [suite])).batches


def test_the_page_on_clusters_names_the_suites_of_each_tag() -> None:
    page = (ROOT / "docs" / "how-to" / "reframe.md").read_text()
    plan = make_plan(shipped("local", SHIPPED_SUITES))
    for tag in ("smoke", "daily", "full"):
        (row,) = re.findall(rf"^\| `{tag}`.*\| suites? (.*) \|$", page, re.MULTILINE)
        assert set(re.findall(r"`([\w-]+)`", row)) == {
            facts.suite for facts in plan.suites if tag in facts.tags
        }


def test_the_quick_suite_is_quick() -> None:
    """What `make report` measures on a fresh machine, targets disk and memory together."""
    cost = make_plan(shipped("local", ["quick"], targets=["disk", "memory"])).cost
    assert 40 <= cost.executions <= 130
    assert cost.estimated_s < 240
    assert cost.peak_bytes <= 4 * 2**30


@pytest.mark.parametrize("scale", ["full", "quick"])
def test_the_suite_of_the_guide_can_be_planned(scale: str, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "how-to" / "suite.md").read_text()
    copy_shipped_config(tmp_path)
    example = guide.split("```yaml\n")[1].split("```")[0]
    (tmp_path / "config" / "suites" / "checkpoint.yaml").write_text(example)
    overrides = {"site": "local", "suites": ["checkpoint"], "scale": scale}
    plan = make_plan(load_config(root=tmp_path, overrides=overrides, environment={}))
    assert plan.cells
    # Its own audit called its phases too short.
    wanted = {"stonewall": 1.0, "wear_out": True, "sync": True, "drop_caches": True, "read_again": True}
    assert all(wanted.items() <= cell.params.items() for cell in plan.cells)
    assert {one.reason for one in plan.exclusions if one.cause == "rule"} == {"POSIX has no collective calls"}


def test_pages_are_written_where_they_are_looked_for() -> None:
    assert {path.parent for path in pages(ROOT)} == {Path(ROOT / "docs" / "reference")}


def keys(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from keys(inner)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), Mapping):
            yield from keys(schema[part])
    for inner in (*schema.get("oneOf", ()), *schema.get("$defs", {}).values()):
        yield from keys(inner)


@cache
def shown() -> frozenset[str]:
    """Keys in shipped files and in guides."""
    files = [
        *(ROOT / "config").rglob("*.yaml"),
        *(ROOT / "docs/how-to").rglob("*.md"),
        ROOT / "docs/tutorial.md",
    ]
    texts = [file.read_text() for file in files if not {"schemas", "reference"} & set(file.parts)]
    return frozenset(re.findall(r"\b([a-z_]+):", "\n".join(texts)))


@pytest.mark.parametrize("kind", ["suite", "site", "target", "application", "contract", "metric"])
def test_a_shipped_file_or_a_guide_uses_each_key(kind: str) -> None:
    schema = yaml.safe_load((ROOT / f"config/schemas/{kind}.schema.yaml").read_text())
    unused = sorted(set(keys(schema)) - shown())
    assert not unused, f"neither a file of config nor a guide sets {', '.join(unused)}"
