"""A sidecar: what is known of a set of measurements that its files do not say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from weir.base.errors import WeirError, did_you_mean, hint_of
from weir.terms.columns import columns, facts_of_sidecars
from weir.terms.model import Row

_PARTS = ("about", "columns", "observed")


@dataclass(frozen=True)
class Facts:
    """about: for readers. columns: fill empty fields. observed: what only the audit reads."""

    about: Row = field(default_factory=dict)
    columns: Row = field(default_factory=dict)
    observed: Row = field(default_factory=dict)


def read_facts(path: Path) -> Facts:
    """The sidecar, with every key and value checked."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise WeirError(message, file=str(path), hint=hint_of(error), exit_code=2) from None
    except (yaml.YAMLError, ValueError) as error:
        raise WeirError(f"is not YAML: {error}", file=str(path), exit_code=2) from None
    except RecursionError:
        message, hint = "holds brackets within brackets without end", f"write {', '.join(_PARTS)}"
        raise WeirError(message, file=str(path), hint=hint, exit_code=2) from None
    if not isinstance(content, dict):
        raise WeirError(
            "is not a group of keys", file=str(path), hint=f"write {', '.join(_PARTS)}", exit_code=2
        )
    _only(content, _PARTS, path, "")
    parts = {name: content.get(name) or {} for name in _PARTS}
    _only(parts["columns"], columns(), path, "columns.")
    _only(parts["observed"], facts_of_sidecars(), path, "observed.")
    for name, value in parts["observed"].items():
        wrong = facts_of_sidecars()[name](value)
        if wrong:
            raise WeirError(wrong.strip(), file=str(path), key=f"observed.{name}", exit_code=2)
    for name, value in parts["columns"].items():
        parts["columns"][name] = _value(name, value, path)
    return Facts(**parts)


def _value(name: str, value: Any, path: Path) -> Any:
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    try:
        return columns()[name].read(text)
    except ValueError as error:
        raise WeirError(str(error), file=str(path), key=f"columns.{name}", value=value, exit_code=2) from None


def _only(keys: Any, known: Any, path: Path, where: str) -> None:
    if not isinstance(keys, dict):
        raise WeirError("is not a group of keys", file=str(path), key=where.rstrip("."), exit_code=2)
    for key in keys:
        if key not in known:
            raise WeirError(
                "is not known here",
                file=str(path),
                key=f"{where}{key}",
                hint=did_you_mean(key, known),
                exit_code=2,
            )
