"""The outputs of one run: the document of weir-io, or the tables of mdtest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from weir.terms.model import Parsed, Row
from weir.tools.mdtest.table import messages_in, parsed_table, starts_in
from weir.tools.outputs import read_texts
from weir.tools.weir_io import parse_rows, read_document, with_messages

_PERSONALITY = "mdtest"


def parse_outputs(outputs: Mapping[str, Path]) -> Parsed:
    """Parses the outputs of weir-io or mdtest; each of summary, stdout and stderr may be missing or cut."""
    texts = read_texts(outputs)
    stdout, stderr = texts.get("stdout", ""), texts.get("stderr", "")
    document = read_document(texts.get("summary", ""))
    if document is not None:
        # The document has what weir-io prints on stderr, too.
        others = [one for one in messages_in(stderr) if not one.text.startswith("weir-io: ")]
        return with_messages(_of_document(document), others)
    return with_messages(parsed_table(stdout), messages_in(stderr))


def parse_log(text: str) -> Sequence[Parsed]:
    """The runs in a log that somebody kept; empty if there is nothing of mdtest or weir-io in it."""
    document = read_document(text)
    if document is not None:
        return [_of_document(document)] if document.get("personality") == _PERSONALITY else []
    starts = starts_in(text)
    return [parsed_table(text[begin:end]) for begin, end in pairwise([*starts, len(text)])]


def _of_document(document: Mapping[str, Any]) -> Parsed:
    """Trees are the ground that is measured on, not what is measured: they have no rows."""
    parsed = parse_rows(document, _row)
    return replace(parsed, rows=tuple(row for row in parsed.rows if row["item"] != "tree"))


def _row(row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
    """An operation on a name moves no bytes and has no open or close of its own."""
    moves = bool(result.get("moved_bytes"))
    bytes_of = requested.get("read_bytes") if result.get("access") == "read" else requested.get("write_bytes")
    more: Row = {
        "item": result.get("item"),
        "directories": requested.get("directories"),
        "requested_ops": result.get("requested_operations"),
        "xfer_bytes": bytes_of if result.get("item") == "file" else 0,
        "open_s": None,
        "close_s": None,
        "file_bytes": None,
    }
    if not moves:
        more |= {"bw_mib_s": None, "moved_bytes": None, "requested_bytes": None}
    seen: dict[str, Any] = {"sync_files": bool(requested.get("sync_file"))}
    seen |= {"entries": result["entries"]} if result.get("entries") else {}
    return row | more | {"observed": row["observed"] | seen}
