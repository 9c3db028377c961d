"""One pass over what IOR printed: tables of 2.x to 4.x, JSON, CSV; several runs in a log, cut or mixed up.

JSON is read line by line and not as a document: warnings of any rank land in its middle.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from weir.records.model import Message
from weir.records.printed_values import real, whole
from weir.tools.complaints import complaint, effect_of
from weir.tools.outputs import LINE_BYTES

START = re.compile(r"^(?:IOR|weir-io)[- ]\d", re.MULTILINE)
# What many keep of an output (grep Max), in a text without headings, which would be a page.
GREATEST = re.compile(
    r"\A(?![\s\S]*^(?:access +bw|IOR-\d))(?:[^\n#]*\n){0,50}?Max (?:Write|Read): +\(?[\d.]", re.MULTILINE
)
ELSEWHERE = re.compile(r"\A(?:(?:ior )?WARNING: .*\n)*Writing output to \S+$", re.MULTILINE)
_HEADER = re.compile(r"^(?P<program>IOR|weir-io)[- ](?P<version>\d\S*?):? ")
_KEY = re.compile(r"[A-Za-z][\w ()/-]*")
_JSON_PAIR = re.compile(r'"(?P<key>[^"]+)"\s*:\s*(?:"(?P<text>[^"]*)"|(?P<number>-?[0-9.][0-9.e+-]*))')
_JSON_SECTION = re.compile(r'^\s*"(?P<name>Parameters|Options|Results|summary|tests)":\s*[\[{]')
_NUMBER = r"(-?[0-9.]+(?:e[+-]?\d+)?)"
# IOR prints a dash for a negative time, of a clock that was set back.
_TABLE_ROW = re.compile(rf"^(write|read)((?:\s+(?:{_NUMBER}|-)){{7,10}})(?:\s+XXCEL)?\s*$")
# A log of 2.x, which prints no table of iterations unless it is told to: greatest, least and mean bandwidth.
_SUMMARY_ROW = re.compile(rf"^(write|read)((?:\s+{_NUMBER}){{9}})(?:\s.*)?EXCEL\s*$")
_SIZE_WARNING = re.compile(
    r"WARNING: (?P<kind>Expected aggregate file size|Stat\(\) of aggregate file size"
    r"|Using actual aggregate bytes moved)\s*= (?P<bytes>\d+)"
)
_PAIRS = re.compile(
    r"stonewalling pairs accessed min: (\d+) max: (\d+)(?: -- min data: \S+ GiB mean data: (\S+) GiB)?"
)
_SIZE_KINDS = {"Expected": "requested_bytes", "Stat()": "file_bytes", "Using": "moved_bytes"}
_NO_COMPLAINT = ("WARNING: Maybe caused by deadlineForStonewalling",)
_RESULTS = re.compile(r"Results:|access +bw\(MiB/s\)")
_STRIPES = re.compile(r"^lmm_stripe_count:\s+(\d+)")  # lfs getstripe prints it for a file
_BEGAN = ("Began", "StartTime", "Run began")
_ENDED = ("Finished", "Run finished")
# Columns of a table, by how many there are: before 2.10, to 3.0.1, and 4.x.
_TABLES = {
    7: ("bw", "block_kib", "xfer_kib", "open", "io", "close", "iteration"),
    8: ("bw", "block_kib", "xfer_kib", "open", "io", "close", "total", "iteration"),
    10: ("bw", "iops", "latency", "block_kib", "xfer_kib", "open", "io", "close", "total", "iteration"),
}
_JSON_FIELDS = {
    "bwMiB": "bw",
    "blockKiB": "block_kib",
    "xferKiB": "xfer_kib",
    "iops": "iops",
    "latency": "latency",
    "openTime": "open",
    "wrRdTime": "io",
    "closeTime": "close",
    "totalTime": "total",
}
_CSV_FIELDS = {
    "bw(MiB/s)": "bw",
    "IOPS": "iops",
    "Latency": "latency",
    "block(KiB)": "block_kib",
    "xfer(KiB)": "xfer_kib",
    "open(s)": "open",
    "wr/rd(s)": "io",
    "close(s)": "close",
    "total(s)": "total",
    "numTasks": "tasks",
    "iter": "iteration",
}

# Options by the names of the columns of a summary.
_SUMMARY_OPTIONS = {
    "#Tasks": "tasks",
    "tPN": "tasksPerNode",
    "reps": "repetitions",
    "fPP": "filePerProc",
    "segcnt": "segmentCount",
    "blksiz": "blockSize",
    "xsize": "transferSize",
    "API": "api",
}


@dataclass
class Printed:
    """One result as it was printed; sizes are those of the warnings before it."""

    access: str
    values: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    pairs: tuple[int, int] | None = None  # least and most transfers of a rank at the stonewall
    mean_gib: float | None = None  # of a rank at the stonewall
    mean_of: int = 1  # iterations
    is_derived: bool = False  # from greatest, least and mean of all iterations


@dataclass
class Test:
    """One set of options and its results; a script file gives several to a run."""

    options: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)  # that were passed to MPI-IO
    results: list[Printed] = field(default_factory=list)
    summaries: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # access, numbers of its line
    is_quoted: bool = False  # the end of another run, whose command is not there
    place: int = 0  # of its last result in the text


@dataclass
class RunLog:
    """The printed contents of one execution of IOR."""

    program: str = ""
    version: str = ""
    command_line: str = ""
    began: str = ""
    before: tuple[int, int] = (0, 0)  # of the text, between the results of another run and the header
    finished: bool = False
    from_json: bool = False
    tests: list[Test] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    sizes: list[dict[str, int]] = field(default_factory=list)  # of all warnings, in order
    file_stripes: list[int] = field(default_factory=list)

    @property
    def test(self) -> Test:
        """The one being printed."""
        if not self.tests:
            self.tests.append(Test())
        return self.tests[-1]

    @property
    def is_of_ior(self) -> bool:
        """Other JSON has a version, too: that alone tells nothing."""
        told = self.began or self.command_line or self.tests or self.finished or self.messages
        return bool(self.result_count or (self.program and (told or not self.from_json)))

    @property
    def result_count(self) -> int:
        return sum(len(test.results or test.summaries) for test in self.tests)


def scan(text: str) -> list[RunLog]:
    """The runs in a log, in order; one without a header if there is no other. A truncated line is ignored."""
    scanner = _Scanner()
    whole = text if text.endswith("\n") else text[: text.rfind("\n") + 1]
    for line in whole.splitlines():
        scanner.line(line)
        scanner.place += len(line) + 1
    scanner.end()
    return scanner.runs


class _Scanner:
    def __init__(self) -> None:
        self.runs = [RunLog()]
        self.place = self.ended = 0  # of this line, and of the last one with a result
        self.section = ""
        self.sizes: dict[str, int] = {}
        self.pairs: tuple[int, int] | None = None
        self.mean_gib: float | None = None
        self.json_result: Printed | None = None
        self.csv_columns: list[str] = []
        self.summary_columns: list[str] = []
        self.early: list[Message] = []  # warnings after the end of a run: those of the next one

    @property
    def run(self) -> RunLog:
        return self.runs[-1]

    def line(self, line: str) -> None:
        """Each line means at most one thing."""
        if self._boundary(line) or self._sizes(line) or self._result(line):
            return
        stripes = _STRIPES.match(line)
        if stripes:
            self.run.file_stripes.append(whole(stripes[1]) or 0)
        elif line.lstrip().startswith('"') or self.section.startswith("json"):
            self._json(line)
        elif not self._complaint(line):
            self._fact(line)

    def _boundary(self, line: str) -> bool:
        """A shell's trace of the next command, or the first line of a run."""
        if line.startswith("+ "):
            if self.run.program and self.run.finished:
                self._next_run()
            return True
        header = _HEADER.match(line)
        if not header:
            return False
        if self.run.program or self.run.result_count:
            self._next_run()
        self.run.program, self.run.version = header["program"], header["version"]
        self.run.before = max(self.ended, self.place - LINE_BYTES), self.place
        # Before its first line stands what others printed: only warnings known to be IOR's are its own.
        self.run.messages = [one for one in self.run.messages if one.level == "error" or effect_of(one.text)]
        self.section = ""
        return True

    def _next_run(self) -> None:
        self.runs.append(RunLog(messages=self.early))
        self.early = []
        self.section, self.sizes, self.json_result = "", {}, None
        self.csv_columns, self.summary_columns = [], []
        self.pairs = self.mean_gib = None

    def _sizes(self, line: str) -> bool:
        found = _SIZE_WARNING.search(line)
        if found:
            name = _SIZE_KINDS[found["kind"].split()[0]]
            if name == "requested_bytes":
                self.sizes = {}
                self.run.sizes.append(self.sizes)
            size_bytes = whole(found["bytes"])
            if size_bytes is not None:
                self.sizes[name] = size_bytes
        pairs = _PAIRS.search(line)
        if pairs:
            self.pairs = whole(pairs[1]) or 0, whole(pairs[2]) or 0
            self.mean_gib = real(pairs[3])
        return bool(found or pairs) or line.startswith(_NO_COMPLAINT)

    def _result(self, line: str) -> bool:
        table = _TABLE_ROW.match(line)
        if table and self.section not in ("summary", "json-summary"):
            numbers = table[2].split()
            columns = _TABLES.get(len(numbers))
            if columns:
                self._add(Printed(table[1], dict(zip(columns, numbers, strict=True))))
                return True
        if line.startswith("Operation ") and "Max(MiB)" in line:
            self.summary_columns = line.split()
            if self.run.test.summaries:  # that of another run, of which a page quotes the end
                self.run.tests.append(Test(is_quoted=True))
            return True
        if self.summary_columns and line.startswith(("write ", "read ")) and self._of_summary(line.split()):
            return True
        summary = _SUMMARY_ROW.match(line)
        if summary:
            self.run.test.summaries.append((summary[1], tuple(summary[2].split())))
            return True
        if line.startswith("access,bw(MiB/s),"):
            self.csv_columns = line.split(",")
            self.run.program = self.run.program or "IOR"
            self.run.finished = True  # CSV has no last line that could be missing
            return True
        if self.csv_columns and line.startswith(("write,", "read,")):
            self._csv(line.split(","))
            return True
        return False

    def _of_summary(self, fields: list[str]) -> bool:
        """The summary of 3.x and 4.x, whose columns have names. It tells more than a table of iterations,
        which is all that counts where it is there."""
        if len(fields) != len(self.summary_columns):
            return False
        named = dict(zip(self.summary_columns, fields, strict=True))
        test = self.run.test
        is_all = not any(one.results for one in self.run.tests)
        if is_all or not test.options:
            options = {name: named[column] for column, name in _SUMMARY_OPTIONS.items() if column in named}
            test.options = options | test.options
        if is_all:
            test.place = self.ended = self.place
            numbers = [named.get(column, "") for column in ("Max(MiB)", "Min(MiB)", "Mean(MiB)")]
            test.summaries.append((fields[0], (*numbers, *[""] * 5, named.get("Mean(s)", ""))))
        return True

    def _csv(self, fields: list[str]) -> None:
        """A line without the total is cut; early programs print no columns behind it."""
        named = dict(zip(self.csv_columns, fields, strict=False))
        if "total(s)" in named and len(fields) <= len(self.csv_columns):
            values = {name: named[column] for column, name in _CSV_FIELDS.items() if column in named}
            self._add(Printed(named["access"], values))

    def _add(self, result: Printed) -> None:
        result.sizes, self.sizes = self.sizes, {}
        result.pairs, self.pairs = self.pairs, None
        result.mean_gib, self.mean_gib = self.mean_gib, None
        self.run.test.results.append(result)
        self.run.test.place = self.ended = self.place

    def _json(self, line: str) -> None:
        section = _JSON_SECTION.match(line)
        if section:
            self.section = f"json-{section['name'].lower()}"
            return
        for pair in _JSON_PAIR.finditer(line):
            text = pair["text"] if pair["text"] is not None else pair["number"]
            self._json_pair(pair["key"], text)
        # Text behind a value on its line is somebody else's.
        self._complaint(line[line.find("WARNING") :] if "WARNING" in line else line)

    def _json_pair(self, key: str, value: str) -> None:
        if key == "Version":
            if self.run.program:
                self._next_run()
            named = value.removeprefix("weir-io ")
            self.run.program = "IOR" if named == value else "weir-io"
            self.run.version, self.run.from_json = named, True
            self.section = "json-head"
        elif key == "Finished":
            self.run.finished = True
            self.section = ""
        elif self.section == "json-summary":
            return
        elif key == "TestID":
            self.run.tests.append(Test())
        elif self.section == "json-results":
            self._json_result(key, value)
        elif self.section == "json-options":
            self.run.test.options.setdefault(key, value)
        elif self.section == "json-parameters":
            self.run.test.options[key] = value
        else:
            self._head(key, value)

    def _json_result(self, key: str, value: str) -> None:
        if key == "access":
            self.json_result = Printed(value)
        elif self.json_result and key in _JSON_FIELDS:
            self.json_result.values[_JSON_FIELDS[key]] = value
            if key == "totalTime":
                self._add(self.json_result)
                self.json_result = None

    def _complaint(self, line: str) -> bool:
        message = complaint(line[:LINE_BYTES])
        # A warning comes before the result it is about.
        if message and message.level == "warning" and self.section in ("results", "json-results"):
            message = replace(message, row=self.run.result_count)
        if message:
            is_early = self.run.finished and message.level == "warning"
            (self.early if is_early else self.run.messages).append(message)
        return message is not None

    def end(self) -> None:
        """No further run came, so what was printed after the last one is its own."""
        self.run.messages += self.early
        if len(self.runs) > 1 and not self.run.program:
            tail = self.runs.pop()
            self.run.messages += tail.messages
            self.run.file_stripes += tail.file_stripes

    def _fact(self, line: str) -> None:
        """key : value (4.x) or key = value (3.0.1) of the head and of the options."""
        stripped = line.strip()
        if stripped in ("Options:", "Summary:"):
            self.section = "options"
        elif stripped.startswith("hints passed to "):
            self.section = "hints"
        elif _RESULTS.match(stripped) or (stripped, self.section) == ("}", "hints"):
            # It is of another run, of which a page quotes the end or the table alone.
            if self.section == "summary" or (self.section == "results" and self.run.test.results):
                self.run.tests.append(Test(is_quoted=True))
            self.section = "results"
        elif stripped.startswith(("Summary of all tests", "Max Write", "Max Read")):
            self.section = "summary"
        fact = _fact_of(line)
        if fact and self.section in ("options", "hints"):
            test = self.run.test
            (test.hints if self.section == "hints" else test.options)[fact[0]] = fact[1]
        elif fact:
            self._head(*fact)

    def _head(self, key: str, value: str) -> None:
        if key in ("Command line", "Command line used"):
            self.run.command_line = value
        elif key in _BEGAN and not self.run.began:
            self.run.began = value
        elif key in _ENDED:
            self.run.finished = True
        elif key == "TestID" or (key.startswith("Test ") and key.endswith(" started")):
            self.run.tests.append(Test())
            self.section = "head"


def _fact_of(line: str) -> tuple[str, str] | None:
    """'api                 : POSIX' and 'api = POSIX': the key, and what follows it."""
    marks = [place for place in (line.find(": "), line.find(":\t"), line.find("= ")) if place >= 0]
    if not marks and line.rstrip().endswith(":"):
        marks = [len(line.rstrip()) - 1]
    if not marks:
        return None
    key, value = line[: min(marks)].strip(), line[min(marks) + 1 :].strip()
    return (key, value) if _KEY.fullmatch(key) else None


def all_messages(runs: Iterable[RunLog]) -> list[Message]:
    """The complaints of all runs of a text, such as those on stderr."""
    return [message for run in runs for message in run.messages]
