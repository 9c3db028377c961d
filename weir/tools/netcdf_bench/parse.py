"""The outputs of one run: the document of weir-io, or the table of benchtool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from weir.terms.model import Parsed, Row
from weir.tools.netcdf_bench.table import messages_in, parsed_table, starts_in
from weir.tools.outputs import read_texts
from weir.tools.weir_io import parse_rows, read_document, with_messages

_PERSONALITY = "netcdf-bench"
_REQUESTED_COLUMNS = ("fill", "unlimited")


def parse_outputs(outputs: Mapping[str, Path]) -> Parsed:
    """Parses the outputs of weir-io or benchtool; each of summary, stdout and stderr may be missing or
    cut."""
    texts = read_texts(outputs)
    stdout, stderr = texts.get("stdout", ""), texts.get("stderr", "")
    document = read_document(texts.get("summary", ""))
    if document is not None:
        parsed = parse_rows(document, _row)
        return with_messages(parsed, [*messages_in(stdout), *messages_in(stderr)])
    return with_messages(parsed_table(stdout), messages_in(stderr))


def parse_log(text: str) -> Sequence[Parsed]:
    """The runs in a log that somebody kept; empty if there is nothing of benchtool or weir-io in it."""
    document = read_document(text)
    if document is not None:
        return [parse_rows(document, _row)] if document.get("personality") == _PERSONALITY else []
    starts = starts_in(text)
    if not starts:
        return []
    # Messages of ranks before the first line of their own run belong to it.
    return [parsed_table(text[begin:end]) for begin, end in pairwise([0, *starts[1:], len(text)])]


def _row(row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
    stored = result.get("stored") or {}
    more = {name: requested.get(name) for name in _REQUESTED_COLUMNS}
    more |= {"chunking": stored.get("chunk"), "deflate_level": stored.get("deflate_level")}
    row["observed"]["shuffle"] = stored.get("shuffle")
    return row | more
