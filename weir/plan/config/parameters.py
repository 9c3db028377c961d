"""Values of tool parameters: from YAML or a formula to what a cell holds."""

from collections.abc import Mapping
from typing import Any

from weir.base.errors import did_you_mean
from weir.base.units import HintedError, as_written, parse_duration, parse_size
from weir.tools.base import Parameter


def cell_key(name: str, parameter: Parameter) -> str:
    """The parameter's name in cell.params."""
    return f"{name}_bytes" if parameter.kind == "size" else name


def cell_default(parameter: Parameter) -> Any:
    """The parameter's default as a cell holds it."""
    if parameter.default is None or (parameter.kind == "size" and isinstance(parameter.default, int)):
        return parameter.default
    if parameter.kind == "seconds" and isinstance(parameter.default, (int, float)):
        return parameter.default
    return written_value(parameter, parameter.default)


def written_value(parameter: Parameter, value: Any) -> Any:
    """The meaning of a value written in YAML."""
    if parameter.kind == "size":
        return _at_least(parameter, parse_size(value), value)
    if parameter.kind == "seconds":
        return _at_least(parameter, parse_duration(value), value)
    return _plain_value(parameter, value)


def computed_value(parameter: Parameter, value: Any) -> Any:
    """The meaning of the result of a formula: sizes in bytes and times in seconds."""
    if isinstance(value, float) and value.is_integer() and parameter.kind in ("size", "count"):
        value = int(value)
    if parameter.kind in ("size", "count") and (isinstance(value, bool) or not isinstance(value, int)):
        raise HintedError(f"gives {value!r}, which is not a whole number", "divide with '//' to round down")
    if parameter.kind == "seconds" and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise HintedError(f"gives {value!r}, which is not a number of seconds")
    if parameter.kind in ("size", "seconds"):
        return _at_least(parameter, value, value)
    return _plain_value(parameter, value)


def _plain_value(parameter: Parameter, value: Any) -> Any:
    if parameter.kind == "number":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise HintedError(
                f"{_shown(value)} is not a number", "write it without unit and quotes, like 1.2"
            )
        return _at_least(parameter, float(value), value)
    if parameter.kind == "count":
        if isinstance(value, bool) or not isinstance(value, int):
            raise HintedError(
                f"{_shown(value)} is not a whole number", "write it without unit and quotes, like 3"
            )
        return _at_least(parameter, value, value)
    if parameter.kind == "flag":
        if not isinstance(value, bool):
            meant = {"yes": "write true", "on": "write true", "no": "write false", "off": "write false"}
            hint = meant.get(str(value).lower(), "write true or false")
            raise HintedError(f"{_shown(value)} is not true or false", hint)
        return value
    if parameter.kind == "choice":
        return _choice(parameter, value)
    if parameter.kind == "choices":
        items = value if isinstance(value, (list, tuple)) else [value]
        return [_choice(parameter, item) for item in items]
    if parameter.kind == "hints":
        return _hints(value)
    if parameter.kind == "text":
        if not isinstance(value, str):
            raise HintedError(f"{_shown(value)} is not text", f'put it in quotes: "{value}"')
        return value
    raise AssertionError(f"a tool has a parameter of the unknown kind {parameter.kind}")


def _choice(parameter: Parameter, value: Any) -> str:
    if not isinstance(value, str) or value not in parameter.choices:
        raise HintedError(
            f"{_shown(value)} is not one of the choices", did_you_mean(value, parameter.choices)
        )
    return value


def _hints(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or any(isinstance(item, (list, dict)) for item in value.values()):
        raise HintedError(f"{_shown(value)} is not a valid group of hints", "write {romio_cb_write: enable}")
    return {str(name): as_written(item) for name, item in sorted(value.items())}


def _at_least(parameter: Parameter, number: Any, written: Any) -> Any:
    if number < parameter.minimum:
        raise HintedError(f"{_shown(written)} is too small", f"at least {parameter.minimum}")
    return number


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"'{value}'" if isinstance(value, str) else as_written(value)
