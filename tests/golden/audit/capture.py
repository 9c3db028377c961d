"""Captures one real output for each rule: python -m tests.golden.audit.capture [CASE...]
Of storage that is not here: python -m tests.golden.audit.capture keep CASE RESULTS [PATH=SHOWN...]

IOR, IOR_301 and MDTEST name the originals (IOR 4.1 with its mdtest, IOR 3.0.1), WEIR_IO_MPICH a weir-io that
is built with MPICH. A case is a directory of
cases/: of a run its plan.json and its outputs, of a log log.txt; expected.txt is what the rules find there.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.golden.audit.cases import CASES, found_in
from tests.zoo.animals import Animal
from tests.zoo.everyone import ANIMALS
from tests.zoo.keeper import ENGINE, ROOT, Keeper
from weir.base.files import file_sha256

_RANKS = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_SHORT = {"xfer": "256 KiB", "block": "1 MiB"}
_ANIMALS = {animal.name: animal for animal in ANIMALS}


@dataclass(frozen=True)
class Run:
    """One weir run; the mappings are merged over what the zoo plans."""

    animal: Animal = field(default_factory=lambda: Animal("plain", "", "write", ()))
    program: str = "weir-io"
    fixed: Mapping[str, Any] = field(default_factory=dict)
    experiment: Mapping[str, Any] = field(default_factory=dict)
    stack: Mapping[str, Any] = field(default_factory=dict)
    target: Mapping[str, Any] = field(default_factory=dict)


def _zoo(name: str, program: str = "weir-io") -> Run:
    return Run(_ANIMALS[name], program)


def _preloaded(fault: str, access: str = "write") -> Animal:
    return Animal(fault, "", access, (), fault)


_WITHOUT_VERIFICATION = """\
#!/bin/bash
arguments=()
for word; do [ "$word" = -R ] || arguments+=("$word"); done
exec {program} "${{arguments[@]}}"
"""
_LATE = """\
#!/bin/bash
sleep 6
exec {program} "$@"
"""
_LAUNCH = ["--oversubscribe", "--bind-to", "none", "-n", "1"]
RUNS: dict[str, Run] = {
    "synchronisation-does-nothing": _zoo("no-op fsync", "ior"),
    "o-direct-lies": _zoo("lying O_DIRECT"),
    "o-direct-stripped": _zoo("stripped O_DIRECT"),
    "writes-lost-weir-io": _zoo("lost writes"),
    "writes-lost-ior": _zoo("lost writes", "ior"),
    "sparse": _zoo("sparse file", "ior"),
    "led-elsewhere": _zoo("answered lookups", "ior"),
    "slow-rank": _zoo("slow rank"),
    "clock-of-one-rank": _zoo("clock of one rank"),
    "clock-of-one-rank-ior": _zoo("clock of one rank", "ior"),
    "foreign-load": _zoo("foreign load"),
    "throttled": _zoo("throttled CPU"),
    "ranks-on-one-processor": _zoo("ranks on one processor"),
    "overwritten": _zoo("overwritten files"),
    "another-user": _zoo("another user"),
    "idle-mkdir": _zoo("idle mkdir"),
    "remembered-stat": _zoo("remembered stat"),
    "fsync-of-files-filtered": _zoo("filtered fsync of files"),
    "fsync-of-files-filtered-before-sync": _zoo("filtered fsync before a sync"),
    "quick-print": _zoo("quick print", "ior"),
    "best-of-four": _zoo("best of four", "ior"),
    "tmpfs-as-disk": _zoo("tmpfs as disk"),
    "compressing": _zoo("compressing loop file system"),
    "corrupt": _zoo("lying FUSE, verified"),
    "volatile": _zoo("volatile overlay"),
    "filtered": _zoo("filtered fsync on btrfs", "ior"),
    "partly-cached": _zoo("most of a cache dropped"),
    "cached-loop": _zoo("cached loop"),
    "wrong-hole": _zoo("wrong SEEK_HOLE"),
    "limited": _zoo("limited disk"),
    "folded": _zoo("folded file", "ior"),
    "withdrawn": _zoo("withdrawn bytes", "ior"),
    "time-limit": Run(fixed={"block": "8 GiB"}, experiment={"timeout": "2 s"}),
    "other-transfer": Run(program="ior", stack={"programs": {"ior": ["OTHER"]}}),
    "verification-dropped": Run(
        Animal("unverified", "", "read", (), suite="verify"),
        stack={"programs": {"ior": ["WITHOUT-R", "ior"]}},
    ),
    "late-start": Run(stack={"programs": {"ior": ["LATE", "ior"]}}),
    "other-ranks": Run(program="ior", stack={"launcher_options": _LAUNCH}),
    "no-synchronisation": Run(fixed={"sync": False}),
    "short": Run(fixed=_SHORT),
    "stripes": Run(
        fixed={"stripe_count": 2},
        target={"max_stripe_count": 4, "stripes": {"set": ["true"], "get": ["echo", "1"]}},
    ),
    "short-writes": Run(_preloaded("short-writes")),
    "stonewall": Run(_preloaded("slow-rank"), fixed={"stonewall": "1 s", "block": "4 GiB"}),
}


def _ior(*options: str, before: str = "", name: str = "IOR") -> Callable[[Path], str]:
    """IOR on a file in a folder; before: a command of the shell that runs first."""

    def run(folder: Path) -> str:
        if before:
            subprocess.run(["bash", "-c", before], cwd=folder, check=True)
        return _output([*_RANKS, os.environ[name], *options], folder)

    return run


def _mdtest(*options: str, times: int = 1) -> Callable[[Path], str]:
    """The last of so many runs."""
    command = [*_RANKS, os.environ.get("MDTEST", "mdtest"), *options, "-d", "tree"]
    return lambda folder: [_output(command, folder) for _ in range(times)][-1]


def _output(options: list[str], folder: Path, more: Mapping[str, str] | None = None) -> str:
    environment = {**os.environ, **_AS_ROOT, **(more or {})}
    done = subprocess.run(
        options, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode()


def _document(*options: str, before: str = "", program: str = str(ENGINE)) -> Callable[[Path], str]:
    """The document of weir-io; before: a command of the shell that runs first."""

    def run(folder: Path) -> str:
        subprocess.run(["bash", "-c", before or "true"], cwd=folder, check=True)
        launcher = ["mpirun.mpich", "-n", "2"] if program != str(ENGINE) else _RANKS
        words_ = [word.replace("FOLDER", str(folder)) for word in options]
        _output([*launcher, program, *words_], folder)
        return _one_line(folder)

    return run


def _one_line(folder: Path) -> str:
    return json.dumps(json.loads((folder / "out.json").read_text())) + "\n"


def _at_once(folder: Path) -> str:
    """A read of 8 bytes of memory: four decimals have no room for its time."""
    file = f"/dev/shm/{folder.name}"
    options = ["mpirun", "-n", "1", os.environ["IOR"], "-w", "-r", "-t", "8", "-b", "8", "-o", file]
    return _output([*options, "-O", "summaryFormat=JSON"], folder).replace(file, "/dev/shm/weir")


def _killed(folder: Path) -> str:
    """IOR that is ended while it writes its second iteration."""
    options = ["timeout", "6", *_RANKS, os.environ["IOR"], "-w", "-r", "-t", "1m", "-b", "256m", "-i", "99"]
    return _output([*options, "-e", "-o", "data"], folder)


def _shimmed(fault: str, *options: str, name: str = "IOR") -> Callable[[Path], str]:
    """IOR with a fault of the zoo; not through weir, whose own clocks would see it."""
    return lambda folder: _with_fault(folder, fault, os.environ[name], *options)


def _with_fault(folder: Path, fault: str, *options: str) -> str:
    shims = folder / "shims.so"
    subprocess.run(["cc", "-shared", "-fPIC", ROOT / "tests/zoo/shims.c", "-o", shims, "-ldl"], check=True)
    preload = ["env", f"LD_PRELOAD={shims}"]
    return _output([*_RANKS, *preload, *options], folder, {"WEIR_ZOO": fault, "WEIR_ZOO_PATH": "data"})


def _kept_below(folder: Path) -> str:
    """A read in passes, of which the first is slow."""
    _with_fault(folder, "kept-below", str(ENGINE), *_AGAIN, "-b", "2m", "-e")
    return _one_line(folder)


def _over_a_file(folder: Path) -> str:
    """A read of a file system in a file, which the page cache holds."""
    make = "truncate -s 64M image && mkfs.ext4 -q image && mkdir mount && mount -o loop image mount"
    try:
        return _document(*_PLAIN, before=make)(folder)
    finally:
        subprocess.run(["umount", folder / "mount"], check=True)


_PLAIN = ("ior", "-w", "-r", "-e", "-g", "-t", "256k", "-b", "16m", "--drop-caches", "-o", "mount/data")
_PLAIN += ("-O", "summaryFile=out.json")
_AGAIN = ("ior", "-w", "-r", "-t", "64k", "-o", "data", "-O", "summaryFile=out.json", "--drop-caches")
_AGAIN += ("--read-again", "-D", "0.5", "-O", "stoneWallingWearOut=1")
_CHUNKS = ("-a", "HDF5", "--hdf5.chunkSize=1024", "-t", "8k", "-b", "128k", "-e")
_WRITE = ["-w", "-t", "1m", "-b", "16m", "-e", "-o", "data"]
_FIND = ("find", "tree", "-C", "--make-files", "100", "--json", "out.json")
_HINTED = ("ior", "-a", "MPIIO", "-w", "-e", "-g", "-t", "1m", "-b", "16m", "-o", "FOLDER/data", "-O")
_HINTED += ("summaryFile=out.json", "-U", "hints")
_HINT = "echo IOR_HINT__MPI__cb_nodes=1000 >hints"
_WAITING = ("--name=waits", "--rw=read", "--bs=4k", "--size=1m", "--thinktime=2000", "--output-format=json")
LOGS: dict[str, Callable[[Path], str]] = {
    "waits-between-reads": lambda folder: _output(["fio", *_WAITING], folder),
    "dry-run": _ior("--dryRun", "-a", "DUMMY", *_WRITE),
    "read-back": _ior("-r", *_WRITE),
    "older-file": _ior("-k", "-E", *_WRITE, before="head -c 40M /dev/zero >data"),
    "drawn-again": _ior(
        *("-r", "-F", "-C", "-k", "-z", "-z", "-t", "4096", "-b", "4096", "-s", "2000", "-o", "data"),
        before="head -c 1M /dev/zero >data.00000000 && cp data.00000000 data.00000001",
    ),
    "option-dropped": _ior("-c", *_WRITE, name="IOR_301"),
    "three-zero-one": _ior(
        "-a", "MPIIO", "-z", "-t", "64k", "-b", "16m", "-w", "-e", "-o", "data", name="IOR_301"
    ),
    "killed": _killed,
    "no-time": _at_once,
    "clock-step": _shimmed("clock-step", *_WRITE),
    "older-tree": _document(*_FIND, before="mkdir tree && touch tree/older"),
    "empty-tree": _document("find", "tree", "-C", "--json", "out.json", before="mkdir tree"),
    "hint-changed": _document(*_HINTED, program=os.environ.get("WEIR_IO_MPICH", "weir-io"), before=_HINT),
    "over-a-file": _over_a_file,
    "kept-below": _kept_below,
    "chunks-kept": _document(*_AGAIN, *_CHUNKS),
    "stale-size": _shimmed("stale-size", *_WRITE),
    "mean-of-five": _mdtest("-n", "20", "-i", "5"),
    "existing-tree": _mdtest("-n", "20", "-F", "-C", times=2),
    "unread-status-file": _mdtest("-n", "20", "-F", "-C", "-T", "-W", "0", "-x", "absent"),
    "one-file-of-all": _mdtest("-n", "20", "-F", "-S"),
}


class _Staged(Keeper):
    """A keeper that plans a case instead of an animal."""

    run: Run

    def _configure(self, home: Path, animal: Animal, program: str) -> None:
        super()._configure(home, animal, program)
        other, without = home / "other-transfer", home / "without-verification"
        other.write_text(f'#!/bin/sh\nexec {self.programs.get("ior", [""])[0]} "$@" -t 524288\n')
        without.write_text(_WITHOUT_VERIFICATION.format(program=ENGINE))
        late = home / "late-start"
        late.write_text(_LATE.format(program=ENGINE))
        options = json.dumps(dict(self.run.stack))
        for word, script in (("OTHER", other), ("WITHOUT-R", without), ("LATE", late)):
            script.chmod(0o755)
            options = options.replace(word, str(script))
        stack = json.loads(options)
        config = home / "config"
        _merge(config / "sites/zoo/site.yaml", ("stacks", "plain"), stack)
        _merge(config / f"sites/zoo/targets/{animal.target}.yaml", (), self.run.target)
        suite = config / f"suites/{animal.suite}.yaml"
        if self.run.fixed.get("api") == "MPIIO":
            _merge(config / f"sites/zoo/targets/{animal.target}.yaml", (), {"apis": ["POSIX", "MPIIO"]})
        _merge(suite, ("experiments", "one", "fixed"), self.run.fixed)
        _merge(suite, ("experiments", "one"), self.run.experiment)


def _merge(file: Path, keys: tuple[str, ...], more: Mapping[str, Any]) -> None:
    content = part = yaml.safe_load(file.read_text())
    for key in keys:
        part = part[key]
    part |= more
    file.write_text(yaml.safe_dump(content, sort_keys=False))


def _keep_run(name: str, home: Path, hidden: Mapping[str, str]) -> None:
    case = CASES / name
    shutil.rmtree(case, ignore_errors=True)
    (case / "run").mkdir(parents=True)
    plan = json.loads((home / "plan.json").read_text())
    (case / "plan.json").write_text(_plain(json.dumps(plan), hidden) + "\n")
    (run,) = home.rglob("run.json")
    document = json.loads(run.read_text())
    for file in (run, *(run.with_name(output) for output in document["outputs"].values())):
        text = file.read_text(errors="replace")
        if file.suffix == ".json" and '"Began"' not in text:  # that of IOR is read line by line
            text = json.dumps(json.loads(text)) + "\n"
        (case / "run" / file.name).write_text(_plain(text, hidden))
    renew_sums(case / "run")


def renew_sums(run: Path) -> None:
    """run.json with the sums of the files as they are kept."""
    document = json.loads((run / "run.json").read_text())
    files = sorted(file for file in run.iterdir() if file.name != "run.json")
    document["sha256"] = {file.name: file_sha256(file) for file in files}
    (run / "run.json").write_text(json.dumps(document) + "\n")


def _plain(text: str, hidden: Mapping[str, str]) -> str:
    """Without the directories of the machine that captured it."""
    for path, shown in hidden.items():
        text = text.replace(path, shown)
    return text


def _keep_results(name: str, results: Path, hidden: Mapping[str, str]) -> None:
    """A run on storage that this machine may lack, such as a file system of the lab: `keep CASE RESULTS`."""
    _keep_run(name, results, {str(results): "/scratch/study", str(ROOT): "/opt/weir", **hidden})


def _capture_run(name: str, run: Run) -> None:
    ior = Path(os.environ["IOR"])
    with tempfile.TemporaryDirectory(prefix="weir-capture-") as folder:
        with _Staged(Path(folder), ior) as keeper:
            keeper.run = run
            keeper.visit(run.animal, run.program)
        homes = sorted(Path(folder).glob("*/plan.json"), key=lambda plan: plan.stat().st_mtime)
        hidden = {str(homes[-1].parent): "/scratch/study", folder: "/scratch", str(ior): "/opt/ior/bin/ior"}
        hidden |= {keeper.name: "weir-zoo", str(ROOT): "/opt/weir"}
        _keep_run(name, homes[-1].parent, hidden)


def _capture_log(name: str, run: Callable[[Path], str]) -> None:
    case = CASES / name
    shutil.rmtree(case, ignore_errors=True)
    case.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="weir-capture-", dir="/var/tmp") as folder:
        hidden = {folder: "/scratch", str(ROOT): "/opt/weir"}
        for variable in ("IOR", "IOR_301", "MDTEST", "WEIR_IO_MPICH"):
            if variable not in os.environ:
                continue
            hidden[os.environ[variable]] = f"/opt/bin/{Path(os.environ[variable]).name}"
        (case / "log.txt").write_text(_plain(run(Path(folder)), hidden))


def main(names: list[str]) -> None:
    if names[:1] == ["keep"]:
        _keep_results(names[1], Path(names[2]), dict(pair.split("=", 1) for pair in names[3:]))
        _note_findings(names[1])
        return
    if not ENGINE.is_file():
        raise SystemExit(f"{ENGINE} is missing: make build")
    for name in names or [*RUNS, *LOGS]:
        if name in RUNS:
            _capture_run(name, RUNS[name])
        else:
            _capture_log(name, LOGS[name])
        _note_findings(name)


def _note_findings(name: str) -> None:
    lines = found_in(CASES / name)
    (CASES / name / "expected.txt").write_text("".join(f"{line}\n" for line in lines))
    print(name, *lines, sep="\n  ", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
