"""Rows from whatever a run of weir-io or IOR left: the summary, the table on stdout, complaints on stderr."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from weir.model import Message, Parsed
from weir.tools.ior.names import API_NAMES
from weir.tools.weir_io import parse_document, read_document


def parse_outputs(outputs: Mapping[str, Path]) -> Parsed:
    """The outputs of one run, by role: summary, stdout, stderr; any of them may be missing or cut."""
    texts = {role: path.read_text(errors="replace") for role, path in outputs.items() if path.is_file()}
    document = read_document(texts.get("summary", ""))
    if document is not None:
        return parse_document(document, API_NAMES)
    message = Message("error", "there is no summary of weir-io")
    return Parsed((), {}, (message,), program="", tool_version="", complete=False)
