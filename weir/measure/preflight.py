"""Checks the conditions that must hold before the first byte: each check reports what it found and how to fix
it.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from weir.base.mounts import family, fits, mount_of, noexec_hint
from weir.base.storage_calls import in_time
from weir.base.units import format_size
from weir.measure.clean_up.directories import exposed_parent, temporary_directory, unwritable
from weir.measure.machine.host import file_system_of
from weir.measure.machine.servers import server_addresses
from weir.plan.cost import inodes_needed
from weir.records.model import Cell, Footprint, Stack, Target, grouped
from weir.site.launchers import applied
from weir.tools import tools
from weir.tools.engine import shared_engine

# Open MPI 4.1 makes two files of 4 MiB each, and waits for ever where there is no room for them.
_LAUNCH_BYTES = 12 * 2**20
_EVERYWHERE = "POSIX"  # the interface of each program
_NO_LIMIT = (-1, 2**64 - 1)  # CephFS counts its files and has no limit for them


@dataclass(frozen=True)
class Check:
    """Result of one check; problem is None when it passed."""

    name: str
    found: str
    problem: str | None = None
    hint: str = ""
    cells: tuple[str, ...] = ()  # the only ones that the problem keeps from being measured; empty: all

    @property
    def stops(self) -> bool:
        """Whether nothing of the batch can be measured."""
        return self.problem is not None and not self.cells

    @property
    def told(self) -> str | None:
        """The problem with what to do about it, in one line."""
        return "; ".join(filter(None, (self.problem, self.hint))) if self.problem else None


@dataclass(frozen=True)
class Checked:
    """The facts about a prepared target before it is claimed."""

    checks: list[Check]
    servers: Sequence[str] = ()  # their addresses
    temporary: Path | None = None  # for the files of launches; the guardian removes it


def look_at(
    cells: Sequence[Cell],
    target: Target,
    stack: Stack,
    any_kind: bool,
    make_temporary: Callable[[], Path | None],
) -> Checked:
    """All that a batch asks the storage and its programs before their ranks are started."""
    found = in_time(lambda: _look_at_storage(cells, target, stack, any_kind), target.path)
    if any(check.stops for check in found.checks):
        return found
    temporary = make_temporary()
    checks = [*found.checks, *check_interfaces_of_batch(cells, stack, temporary)]
    return Checked(checks, found.servers, temporary)


def _look_at_storage(cells: Sequence[Cell], target: Target, stack: Stack, any_kind: bool) -> Checked:
    checks = check_batch(cells, target, stack, any_kind)
    if any(check.problem for check in checks):
        return Checked(checks)
    return Checked(checks, server_addresses(mount_of(Path(target.path)), target.server_addresses))


def check_batch(cells: Sequence[Cell], target: Target, stack: Stack, any_kind: bool = False) -> list[Check]:
    """All checks of one batch, in the order in which a person would look; later ones need earlier ones."""
    checks: list[Check] = []
    for step in _steps(cells, target, stack, any_kind):
        checks.append(step())
        if checks[-1].problem and checks[-1].name in {"mount", "folder", "writable"}:
            break
    return checks


def _steps(
    cells: Sequence[Cell], target: Target, stack: Stack, any_kind: bool
) -> Iterable[Callable[[], Check]]:
    folder = Path(target.path)
    if target.mount:
        yield lambda: check_mount(Path(target.mount))
    yield lambda: check_folder(folder)
    if not any_kind:
        yield lambda: check_kind(folder, target)
    yield lambda: check_writable(folder)
    peak = [tools()[cell.tool].footprint(cell) for cell in cells]
    yield lambda: check_space(folder, target, peak)
    yield lambda: check_inodes(folder, target, inodes_of(cells, stack))
    yield check_temporary
    if target.get_stripes or target.set_stripes:
        yield lambda: check_stripes(target)
    for tool, by_cross_check in sorted({(cell.tool, cell.by_cross_check) for cell in cells}):
        yield partial(check_program, tool, stack, by_cross_check)


def check_mount(point: Path) -> Check:
    if os.path.ismount(point):
        return Check("mount", str(point))
    return Check("mount", "not mounted", f"nothing is mounted on {point}", "mount it, or correct `mount`")


def check_folder(folder: Path) -> Check:
    if folder.is_dir():
        if exposed := exposed_parent(folder):
            return Check(
                "folder",
                "exposed",
                f"everybody may exchange directories in {exposed}, above the data of this target",
                f"chmod o-w {exposed}, or chmod +t {exposed}",
            )
        return Check("folder", str(folder))
    return Check(
        "folder",
        "missing",
        f"{folder} is not there",
        "create or mount it, or correct `path` in the target's file",
    )


def check_kind(folder: Path, target: Target) -> Check:
    """The rule other-target makes each record INVALID afterwards; a prefix leads past this file system."""
    mount = file_system_of(folder)
    if mount is None or target.prefix:
        return Check("kind", target.kind)
    above = mount["type"] if target.kind == "burst-buffer-fuse" else mount.get("below") or mount["type"]
    memory = mount.get("in_memory") or ""
    shown = f"{target.kind} on {mount['type']}" + (f" ({memory})" if memory else "")
    if fits(target.kind, family(above, mount), bool(memory), target.emulated):
        return Check("kind", shown)
    place = shown.removeprefix(f"{target.kind} ")
    return Check(
        "kind",
        shown,
        f"{folder} is {place}, and the target declares kind: {target.kind}: all its records would be INVALID",
        "mount the file system, or correct `path` or `kind` in its file (weir run --any-kind measures it)",
    )


def check_writable(folder: Path) -> Check:
    """Really makes a file: permission bits say little on network file systems, and root ignores them."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"weir")
    except OSError as error:
        return Check(
            "writable",
            error.strerror or str(error),
            f"no file can be written in {folder}: {error.strerror}",
            f"let user {os.geteuid()} write there, or make room",
        )
    return Check("writable", "yes")


def check_temporary() -> Check:
    name, folder = temporary_directory()
    if not folder.is_dir():  # MPI then uses another one
        return Check("temporary", str(folder))
    reason = unwritable(folder)
    if reason is None and (free := shutil.disk_usage(folder).free) < _LAUNCH_BYTES:
        reason = f"{format_size(free)} are free of the {format_size(_LAUNCH_BYTES)} of a launch"
    if reason is None:
        return Check("temporary", str(folder))
    return Check(
        "temporary",
        reason,
        f"no launch can use {folder}, where MPI keeps the files of a launch ({name}): {reason}",
        "make room there, or set TMPDIR to a directory with room",
    )


def check_stripes(target: Target) -> Check:
    """Each run calls these programs before it begins: a target copied from a template may have none of
    them."""
    path = {**os.environ, **target.environment}.get("PATH")
    names = dict.fromkeys(command[0] for command in (target.set_stripes, target.get_stripes) if command)
    missing = [name for name in names if shutil.which(name, path=path) is None]
    if not missing:
        return Check("stripes", ", ".join(names))
    return Check(
        "stripes",
        "missing",
        f"{missing[0]}, for the stripes of target {target.name}, is not there or not executable",
        "correct `stripes` in the target's file, or say max_stripe_count: 0 where files have no stripes",
    )


def check_space(folder: Path, target: Target, footprints: Sequence[Footprint]) -> Check:
    peak = max((each.peak_bytes for each in footprints), default=0)
    usage = shutil.disk_usage(folder)
    limits = [target.space_bytes] if target.space_bytes else []
    if usage.total:
        limits.append(usage.free)
    if not limits:
        return Check("space", "the file system does not count it")  # ramfs
    allowed = min(limits)
    found = f"{format_size(peak)} of {format_size(allowed)}"
    if peak <= allowed:
        return Check("space", found)
    return Check(
        "space",
        found,
        f"the largest cell needs {format_size(peak)} at once and {folder} has {format_size(allowed)}",
        "make room, or give the suite a smaller round",
    )


def inodes_of(cells: Sequence[Cell], stack: Stack) -> int:
    """Inodes of the cell that needs most, with directories of all executions that may share its launch."""
    sharing = [cell for cell in cells if shared_engine(tools()[cell.tool], cell, stack.program_of(cell))]
    executions = dict.fromkeys((cell.cell for cell in sharing), sum(cell.most_rounds for cell in sharing))
    return max(
        (inodes_needed(tools()[cell.tool].footprint(cell), executions.get(cell.cell, 1)) for cell in cells),
        default=0,
    )


def check_inodes(folder: Path, target: Target, need: int) -> Check:
    facts = os.statvfs(folder)
    limits = [target.inodes] if target.inodes else []
    if facts.f_files != 0 and facts.f_favail not in _NO_LIMIT:
        limits.append(facts.f_favail)
    if not limits:
        return Check("inodes", "the file system does not count them")
    allowed = min(limits)
    found = f"{need} of {allowed}"
    if need <= allowed:
        return Check("inodes", found)
    problem = f"{need} files and directories are needed and {folder} has {allowed} inodes left"
    return Check("inodes", found, problem, "make room, or give the suite fewer files")


def check_program(tool: str, stack: Stack, by_cross_check: bool = False) -> Check:
    program = stack.program(tool, by_cross_check)
    if not program:
        known = ", ".join(sorted(stack.programs)) or "none"
        return Check(
            f"program {tool}",
            "not in the stack",
            f"stack {stack.name} has no program for {tool} (it has: {known})",
            f"name it under stacks: {stack.name}: programs in site.yaml",
        )
    environment = applied(os.environ, stack.environment)
    found = shutil.which(program[0], path=environment.get("PATH"))
    if found is None:
        return Check(
            f"program {tool}",
            "missing",
            f"{program[0]} is not there or not executable",
            noexec_hint(Path(program[0]))
            or "make build makes weir-io, make stacks those of spack.yaml; a program given by its name"
            f" alone must be on the PATH of stack {stack.name}",
        )
    if missing := _missing_libraries(found, environment):
        return Check(
            f"program {tool}",
            "a library is missing",
            f"{found} needs {', '.join(missing)}, which the loader does not find",
            library_hint(stack),
        )
    return Check(f"program {tool}", found)


def check_interfaces_of_batch(
    cells: Sequence[Cell], stack: Stack, temporary: Path | None = None
) -> list[Check]:
    """One check for each program, which a session starts once, since its process remembers the answers.

    A problem that all cells have is one of the batch."""
    groups = grouped(((cell.tool, cell.by_cross_check), cell) for cell in cells)
    checks = [
        check_interfaces(tool, stack, groups[tool, beside], temporary) for tool, beside in sorted(groups)
    ]
    if sum(len(check.cells) for check in checks) < len(cells):
        return checks
    return [replace(check, cells=()) for check in checks]


def check_interfaces(tool: str, stack: Stack, cells: Sequence[Cell], temporary: Path | None = None) -> Check:
    """Interfaces are chosen when a program is built: an IOR without HDF5 fails in each run that wants it.
    Every program has POSIX, so only other interfaces start it. temporary: a directory for its files."""
    from weir.site.stacks.probe import ask_program

    wanted = list(dict.fromkeys(str(cell.params.get("api", _EVERYWHERE)) for cell in cells))
    known, program = tools()[tool], stack.program_of(cells[0])
    environment = applied(os.environ, stack.environment)
    if (
        not program
        or wanted == [_EVERYWHERE]
        or shutil.which(program[0], path=environment.get("PATH")) is None
    ):
        return Check(f"interfaces {tool}", ", ".join(wanted))
    listed = known.interfaces(program, lambda arguments: ask_program(arguments, environment, temporary))
    names = list(dict.fromkeys(known.interface_names.get(name, name) for name in listed))
    lacking = [name for name in wanted if name not in names] if names else []
    if not lacking:
        return Check(f"interfaces {tool}", ", ".join(wanted))
    return Check(
        f"interfaces {tool}",
        ", ".join(names),
        f"{' '.join(program)} was built without {', '.join(lacking)} (it has: {', '.join(names)})",
        f"build it with {', '.join(lacking)}, name another program under stacks: {stack.name}: programs in"
        " site.yaml, or take these values of api out of the suite",
        tuple(cell.cell for cell in cells if cell.params.get("api", _EVERYWHERE) in lacking),
    )


def _missing_libraries(program: str, environment: Mapping[str, str]) -> Sequence[str]:
    from weir.site.stacks.probe import linked  # what only plans is started without the probes of stacks

    return linked(program, environment).missing


def library_hint(stack: Stack) -> str:
    return f"name its folder as LD_LIBRARY_PATH in the environment of stack {stack.name}"
