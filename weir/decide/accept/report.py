"""The report to sign: the judgement with commands, versions and evidence, as HTML and LaTeX."""

import html
import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import weir
from weir.base.errors import WeirError
from weir.base.files import file_sha256, write_atomically
from weir.base.units import counted
from weir.decide.accept.contract import Contract
from weir.decide.accept.evidence import Measured
from weir.decide.accept.judge import JudgedLine
from weir.decide.accept.output import REMAINS_POSSIBLE, UNVERIFIED, headline, numbers, verified_lines
from weir.report.page import policy_element
from weir.report.text import latex, latex_path, latex_prose

_CSS = """
:root { color-scheme: light dark; --line: #8886; --pass: #1a7f37; --fail: #c62828; --open: #9a6700; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top;
padding: .45rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td:first-child { min-width: 12ch; } th, .verdict { white-space: nowrap; } .verdict { font-weight: 700; }
.pass { color: var(--pass); } .fail { color: var(--fail); }
.not-proven { color: var(--open); } code { font-size: .85em; overflow-wrap: anywhere; }
.mark { position: sticky; top: 0; background: var(--fail); color: #fff; padding: .4rem; font-weight: 700; }
.sign td { height: 3.5rem; } .small { font-size: .9em; } ul { margin: .2rem 0; padding-left: 1.2rem; }
@media (prefers-color-scheme: dark) { :root { --pass: #56d364; --fail: #ff7b72; --open: #e3b341; } }
@media print { body { max-width: none; margin: 0; font-size: 11px; }
.mark { position: fixed; left: 0; right: 0; } h1 { margin-top: 4rem; } }
"""


@dataclass(frozen=True)
class BoundEvidence:
    """The evidence that the report binds the judgement to."""

    contract_sha256: str
    results: Sequence[JudgedLine]
    contract: Contract
    measured: Measured

    def commands(self) -> list[tuple[str, str]]:
        """Line and command line of its first run."""
        return [(one.line.name, shlex.join(one.runs[0]["command"])) for one in self.results if one.runs]

    def programs(self) -> list[str]:
        rows = [row for one in self.results for row in one.rows]
        names = Counter(f"{row.get('program')} {row.get('tool_version') or ''}".strip() for row in rows)
        return [f"{name} ({counted(count, 'record')})" for name, count in sorted(names.items())]

    def machines(self) -> list[str]:
        hosts = [run.get("host", {}) for one in self.results for run in one.runs]
        found = {
            f"{host.get('processor')}, {host.get('kernel')}, {host.get('system')}" for host in hosts if host
        }
        return sorted(found)

    def verdicts(self, result: JudgedLine) -> str:
        counts = Counter(row["verdict"] for row in result.rows)
        return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "no records"

    def checksums(self) -> list[tuple[str, str]]:
        return [("contract", self.contract_sha256), *self.measured.digests.items()]

    def first_page(self) -> list[str]:
        """Digests that show the parties whether contract and measurement are those that they agreed on."""
        agreed = f"Contract: SHA-256 {self.contract_sha256}: compare it with that of the text agreed on."
        return [agreed, *verified_lines(self.measured)]

    def integrity(self) -> str:
        if self.measured.differences is None:
            return "The study has no checksums: edits after the collection cannot be detected."
        count = len(self.measured.differences)
        differ = "file differs" if count == 1 else "files differ"
        text = f"{count} {differ} from the checksums of the collection."
        copied = self.measured.copied
        return f"{text} {copied[0].upper()}{copied[1:]}." if copied else text

    def mark(self) -> str:
        """The mark for every page of a study that cannot be verified."""
        return f"{UNVERIFIED}: {'; '.join(self.measured.lacks)}" if self.measured.lacks else ""


def write_report(
    contract_file: Path, contract: Contract, measured: Measured, results: Sequence[JudgedLine], folder: Path
) -> Path:
    """Write acceptance.tex, which print_pdf prints, and acceptance.html, whose path is returned."""
    evidence = BoundEvidence(file_sha256(contract_file), results, contract, measured)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "acceptance.tex", "\n".join(_tex(evidence)) + "\n")
    page = folder / "acceptance.html"
    write_atomically(page, "\n".join(_html(evidence)) + "\n")
    return page


def print_pdf(folder: Path, reports: Path) -> Path | None:
    """acceptance.pdf by the LaTeX of all reports; None where the machine has none."""
    script = reports / "print.sh"
    if shutil.which("latexmk") is None:
        return None
    pdf = folder / "acceptance.pdf"
    done = subprocess.run(
        ["bash", script, reports / "acceptance" / "main.tex", folder, pdf],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        reason = (done.stdout + done.stderr).strip().splitlines()[-1:]
        raise WeirError(
            "the report could not be printed", file=folder / "acceptance.tex", value="".join(reason)
        )
    return pdf


def _html(evidence: BoundEvidence) -> Iterator[str]:
    contract = evidence.contract
    yield f'<!doctype html><html lang="en"><meta charset="utf-8">{policy_element(styles=[_CSS])}'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_h(contract.title)}</title><style>{_CSS}</style><main>"
    if evidence.mark():
        yield f"<p class=mark>{_h(evidence.mark())}</p>"
    yield f"<h1>{_h(contract.title)}</h1><p><strong>"
    yield f"{_h(headline(contract, evidence.results, evidence.measured))}</strong></p>"
    yield f"<p class=small>Requirements: {_h(contract.source)}<br>Records: {_h(evidence.measured.path)}</p>"
    yield from _list(evidence.first_page())
    yield "<p>What remains possible:</p>"
    yield from _list(REMAINS_POSSIBLE)
    yield "<table><tr><th>Requirement<th>Measured<th>Verdict"
    for one in evidence.results:
        kind = one.verdict.replace(" ", "-")
        reasons = "".join(f"<li>{_h(item.condition)}: {_h(item.text)}" for item in one.findings)
        why = f"<ul>{reasons}</ul>" if reasons else f"<br>{_h(one.why)}"
        yield f"<tr><td><b>{_h(one.line.name)}</b><br>{_h(one.line.text)}"
        yield f"<td>{_h(numbers(one))}{why}<td class='verdict {kind}'>{_h(one.verdict)}"
    yield "</table><h2>How it was measured</h2><table><tr><th>Line<th>Command of the first run"
    yield from (f"<tr><td>{_h(name)}<td><code>{_h(text)}</code>" for name, text in evidence.commands())
    yield f"</table><p>Programs: {_h(_listed(evidence.programs()))}. Judged by weir {weir.__version__}.<br>"
    yield f"Machines: {_h(_listed(evidence.machines()))}.</p>"
    yield "<h2>Evidence</h2><table><tr><th>Line<th>Records by verdict of the audit"
    yield from (f"<tr><td>{_h(one.line.name)}<td>{_h(evidence.verdicts(one))}" for one in evidence.results)
    yield f"</table><p>{_h(evidence.integrity())}</p><table><tr><th>File<th>SHA-256"
    yield from (f"<tr><td>{_h(name)}<td><code>{digest}</code>" for name, digest in evidence.checksums())
    yield "</table>"
    if contract.not_encoded:
        yield "<h2>Requirements that this report does not judge</h2>"
        yield from _list(contract.not_encoded)
    yield "<h2>Signatures</h2><table class=sign><tr><th>Party<th>Name<th>Date<th>Signature"
    yield "<tr><td>Buyer<td><td><td><tr><td>Vendor<td><td><td></table></main></html>"


def _list(texts: Iterable[str]) -> Iterator[str]:
    yield "<ul class=small>"
    yield from (f"<li>{_h(text)}" for text in texts)
    yield "</ul>"


def _tex(evidence: BoundEvidence) -> Iterator[str]:
    """Macros and tables of reports/acceptance/main.tex."""
    contract = evidence.contract
    yield rf"\newcommand{{\ContractTitle}}{{{latex(contract.title)}}}"
    headlines = headline(contract, evidence.results, evidence.measured)
    yield rf"\newcommand{{\ContractHeadline}}{{{latex(headlines)}}}"
    yield rf"\newcommand{{\ContractSource}}{{{latex(contract.source)}}}"
    yield rf"\newcommand{{\ContractRecords}}{{{latex_path(evidence.measured.path)}}}"
    yield rf"\newcommand{{\ContractPrograms}}{{{latex(_listed(evidence.programs()))}}}"
    yield rf"\newcommand{{\ContractMachines}}{{{latex(_listed(evidence.machines()))}}}"
    yield rf"\newcommand{{\ContractIntegrity}}{{{latex(evidence.integrity())}}}"
    yield rf"\newcommand{{\ContractMark}}{{{latex(evidence.mark())}}}"
    yield from _items("ContractVerified", evidence.first_page())
    yield from _items("ContractPossible", REMAINS_POSSIBLE)
    yield rf"\newcommand{{\WeirVersion}}{{{latex(weir.__version__)}}}"
    yield from _macro("ContractLines", (_tex_line(one) for one in evidence.results))
    commands = (
        rf"{latex(name)} & \texttt{{{latex_path(text)}}} \\ \addlinespace"
        for name, text in evidence.commands()
    )
    yield from _macro("ContractCommands", commands)
    verdicts = (rf"{latex(one.line.name)} & {latex(evidence.verdicts(one))} \\" for one in evidence.results)
    yield from _macro("ContractVerdicts", verdicts)
    sums = (rf"{latex(name)} & \texttt{{{digest}}} \\" for name, digest in evidence.checksums())
    yield from _macro("ContractChecksums", sums)
    heading = r"\heading{Requirements that this report does not judge}" if contract.not_encoded else ""
    yield rf"\newcommand{{\ContractNotEncodedHeading}}{{{heading}}}"
    yield from _items("ContractNotEncoded", contract.not_encoded)


def _items(name: str, texts: Iterable[str]) -> Iterator[str]:
    """A list; nothing where there is nothing to list, which LaTeX refuses."""
    items = [rf"\item {latex_prose(text)}" for text in texts]
    yield from _macro(name, [r"\begin{itemize}", *items, r"\end{itemize}"] if items else [])


def _macro(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield rf"\newcommand{{\{name}}}{{%"
    yield from lines
    yield "}"


def _tex_line(result: JudgedLine) -> str:
    reasons = [f"{item.condition}: {item.text}" for item in result.findings] or [result.why]
    shown = r" \par ".join(latex(text) for text in (numbers(result), *reasons))
    shown = re.sub(r"(?<=[ \[])\{-\}(?=\d)", "$-$", shown)
    color = "verdict" + "".join(filter(str.isalpha, result.verdict))
    return (
        rf"\textbf{{{latex(result.line.name)}}} \par {latex(result.line.text)} & {shown} & "
        rf"\textcolor{{{color}}}{{\textbf{{{latex(result.verdict)}}}}} \\ \midrule"
    )


def _listed(items: Sequence[str]) -> str:
    return "; ".join(items) or "not recorded"


def _h(value: object) -> str:
    return html.escape(str(value))
