"""The outputs of one run, by role, and logs that hold several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.terms.model import Message, Parsed
from weir.terms.printed_values import product_contains, real
from weir.tools.complaints import without_repeats
from weir.tools.engine import parse_document, read_document, rows_and_results
from weir.tools.ior.arguments import API_NAMES
from weir.tools.ior.log import RunLog, all_messages, scan
from weir.tools.ior.rows import no_output, parsed_run
from weir.tools.outputs import read_texts

_MIB = 2**20


def parse_outputs(outputs: Mapping[str, Path]) -> Parsed:
    """Parses the outputs of weir-io or IOR; summary, stdout and stderr may each be missing or cut."""
    texts = read_texts(outputs)
    stdout = scan(texts.get("stdout", ""))
    stderr = all_messages(scan(texts.get("stderr", "")))
    document = read_document(texts.get("summary", ""))
    if document is not None:
        parsed = _of_document(document)
        return _with_messages(parsed, [*all_messages(stdout), *stderr])
    summary = scan(texts.get("summary", ""))[-1]
    if summary.program:
        _take_sizes(summary, [sizes for run in stdout for sizes in run.sizes])
        return _with_messages(parsed_run(summary), [*all_messages(stdout), *stderr])
    if any(run.program for run in stdout):
        return _with_messages(parsed_run(stdout[-1]), [*all_messages(stdout[:-1]), *stderr])
    return no_output(tuple(without_repeats([*all_messages(stdout), *stderr])))


def parse_log(text: str) -> Sequence[Parsed]:
    """The runs in a log that somebody kept; empty if there is nothing of IOR or weir-io in it."""
    document = read_document(text)
    if document is not None:
        return [_of_document(document)] if document.get("personality") == "ior" else []
    runs = [run for run in scan(text) if run.is_of_ior]
    for run in runs:
        run.program = run.program or "IOR"  # a log without its first lines
    return _with_stripes([parsed_run(run) for run in runs], runs)


def _of_document(document: Mapping[str, Any]) -> Parsed:
    """Reads a document with the depth of the queue that ran; a back end without a queue waits for each
    transfer."""
    parsed = parse_document(document, API_NAMES)
    for row, result in rows_and_results(parsed, document):
        queue = (result.get("observed") or {}).get("queue") or {}
        row["iodepth"] = queue.get("depth", 1)
    return parsed


def _with_messages(parsed: Parsed, others: Sequence[Message]) -> Parsed:
    return replace(parsed, messages=tuple(without_repeats([*parsed.messages, *others])))


def _take_sizes(summary: RunLog, warned: Sequence[dict[str, int]]) -> None:
    """Takes the sizes from the warnings. With a summary file they stay on stdout, without the result they
    belong to: they come in the order of the results, for those whose sizes differ, and the bandwidth tells
    which that is."""
    results = [result for test in summary.tests for result in test.results]
    if len(results) == len(warned):
        for result, sizes in zip(results, warned, strict=True):
            result.sizes = sizes
        return
    waiting = list(warned)
    for result in results:
        if waiting and _moved_fits(result.values, waiting[0]):
            result.sizes = waiting.pop(0)
    for sizes in waiting:
        summary.messages.append(Message("warning", f"sizes of an unknown result differ: {sizes}"))


def _moved_fits(values: Mapping[str, str], sizes: Mapping[str, int]) -> bool:
    bw_mib_s, total_s = real(values.get("bw")) or 0.0, real(values.get("total")) or 0.0
    return product_contains(bw_mib_s, total_s, sizes.get("moved_bytes", 0) / _MIB)


def _with_stripes(parsed: list[Parsed], runs: Sequence[RunLog]) -> list[Parsed]:
    """Adds the stripes of the written files that lfs getstripe printed anywhere in the log."""
    counts = Counter(count for run in runs for count in run.file_stripes)
    for row in (row for run in parsed for row in run.rows):
        if counts and row["access"] == "write":
            row["stripe_count"] = counts.most_common(1)[0][0]
            row["observed"]["file_stripes"] = dict(counts)
    return parsed
