"""Reads config/contracts/<contract>.yaml: every value checked, converted and with its unit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import Any

from weir.base.errors import ConfigError, InputError, Problem, did_you_mean
from weir.base.units import HintedError, parse_duration, parse_rate, parse_size
from weir.collect.metrics import metric_named
from weir.data import load_schema
from weir.plan.config.parameters import cell_key, written_value
from weir.plan.config.schema import check
from weir.plan.config.yaml_file import Keys, YamlFile, read_yaml
from weir.tools import tools

IO500 = "io500"
PLACES = ("nodes", "ppn", "target", "experiment")
BEST, MEAN, MEDIAN = "best", "mean", "median"
_SIZES = ("bytes_per_node_at_least",)
_DURATIONS = ("phase_at_least", "span_at_most")


@dataclass(frozen=True)
class Promise:
    """A bound on a metric, in the unit of its column; None: to be given by --promise."""

    metric: str
    statistic: str
    by_interval: bool
    bound: float | None = None
    text: str = ""  # the bound as written

    @property
    def higher_is_better(self) -> bool:
        return metric_named(self.metric).higher_is_better

    @property
    def unit(self) -> str:
        return metric_named(self.metric).unit


@dataclass(frozen=True)
class Line:
    name: str
    text: str
    tool: str
    access: tuple[str, ...]
    select: Mapping[str, Any]  # by the parameter names of a cell
    conditions: Mapping[str, Any]  # those of the contract and its own
    promise: Promise | None
    takes_best: bool


@dataclass(frozen=True)
class NamedCampaign:
    """The one measurement that counts; both times are included."""

    study: str  # name of its folder, or the last parts of its path
    not_before: datetime
    not_after: datetime
    ledger_after: str | None  # digest of its last line

    @property
    def text(self) -> str:
        return f"{self.study}, {self.not_before:%Y-%m-%d %H:%M} to {self.not_after:%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True)
class Contract:
    name: str
    title: str
    source: str
    not_encoded: tuple[str, ...]
    suite: str | None
    must_be: str | None
    lines: tuple[Line, ...]
    campaign: NamedCampaign | None = None


def read_contract(path: Path, promises: Sequence[str] = ()) -> Contract:
    """promises: LINE=VALUE, which fill bounds that the file leaves open."""
    file = read_yaml(path, Path.cwd())
    problems = [*_complete(file), *check(file, load_schema("contract"))]
    if problems:
        raise ConfigError(problems)
    data = file.data
    if data["contract"] != path.stem:
        message = f"the contract is named '{data['contract']}', its file '{path.name}'"
        problems.append(file.problem(("contract",), message, f"write contract: {path.stem}"))
    lines = [_line(file, name, problems) for name in data["lines"]]
    campaign = _campaign(file, problems) if "campaign" in data else None
    if problems:
        raise ConfigError(problems)
    contract = Contract(
        data["contract"],
        data["title"],
        " ".join(data["source"].split()),
        tuple(data.get("not_encoded", ())),
        data.get("suite"),
        data.get("must_be"),
        tuple(lines),
        campaign,
    )
    return _promised(contract, promises)


def _complete(file: YamlFile) -> Iterator[Problem]:
    """Gives each line the keys that it lacks and the line that it is like has, of conditions key by key."""
    lines = file.data.get("lines") if isinstance(file.data, dict) else None
    if not isinstance(lines, dict):
        return
    above: dict[str, Any] = {}
    for name, line in lines.items():
        if isinstance(line, dict) and "like" in line:
            like = str(line.pop("like"))
            if like not in above:
                keys, message = ("lines", name, "like"), f"no line above is named '{like}'"
                yield file.problem(keys, message, did_you_mean(like, above))
            elif isinstance(above[like], dict):
                parts = [one.get("conditions", {}) for one in (above[like], line)]
                joined = parts[0] | parts[1] if all(isinstance(one, dict) for one in parts) else parts[1]
                lines[name] = above[like] | line | ({"conditions": joined} if joined else {})
        above[name] = lines[name]


def _campaign(file: YamlFile, problems: list[Problem]) -> NamedCampaign | None:
    data = file.data["campaign"]
    times = {}
    for key in ("not_before", "not_after"):
        try:
            times[key] = datetime.fromisoformat(data[key]).replace(tzinfo=UTC)
        except ValueError as error:
            problems.append(file.problem(("campaign", key), f"is not a time: {error}", "write 2026-03-01"))
    if len(times) < 2:
        return None
    if " " not in data["not_after"]:  # the whole day
        times["not_after"] += timedelta(days=1, seconds=-1)
    if times["not_after"] < times["not_before"]:
        keys, message = ("campaign", "not_after"), "the campaign ends before it begins"
        problems.append(file.problem(keys, message, f"a time from {data['not_before']} on"))
    return NamedCampaign(data["study"], times["not_before"], times["not_after"], data.get("ledger_after"))


def _line(file: YamlFile, name: str, problems: list[Problem]) -> Line:
    data, keys = file.data["lines"][name], ("lines", name)
    tool = data["tool"]
    if tool != IO500 and tool not in tools():
        hint = did_you_mean(tool, [*tools(), IO500])
        problems.append(file.problem((*keys, "tool"), f"there is no tool '{tool}'", hint))
    common, own = file.data.get("conditions", {}), data.get("conditions", {})
    merged = {**common, **own}
    merged["fixed"] = {
        **_values(file, tool, common.get("fixed", {}), ("conditions", "fixed"), problems),
        **_values(file, tool, own.get("fixed", {}), (*keys, "conditions", "fixed"), problems),
    }
    merged |= {key: parse_size(merged[key]) for key in _SIZES if key in merged}
    merged |= {key: parse_duration(merged[key]) for key in _DURATIONS if key in merged}
    return Line(
        name,
        " ".join(data["text"].split()),
        tool,
        tuple(data["access"]),
        _values(file, tool, data.get("select", {}), (*keys, "select"), problems),
        merged,
        _promise(file, data["promise"], (*keys, "promise"), problems) if "promise" in data else None,
        data.get("choose") == BEST,
    )


def _values(
    file: YamlFile, tool: str, given: Mapping[str, Any], keys: Keys, problems: list[Problem]
) -> dict[str, Any]:
    """Parameters as a cell holds them; common ones of a contract may belong to some of its tools only."""
    parameters = tools()[tool].parameters if tool in tools() else {}
    found = {}
    for name, value in given.items():
        if name in parameters:
            try:
                found[cell_key(name, parameters[name])] = written_value(parameters[name], value)
            except HintedError as error:
                problems.append(file.problem((*keys, name), str(error), error.hint))
        elif name in PLACES or tool == IO500:
            found[name] = value
        elif keys[0] == "lines" or not any(name in one.parameters for one in tools().values()):
            hint = did_you_mean(name, [*parameters, *PLACES])
            problems.append(file.problem((*keys, name), f"the tool {tool} has no parameter '{name}'", hint))
    return found


def _promise(file: YamlFile, data: Mapping[str, Any], keys: Keys, problems: list[Problem]) -> Promise:
    statistic = data.get("statistic", MEAN)
    if statistic == BEST and data.get("decided_by") != "value":
        message = "the best of several runs grows with their number and has no interval"
        problems.append(file.problem((*keys, "statistic"), message, "add decided_by: value"))
    promise = Promise(data["metric"], statistic, data.get("decided_by") != "value")
    right, wrong = ("at_least", "at_most") if promise.higher_is_better else ("at_most", "at_least")
    if wrong in data:
        message = f"a promise of {promise.metric} has no bound '{wrong}'"
        problems.append(file.problem((*keys, wrong), message, f"write {right}"))
        return promise
    try:
        return _bounded(promise, data.get(right))
    except HintedError as error:
        problems.append(file.problem((*keys, right), str(error), error.hint))
        return promise


def _bounded(promise: Promise, written: Any) -> Promise:
    if written is None:
        return promise
    bound, text = _number(promise.metric, str(written))
    if not 0 < bound < inf:
        raise HintedError(f"'{written}' promises nothing", "write a number above zero")
    return replace(promise, bound=bound, text=text)


def _number(metric: str, text: str) -> tuple[float, str]:
    """The bound in the unit of the metric, and as it is printed."""
    if metric == "bandwidth":
        return parse_rate(text), text
    if metric == "operations":
        number = text.removesuffix("/s")
        try:
            return float(number), f"{number} /s"
        except ValueError:
            raise HintedError(f"'{text}' is not a number of operations per second", "write 80000") from None
    return parse_duration(text) * 1e6, text


def _promised(contract: Contract, promises: Sequence[str]) -> Contract:
    given = dict(_split(contract, text) for text in promises)
    lines = []
    for line in contract.lines:
        if line.promise and line.name in given:
            try:
                line = replace(line, promise=_bounded(line.promise, given[line.name]))
            except HintedError as error:
                raise InputError(str(error), key="--promise", hint=error.hint) from None
        lines.append(line)
    return replace(contract, lines=tuple(lines))


def _split(contract: Contract, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    open_lines = [line.name for line in contract.lines if line.promise and line.promise.bound is None]
    if not equals or name not in open_lines:
        known = ", ".join(open_lines) or "none"
        raise InputError(
            "does not fill an open promise",
            key="--promise",
            value=text,
            hint=f"write LINE=VALUE; lines with an open promise: {known}",
        )
    return name, value.strip()
