"""A copy of the checkout with a small suite, and snakemake and reframe started in it as a user would."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.checkout import copy_parts
from tests.programs import replace_in
from tests.slurm.private_slurm import HERE, Cluster
from weir.tools.engine import engine_of

ROOT = HERE.parent.parent
BIN = Path(sys.executable).parent
PARTS = (
    "Snakefile",
    "snakemake_executor_plugin_weir",
    "config",
    "profiles",
    "weir",
    "reframe_checks",
    "analysis",
    "reports",
    "reference",
)
SITES = ("sandbox", "lustre-template")  # the template that docs/how-to/cluster.md begins with
# Jobs of seconds are requested every second; the executor itself waits ten seconds more each time.
SNAKEMAKE = """
from snakemake.cli import main
from snakemake_executor_plugin_slurm import Executor
Executor.next_seconds_between_status_checks = property(lambda self: 1, lambda self, value: None)
main()
"""

# Every cell takes a moment longer, so that a fault has a time to happen in. Nothing follows weir-io, so weir
# does not see that it could run many cells in one launch.
SLOW_PROGRAM = '["sh", "-c", "sleep {seconds}; {hold}; exec \\"$0\\" ior \\"$@\\"", "{{root}}/build/weir-io"]'

SUITE = """\
suite: {name}
question: Does it run?
tags: [daily]
experiments:
  only:
    tool: ior
    question: Does it run?
    timeout: {timeout}
    nodes: {nodes}
    ppn: {ppn}
    space:
      xfer: {xfers}
    fixed: {{api: POSIX, layout: shared, order: sequential, access: [write, read], block: 1 MiB}}
    repetitions: {{rounds: 1, iterations: 1}}
"""


@dataclass
class Checkout:
    folder: Path
    cluster: Cluster
    started: list[subprocess.Popen[str]] = field(default_factory=list)
    study: str = "tiny"  # the only suite

    @classmethod
    def make(cls, folder: Path, cluster: Cluster) -> "Checkout":
        folder.mkdir(parents=True, exist_ok=True)
        copy_parts(PARTS, folder)
        for suite in (folder / "config" / "suites").glob("*.yaml"):
            suite.unlink()  # ReFrame would measure them all
        for site in (folder / "config" / "sites").iterdir():
            if site.name not in SITES:
                shutil.rmtree(site)  # and ask the programs of all sites
        (folder / "build").mkdir()
        shutil.copy(ROOT / "build" / "weir-io", folder / "build" / "weir-io")
        made = cls(folder, cluster)
        made.target = folder / "target"
        return made

    @property
    def results(self) -> Path:
        return self.folder / "results" / "sandbox"

    @property
    def hold(self) -> Path:
        return self.folder / "hold"

    @property
    def target(self) -> Path:
        return self.folder / "target"

    @target.setter
    def target(self, path: Path) -> None:
        """One target of its own, so that what is left on it is ours."""
        targets = self.folder / "config" / "sites" / "sandbox" / "targets"
        for file in targets.glob("*.yaml"):
            file.unlink()
        path.mkdir(exist_ok=True)
        kind = "memory" if path.is_relative_to("/dev/shm") else "disk"
        (targets / "disk.yaml").write_text(
            f"target: disk\nkind: {kind}\ndescription: A folder of the test\npath: {path}\nallow_home: true\n"
        )

    def suite(
        self, nodes: list[int], ppn: list[int], cells: int = 1, timeout: str = "60 s", name: str = "tiny"
    ) -> None:
        """The only suite of the copy."""
        xfers = [f"{2**power} KiB" for power in range(4, 4 + cells)]
        text = SUITE.format(name=name, nodes=nodes, ppn=ppn, xfers=json.dumps(xfers), timeout=timeout)
        self._only_suite(name, text)

    def real_suite(self, name: str, nodes: list[int], ppn: list[int]) -> None:
        """A suite of the project on these nodes and processes per node, small and in one round."""
        text = (ROOT / "config" / "suites" / f"{name}.yaml").read_text()
        for key, values in (("nodes", nodes), ("ppn", ppn)):
            text, count = re.subn(rf"^( +{key}: )\[.*\]$", rf"\g<1>{values}", text, flags=re.MULTILINE)
            assert count > 0, f"suite {name} says no {key}"
        text = re.sub(r"rounds: \d+", "rounds: 1", text)
        text = re.sub(r"\b(512 MiB if .*|)2 GiB\b", r"8 MiB", text)
        self._only_suite(name, text)

    def _only_suite(self, name: str, text: str) -> None:
        self.study = name
        (self.folder / "config" / "suites" / f"{name}.yaml").write_text(text)
        (self.folder / "config" / "config.yaml").write_text(f"site: sandbox\nsuites: [{name}]\n")

    def site(self, old: str, new: str) -> None:
        """Change a line of the site's file."""
        replace_in(self.folder / "config/sites/sandbox/site.yaml", old, new)

    def shorten(self, old: str, new: str) -> None:
        """Change the suite, to fewer cells."""
        replace_in(self.folder / f"config/suites/{self.study}.yaml", old, new)

    def slow_down(self, seconds: float) -> None:
        runs = self.results / "runs"
        hold = f"while [ -e {self.hold} ] && ls {runs}/*/*/run.json >/dev/null 2>&1; do sleep 0.2; done"
        program = SLOW_PROGRAM.format(seconds=seconds, hold=hold)
        assert not engine_of(json.loads(program)), "the cells would share a launch, and its one moment"
        self.site('["{root}/build/weir-io", ior]', program)

    @property
    def environment(self) -> dict[str, str]:
        environment = self.cluster.environment
        # The copy's own weir, whichever one the environment has installed.
        own = {"PYTHONPATH": str(self.folder), "HOME": str(self.folder / "home")}
        return environment | own | {"PATH": f"{environment['PATH']}:{BIN}"}

    def on_login_node(self) -> list[str]:
        """What goes before a command."""
        return []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """In a session of its own, as a terminal would: Ctrl-C then reaches this command and nothing else. A
        shell's background job ignores it, and so would all that it starts."""
        (self.folder / "home").mkdir(exist_ok=True)
        process = subprocess.Popen(
            ["env", "--default-signal=INT,QUIT,HUP", *self.on_login_node(), *arguments],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def end(self) -> None:
        """A test that failed half-way leaves no command behind."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()

    def ended(self, *arguments: str, limit_s: float = 400) -> tuple[int, str]:
        """Exit code and output."""
        process = self.start(*arguments)
        try:
            output, _ = process.communicate(timeout=limit_s)
        except BaseException:
            self.end()
            raise
        return process.returncode, output

    def run(self, *arguments: str, fails: bool = False, limit_s: float = 400) -> str:
        """The output of a command that succeeds, or that fails."""
        code, output = self.ended(*arguments, limit_s=limit_s)
        assert (code != 0) == fails, f"{arguments}: exit code {code}\n{output}"
        return output

    def snakemake_words(self, *arguments: str) -> list[str]:
        records = str((self.results / self.study / "records.csv").relative_to(self.folder))
        start = [sys.executable, "-c", SNAKEMAKE, "--profile", "profiles/slurm", "--nocolor"]
        start += ["--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "10"]
        return [*start, *arguments, "--", records]

    def snakemake(self, *arguments: str, **how: Any) -> str:
        return self.run(*self.snakemake_words(*arguments), **how)

    def reframe_words(self, *arguments: str) -> list[str]:
        settings = ["-C", "reframe_checks/settings.py", "-c", "reframe_checks", "--system", "sandbox:debug"]
        return [str(BIN / "reframe"), "--nocolor", *settings, *arguments]

    def reframe(self, *arguments: str, **how: Any) -> str:
        return self.run(*self.reframe_words(*arguments), **how)

    def records(self) -> list[dict[str, str]]:
        with (self.results / self.study / "records.csv").open() as stream:
            return list(csv.DictReader(stream))

    def runs(self) -> list[dict[str, object]]:
        return [json.loads(file.read_text()) for file in sorted(self.results.glob("runs/*/*/run.json"))]

    def finished(self) -> set[str]:
        """When the runs that ended well began."""
        return {str(run["began"]) for run in self.runs() if run["status"] == "done"}

    def receipts(self) -> dict[str, dict[str, object]]:
        files = sorted((self.results / self.study / "batches").glob("*.json"))
        return {file.stem: json.loads(file.read_text())["batches"][0] for file in files}

    def assert_clean(self) -> None:
        """No job waits or runs, and weir left nothing on the target."""
        assert self.cluster.out("squeue", "-h") == ""
        assert list(self.target.iterdir()) == []
