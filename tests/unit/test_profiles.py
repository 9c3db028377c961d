"""Profiles hold how jobs are submitted and followed; account, queue, nodes and time are the site's."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT

PROFILES = sorted((ROOT / "profiles").glob("*/config.yaml"))
# What a resource or an option of a site may not be set to here, in any batch system's spelling.
OF_A_SITE = {
    *("account", "partition", "queue", "qos", "constraint", "project", "bank", "reservation"),
    "runtime",
}
OF_A_SITE |= {"nodes", "tasks", "mem", "mem_mb", "walltime", "clusters", "options", "extra", "site", "suites"}


def names(value: Any) -> Iterator[str]:
    """Keys on all levels, and the names in lists of NAME=VALUE."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from names(inner)
    elif isinstance(value, list):
        for each in value:
            yield from names(each) if isinstance(each, dict) else [str(each).partition("=")[0]]


def facts_of_a_site(text: str) -> set[str]:
    found = {part for name in names(yaml.safe_load(text)) for part in (name, name.rpartition("slurm-")[2])}
    return {name for name in found if name.removeprefix("slurm_").removeprefix("queue_") in OF_A_SITE}


@pytest.mark.parametrize("file", PROFILES, ids=lambda file: file.parent.name)
def test_a_profile_has_no_fact_of_a_site(file: Any) -> None:
    assert facts_of_a_site(file.read_text()) == set()


@pytest.mark.parametrize(
    "text",
    [
        "default-resources: [slurm_account=me]",
        "default-resources: {slurm_partition: debug}",
        "set-resources: {measure: {runtime: 60, io: 0}}",
        "set-resources: {measure: {queue_nodes: 4}}",
        "slurm-qos: high",
        "config: [site=lab]",
    ],
)
def test_one_that_had_would_be_found(text: str) -> None:
    assert facts_of_a_site(text)
