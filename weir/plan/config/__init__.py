"""config/ as objects: load_config reads and checks everything that a plan is made of."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.errors import ConfigError, Problem, did_you_mean
from weir.data import load_schema
from weir.plan.config.schema import check
from weir.plan.config.sites import Identities, load_site
from weir.plan.config.sources import CONFIG_FILE, Sources, find_sources, layered
from weir.plan.config.suite import FULL, Suite
from weir.plan.config.suites import load_suite
from weir.plan.config.yaml_file import YamlFile, read_yaml
from weir.records.model import Site
from weir.tools import tools as found_tools
from weir.tools.base import Tool

KEYS = ("site", "suites", "targets", "stacks", "scale")
_LISTS = ("suites", "targets", "stacks")


def variable_of(key: str) -> str:
    """The variable of the environment that replaces a key of config.yaml."""
    return f"WEIR_{key.upper()}"


@dataclass(frozen=True)
class Config:
    """All that a plan is made of."""

    sources: Sources
    site: Site
    identities: Identities
    suites: tuple[Suite, ...]
    targets: tuple[str, ...]  # chosen ones, in the order of their files
    stacks: tuple[str, ...]
    scale: str
    scale_requested: bool  # if not, it is the site's


def load_config(
    file: Path | None = None,
    *,
    root: Path | None = None,
    config_dir: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    tools: Mapping[str, Tool] | None = None,
) -> Config:
    """Read config.yaml (or file), what the environment and overrides change, the site and the suites.

    root is a checkout; without one, find_sources looks for the configuration.
    """
    overrides = overrides or {}
    config_dir = config_dir or overrides.get("config_dir")
    if root is None:
        sources = find_sources(config_dir, environment=environment)
    else:
        root = root.resolve()
        sources = layered(root, root / "config", config_dir, environment=environment)
    tools = found_tools() if tools is None else tools
    chosen = _choices(file or sources.file(CONFIG_FILE), sources.root, overrides, environment)
    problems: list[Problem] = []
    requested: str = chosen.data.get("scale", "")
    try:
        site, identities = load_site(sources, chosen.data["site"], tools)
        scale = requested or site.scale
        suites = _suites(sources, chosen.data["suites"], scale, tools, problems)
    except ConfigError as error:
        # The mistakes of the suites are told in the same go.
        _suites(sources, chosen.data["suites"], requested or FULL, tools, problems)
        raise ConfigError([*error.problems, *problems]) from error
    for part, known in (("targets", site.targets), ("stacks", site.stacks)):
        message = f"site {site.name} has no {part.removesuffix('s')} '{{}}'"
        problems += chosen.unknown((part,), chosen.data[part], known, message)
        for one in (experiment for suite in suites for experiment in suite.experiments):
            problems += one.file.unknown((*one.keys, part), getattr(one, part), known, message)
    problems += _unknown_scale(chosen, requested, suites)
    if problems:
        raise ConfigError(problems)
    targets = tuple(name for name in site.targets if name in (chosen.data["targets"] or site.targets))
    stacks = tuple(name for name in site.stacks if name in (chosen.data["stacks"] or site.stacks))
    return Config(sources, site, identities, tuple(suites), targets, stacks, scale, bool(requested))


def _suites(
    sources: Sources, names: Sequence[str], scale: str, tools: Mapping[str, Tool], problems: list[Problem]
) -> list[Suite]:
    """The suites that can be read; faults of the others are added to `problems`."""
    suites = []
    for name in names:
        try:
            suites.append(load_suite(sources, name, scale, tools))
        except ConfigError as error:
            problems.extend(error.problems)
    return suites


def _choices(
    path: Path, root: Path, overrides: Mapping[str, Any], environment: Mapping[str, str] | None
) -> YamlFile:
    """config.yaml with what overrides it; other keys of snakemake --config are not checked."""
    file = read_yaml(path, root)
    environment = os.environ if environment is None else environment
    if isinstance(file.data, dict):
        for key in KEYS:
            variable = variable_of(key)
            value, origin = overrides.get(key), f"requested {key}"
            if not value:
                value, origin = environment.get(variable), variable
            if value:
                file.data[key] = _as_list(value) if key in _LISTS else value
                file.origins[key] = origin
    problems = check(file, load_schema("config"))
    if problems:
        raise ConfigError(problems)
    file.data = {"targets": [], "stacks": []} | file.data
    return file


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return list(value) if isinstance(value, Sequence) else [value]


def _unknown_scale(chosen: YamlFile, scale: str, suites: Sequence[Suite]) -> list[Problem]:
    """A scale that is requested and that no chosen suite has is a mistake; one that some have is not."""
    if scale in ("", FULL) or not suites or any(suite.scale == scale for suite in suites):
        return []
    names = ", ".join(suite.name for suite in suites)
    known = {FULL, *(name for suite in suites for name in suite.scales)}
    message = f"no suite of {names} has the scale '{scale}'"
    return [chosen.problem(("scale",), message, did_you_mean(scale, known))]
