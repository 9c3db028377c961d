"""Rows of a tool, checked: an unknown key is a mistake of the tool, an impossible value one of the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from weir.base.errors import WeirError, did_you_mean
from weir.terms.columns import columns, observed_facts, observed_problem
from weir.terms.model import Message, Parsed, Row


def checked(parsed: Parsed, tool: str) -> Parsed:
    """The same rows without values that cannot be, each of which is an error message of its row."""
    rows: list[Row] = []
    messages: list[Message] = []
    for index, row in enumerate(parsed.rows):
        wrong = dict(_problems(row, tool))
        rows.append(_without(row, wrong) if wrong else row)
        texts = (f"impossible value: {name} {text}" for name, text in wrong.items())
        messages += [Message("error", text, index) for text in texts]
    return replace(parsed, rows=tuple(rows), messages=(*parsed.messages, *messages)) if messages else parsed


def _problems(row: Row, tool: str) -> Iterator[tuple[str, str]]:
    known = columns()
    for name, value in row.items():
        if name == "observed":
            continue
        column = known.get(name)
        if column is None:
            raise _unknown(tool, name, "a column of a record", known)
        limits = column.plain.get(type(value), ())
        if value is None or limits is None or (limits and limits[0] <= value <= limits[1]):
            continue
        wrong = column.problem(value)
        if wrong:
            yield name, wrong
    if row.get("xfer_bytes") == 0 and row.get("bw_mib_s") is not None:
        yield "xfer_bytes", "is 0, and bytes were moved"
    observed = row.get("observed", {})
    if not observed.keys() <= observed_facts().keys():
        name = next(name for name in observed if name not in observed_facts())
        raise _unknown(tool, name, "an observed fact", observed_facts())
    wrong = observed_problem(observed)
    if wrong:
        yield "observed", wrong


def _without(row: Row, wrong: dict[str, str]) -> Row:
    """api, access and iteration name the record, so that they stay as text and number."""
    kept: Row = {name: value for name, value in row.items() if name not in wrong}
    if "observed" in wrong:
        kept["observed"] = {}
    for name, instead in (("api", "unknown"), ("access", "unknown"), ("iteration", 0)):
        kept.setdefault(name, instead)
    return kept


def _unknown(tool: str, name: str, what: str, known: Iterable[str]) -> WeirError:
    schema = "observed" if "fact" in what else "record"
    return WeirError(
        f"the tool '{tool}' gives '{name}', which is not {what}",
        file=f"config/schemas/{schema}.schema.yaml",
        key=name,
        hint=f"{did_you_mean(name, known)} A new one is a property there.",
    )
