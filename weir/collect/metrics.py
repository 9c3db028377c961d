"""Metrics, found by their files: config/metrics/<name>.yaml, which the analysis in R reads, too."""

from dataclasses import dataclass
from functools import cache

from weir.base.errors import ConfigError, InputError, did_you_mean
from weir.data import data_folder, load_schema
from weir.plan.config.expression import Expression, ExpressionError, Scope, parse_expression
from weir.plan.config.schema import check
from weir.plan.config.yaml_file import read_yaml
from weir.records.columns import columns
from weir.records.model import Row


@dataclass(frozen=True)
class Metric:
    """A number of a record that can be compared."""

    name: str
    formulas: tuple[Expression, ...]
    units: tuple[str, ...]  # one for each formula, or one for all
    higher_is_better: bool = True
    fewest_ops: int = 0  # a percentile of fewer is their maximum

    @property
    def unit(self) -> str:
        return " or ".join(self.units)

    def unit_of(self, row: Row) -> str:
        """The unit of the formula that the record has: a rate is a bandwidth, or operations."""
        at = next((at for at, formula in enumerate(self.formulas) if _value(formula, row)), 0)
        return self.units[min(at, len(self.units) - 1)]

    def has_too_few(self, row: Row) -> bool:
        """Whether the record is known to be of too few operations."""
        return (row.get("ops") or self.fewest_ops) < self.fewest_ops

    def of(self, row: Row) -> float | None:
        """The first formula that is above zero; None where the record has no such number."""
        if self.has_too_few(row):
            return None
        for formula in self.formulas:
            value = _value(formula, row)
            if value is not None and value > 0:
                return value
        return None


def _value(formula: Expression, row: Row) -> float | None:
    if formula.text in formula.names:  # a column
        value = row.get(formula.text)
        return None if value is None else float(value)
    if any(row.get(name) is None for name in formula.names):
        return None
    try:
        return float(formula.value(row))
    except ExpressionError:  # over zero seconds
        return None


def metric_names() -> list[str]:
    return sorted(file.stem for file in (data_folder("config") / "metrics").glob("*.yaml"))


@cache
def metric_named(name: str) -> Metric:
    """The metric of that name, or an error that lists what there is."""
    path = data_folder("config") / "metrics" / f"{name}.yaml"
    if name not in metric_names():
        raise InputError(f"there is no metric '{name}'", hint=did_you_mean(name, metric_names()))
    file = read_yaml(path, path.parent)
    problems = check(file, load_schema("metric"))
    if not problems and file.data["metric"] != name:
        message = f"the metric is named '{file.data['metric']}', its file '{path.name}'"
        problems.append(file.problem(("metric",), message, f"write metric: {name}"))
    scope = Scope(frozenset(columns()), {}, frozenset(columns()))
    formulas: list[Expression] = []
    for index, text in enumerate(() if problems else file.data["value"]):
        try:
            formulas.append(parse_expression(text, scope))
        except ExpressionError as error:
            problems.append(file.problem(("value", index), str(error), error.hint))
    if problems:
        raise ConfigError(problems)
    unit = file.data["unit"]
    units = (unit,) if isinstance(unit, str) else tuple(unit)
    higher, fewest_ops = file.data.get("better") != "lower", file.data.get("fewest_ops", 0)
    return Metric(name, tuple(formulas), units, higher, fewest_ops)
