"""docs/reference, made from config/schemas and the tools by `python -m weir.plan.config.reference`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from weir.base.units import as_written
from weir.data import load_schema
from weir.plan.config.sources import find_sources
from weir.tools import tools
from weir.tools.base import LogTool, Parameter, Tool

_WRITTEN_BY_PEOPLE = ("config", "site", "target", "suite", "contract", "application", "metric")
SCHEMAS = (*_WRITTEN_BY_PEOPLE, "cell", "run", "record", "latency", "observed", "witness", "accounts")
_MADE = "<!-- {source}, by `python -m weir.plan.config.reference` -->"
_FORMATS = {
    "size": "size (`16 KiB`)",
    "duration": "duration (`60 s`)",
    "rate": "bandwidth (`500 MiB/s`)",
    "percent": "percentage (`5 %`)",
    "name": "name",
    "regex": "regular expression",
}
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "empty",
}
_KINDS = {
    "size": _FORMATS["size"],
    "count": "whole number",
    "number": "number",
    "seconds": _FORMATS["duration"],
    "flag": "true or false",
    "text": "text",
    "hints": "names with values",
}
_GUARD = 10**6  # a maximum beyond it tells damaged files from measured ones, and its reader nothing


def pages(root: Path) -> dict[Path, str]:
    """Every page of the reference by its path."""
    folder = root / "docs" / "reference"
    made = {folder / f"{name}.md": schema_page(load_schema(name), name) for name in SCHEMAS}
    made[folder / "tools.md"] = tools_page(tools())
    return made


def schema_page(schema: Mapping[str, Any], name: str) -> str:
    """A schema as a table: key, what it takes, what it means."""
    lines = [_MADE.format(source=f"config/schemas/{name}.schema.yaml"), "", f"# {schema['title']}", ""]
    lines += [_escaped(str(schema["description"])), "", "| key | takes | meaning |", "|---|---|---|"]
    lines += [f"| {key} | {_escaped(takes)} | {_escaped(meaning)} |" for key, takes, meaning in _rows(schema)]
    return "\n".join([*lines, ""])


def tools_page(found: Mapping[str, Tool]) -> str:
    """The parameters that suites can give each tool."""
    lines = [_MADE.format(source="weir/tools"), "", "# Tools", ""]
    lines += ["The parameters that an experiment may have under `space` and `fixed`, tool by tool."]
    read = sorted(name for name, tool in found.items() if isinstance(tool, LogTool))
    lines += [f"No suite starts {', '.join(read)}: `weir import` and `weir prove` read their results."]
    for name, tool in sorted(found.items()):
        if name in read:
            continue
        lines += ["", f"## {name}", ""]
        lines += ["| parameter | takes | default | meaning |", "|---|---|---|---|"]
        for key, item in tool.parameters.items():
            default = _written(item.default)
            lines.append(f"| `{key}` | {_escaped(_kind(item))} | {default} | {_escaped(item.help)} |")
    return "\n".join([*lines, ""])


def _rows(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Keys in the order of the schema; a part that is used twice is spelt out once."""
    spelt: dict[str, str] = {}

    def walk(part: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
        required = part.get("required", ())
        for key, inner in _of_people(part.get("properties", {})).items():
            mark = " (required)" if key in required and schema["$id"] in _WRITTEN_BY_PEOPLE else ""
            yield from entry(inner, f"{path}{key}", mark)
        inner = part.get("additionalProperties")
        if isinstance(inner, Mapping) and "properties" in _target(schema, inner):
            yield from walk(_target(schema, inner), f"{path}<name>.")

    def entry(inner: Mapping[str, Any], path: str, mark: str) -> Iterator[tuple[str, str, str]]:
        full = _target(schema, inner)
        reference = str(inner.get("$ref", ""))
        meaning = str(inner.get("description", full.get("description", "")))
        if reference in spelt and "properties" in str(full):
            yield f"`{path}`{mark}", f"as `{spelt[reference]}`", meaning
            return
        yield f"`{path}`{mark}", _takes(schema, full), meaning
        if reference:
            spelt[reference] = path
        yield from walk(full, f"{path}.")
        items = full.get("items", {})
        if "properties" in _target(schema, items):
            if "$ref" in items:
                spelt[str(items["$ref"])] = f"{path}[]"
            yield from walk(_target(schema, items), f"{path}[].")
        for choice in full.get("oneOf", ()):
            yield from walk(choice, f"{path}.")

    yield from walk(schema, "")


def _of_people(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """The properties that are marked as those that a person may give; all where none is marked."""
    return {key: inner for key, inner in properties.items() if inner.get("x-facts")} or properties


def _target(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part itself, or what its $ref names."""
    reference = str(part.get("$ref", ""))
    if not reference.startswith("#/$defs/"):
        return part
    found: Mapping[str, Any] = schema["$defs"][reference.removeprefix("#/$defs/")]
    return found


def _takes(schema: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    if "$ref" in part:
        return f"a {part['$ref']}"
    if "enum" in part:
        return " or ".join("empty" if word is None else f"`{word}`" for word in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    if "oneOf" in part:
        return ", or ".join(_takes(schema, choice) for choice in part["oneOf"])
    kind = part.get("type", "anything")
    if isinstance(kind, list) and not {"array", "object"}.isdisjoint(kind):
        return ", or ".join(_takes(schema, {**part, "type": name}) for name in kind)
    if kind == "array":
        return f"list of: {_takes(schema, _target(schema, part['items']))}" if "items" in part else "list"
    if kind == "object":
        inner = part.get("additionalProperties")
        if not isinstance(inner, Mapping):
            return "keys"
        return f"names, each with {_takes(schema, _target(schema, inner))}"
    if "format" in part:
        return _FORMATS[part["format"]]
    names = [_TYPES.get(str(name), str(name)) for name in (kind if isinstance(kind, list) else [kind])]
    limits = [f"from {part['minimum']}"] if part.get("minimum") else []
    limits += [f"to {part['maximum']}"] if part.get("maximum", _GUARD + 1) <= _GUARD else []
    return " ".join([" or ".join(names), *limits])


def _kind(item: Parameter) -> str:
    choices = " or ".join(f"`{word}`" for word in item.choices)
    if item.kind == "choice":
        return choices
    return f"list of: {choices}" if item.kind == "choices" else _KINDS[item.kind]


def _written(default: Any) -> str:
    if default is None or default in ((), [], {}, ""):
        return "none"
    if isinstance(default, (list, tuple)):
        return f"`[{', '.join(str(item) for item in default)}]`"
    return f"`{default:g}`" if isinstance(default, float) else f"`{as_written(default)}`"


def _escaped(text: str) -> str:
    """The text for a Markdown table: < is escaped, except between backticks."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def main() -> None:
    for path, text in pages(find_sources().root).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
