"""An import with IO500 results in it: records of their phases, and their scores beside the published ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weir.base.files import csv_lines, printable
from weir.base.units import counted
from weir.collect.imported_files import Facts
from weir.collect.importing import Imported, Source, import_sources
from weir.decide.io500.output import describe
from weir.decide.io500.result import (
    TOLERANCE,
    Io500Phase,
    Io500Result,
    RecomputedScore,
    Score,
    Validity,
    agreement,
    score,
    validity,
)
from weir.decide.io500.result_sets import (
    ResultSet,
    columns_of_logs,
    differing_logs,
    findings_of,
    phase_row,
    phases_of_logs,
    result_files,
    result_sets,
    rows_by_source,
)
from weir.records.model import Row


@dataclass(frozen=True)
class Scored:
    """A result with its score. of_logs: the agreement with the values of the logs, which are not rounded."""

    result: Io500Result
    valid: Validity
    score: Score | None
    agreement: RecomputedScore | None
    of_logs: RecomputedScore | None
    notes: tuple[str, ...]


def import_all(files: Sequence[tuple[Path, bool]], facts: Facts) -> tuple[Imported, list[Scored]]:
    """Records of all files. True beside a file: found in a directory, where the logs of an IO500 run lie
    beside its summary. What a summary file holds of other kinds is read as well."""
    sets, errors = result_sets(dict.fromkeys(file.parent for file, is_found in files if is_found))
    named, more = result_files(file for file, is_found in files if not is_found)
    sets, errors = sets + named, errors | more
    summaries = {file for one in sets for file in one.summaries} | errors.keys()
    columns = columns_of_logs(sets)
    sources = [Source(file, columns.get(file, {}), is_found=is_found) for file, is_found in files]
    logs = import_sources(sources, facts)
    by_source = rows_by_source([*logs.rows, *logs.copied])
    of_logs = [phases_of_logs(one, by_source) for one in sets]
    unlogged = [
        Source(one.result.source, rows=rows)
        for one, found in zip(sets, of_logs, strict=True)
        if (
            rows := tuple(
                phase_row(one, each) for name, each in one.result.phases.items() if name not in found
            )
        )
    ]
    phases = import_sources(unlogged, facts)
    imported = Imported(
        logs.rows + phases.rows,
        {file: kind for file, kind in sorted(logs.without_results.items()) if file not in summaries},
        [*dict.fromkeys(errors.values()), *logs.errors],
        logs.copied,
        logs.copies,
    )
    audited = rows_by_source([*imported.rows, *imported.copied])
    return imported, [_scored(one, found, audited) for one, found in zip(sets, of_logs, strict=True)]


def _scored(
    one: ResultSet, of_logs: Mapping[str, Io500Phase], by_source: Mapping[str, Sequence[Row]]
) -> Scored:
    result = one.result
    found = agreement(result)
    exact = None
    if found and not found.agrees and of_logs:
        exact = agreement(replace(result, phases={**result.phases, **of_logs}))
    notes = (*result.notes, *differing_logs(result, of_logs), *_audited(one, by_source))
    whole = None if result.missing else score(result.phases)
    return Scored(result, validity(result), whole, found, exact, notes)


def _audited(one: ResultSet, by_source: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """The findings of the audit in the logs of a set, by verdict and reason."""
    for found in findings_of(by_source.get(printable(log), ()) for log in sorted(one.logs.values())):
        yield f"the audit calls {counted(len(found.logs), 'log')} {found.verdict}: {found.reasons}"


def scored_lines(scored: Sequence[Scored]) -> Iterator[str]:
    """Counts the results that are valid and agree, and names the others with the reason."""
    if not scored:
        return
    agreeing = sum(one.agreement is not None and one.agreement.agrees for one in scored)
    published = sum(one.agreement is not None for one in scored)
    valid = sum(one.valid.valid for one in scored)
    yield (
        f"{len(scored)} IO500 result sets (io500.csv), {valid} of them valid: {agreeing} of {published} "
        f"published scores agree within {TOLERANCE:.1%} with the recomputed one"
    )
    for one in scored:
        yield from (f"  {one.result.label}: {text}" for text in _doubts(one))


def _doubts(one: Scored) -> Iterator[str]:
    if not one.valid.valid:
        yield f"{one.valid.label}: {'; '.join(one.valid.reasons)}"
    if one.agreement and not one.agreement.agrees:
        exact = one.of_logs
        more = (
            f"; with the values of its logs the score is {exact.recomputed:,.4f} ({exact.off:+.3%})"
            if exact
            else ""
        )
        yield describe(one.agreement) + more
    yield from one.notes


def scored_facts(one: Scored) -> dict[str, Any]:
    """Plain values; `score_*` is empty unless the result is valid: then it is an index."""
    of_rule = {} if one.score is None else {"today": one.score.today, "2017": one.score.rule_2017}
    prefix = "score" if one.valid.valid else "index"
    found: Row = {f"{kind}_{rule}": None for kind in ("score", "index") for rule in ("today", "2017")}
    found |= {f"{prefix}_{rule}": value for rule, value in of_rule.items()}
    return {
        "result_set": one.result.label,
        "source": str(one.result.source),
        "version": one.result.version,
        "nodes": one.result.nodes,
        "procs": one.result.procs,
        "valid": one.valid.valid,
        "label": one.valid.label,
        "bandwidth_gib_s": one.score.bandwidth_gib_s if one.score else None,
        "metadata_kiops": one.score.iops_kiops if one.score else None,
        **found,
        "published": one.result.published.total if one.result.published else None,
        "rule": one.agreement.rule if one.agreement else None,
        "off": one.agreement.off if one.agreement else None,
        "agrees": one.agreement.agrees if one.agreement else None,
        "doubts": "; ".join(_doubts(one)),
    } | {
        f"{name}_{phase.unit.replace('/', '_').lower()}": phase.value
        for name, phase in one.result.phases.items()
    }


def scored_table(scored: Sequence[Scored]) -> str:
    """io500.csv: a line for each result set."""
    rows = [scored_facts(one) for one in scored]
    names = dict.fromkeys(name for row in rows for name in row)
    return csv_lines([names, *([row.get(name) for name in names] for row in rows)])
