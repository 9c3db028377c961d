"""The outputs of one run: the document of weir-io, or what the original prints and its CSV files of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.terms.model import Parsed, Row
from weir.tools.io_model.original import (
    holds_only_messages,
    is_times,
    latencies_of,
    messages_in,
    parsed_output,
)
from weir.tools.outputs import read_texts
from weir.tools.weir_io import parse_rows, read_document, with_messages

_PERSONALITY = "io-model"


def parse_outputs(outputs: Mapping[str, Path]) -> Parsed:
    """Each of summary, stdout and stderr may be missing or cut; files of times have any other role."""
    texts = read_texts(outputs)
    document = read_document(texts.get("summary", ""))
    if document is not None:
        stderr = messages_in(texts.get("stderr", ""))
        return with_messages(parse_rows(document, _row), stderr)
    parsed = with_messages(parsed_output(texts.get("stdout", "")), messages_in(texts.get("stderr", "")))
    times = [text for text in texts.values() if is_times(text)]
    return replace(parsed, rows=tuple(row | latencies_of(times) for row in parsed.rows)) if times else parsed


def parse_log(text: str) -> Sequence[Parsed]:
    """The run in a log that somebody kept; empty if there is nothing of io-model in it."""
    document = read_document(text)
    if document is not None:
        return [parse_rows(document, _row)] if document.get("personality") == _PERSONALITY else []
    parsed = parsed_output(text)
    # A line that begins with Error or Warning is anybody's, unless there is no other.
    is_told = parsed.rows or parsed.requested or (parsed.messages and holds_only_messages(text))
    return [parsed] if is_told else []


def _row(row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
    row["observed"]["resident_bytes"] = result.get("resident_bytes")
    row["observed"]["cache"] = requested.get("cache")
    # The file need not have the size of what was moved: offsets are missed, met twice, or were there before.
    row["observed"]["scattered"] = requested.get("file_locality") != "seq" or requested.get("prefill")
    row["observed"]["least_bytes_of_rank"] = _least_bytes(requested)
    changed: Row = {"sync": None} if row["access"] == "read" else {}
    if requested.get("cache") == "discarded":
        changed |= {"file_bytes": None, "sync": None}
    return row | changed


def _least_bytes(requested: Mapping[str, Any]) -> int | None:
    """The least size of a rank's file; None where it is unknown. A file that was laid out before is whole.
    The probability that n random offsets all miss its last 40/n is (1 - 40/n)^n, less than 10^-17.

    A file that was laid out before is whole. The probability that n random offsets all miss its last 40/n is
    (1 - 40/n)^n, less than 10^-17.
    """
    whole, operations = requested.get("file_bytes"), requested.get("operations")
    if not whole or not operations:
        return None
    if requested.get("prefill"):
        return int(whole)
    return max(0, int(whole * (1 - 40 / operations))) if requested.get("file_locality") == "rnd" else None
