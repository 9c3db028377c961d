"""What is true of a record of a composed case: worked out from what was staged, not by rules of the audit."""

from dataclasses import dataclass

from tests.zoo.composed.axes import DISK, MEMORY, NOWHERE, Suite, Value

HONEST, FALSE, OPEN = "honest", "false", "open"
_ENOUGH = 0.8  # of a read from the storage


@dataclass(frozen=True)
class Case:
    """One value of each axis."""

    number: int
    program: Value
    suite: Suite
    library: Value
    file_system: Value
    around: Value
    record: Value

    @property
    def values(self) -> tuple[Value, ...]:
        return self.program, self.library, self.file_system, self.around, self.record

    @property
    def names(self) -> tuple[str, ...]:
        parts = (self.program, self.suite, self.library, self.file_system, self.around, self.record)
        return tuple(one.name for one in parts)

    @property
    def findings(self) -> frozenset[str]:
        """Rules about the machine that concern what it was made to do."""
        return frozenset(one.finding for one in self.values)


def truth(case: Case, access: str) -> str:
    """HONEST: the number is what the cell requested; FALSE: it is not, or must not be believed without a
    reservation; OPEN: what was staged does not decide it."""
    if _is_false_for_all(case):
        return FALSE
    if access not in ("write", "read"):
        return _of_names(case, access)
    of_data = _of_data(case, access)
    if any(one.shares == case.file_system.medium for one in case.values):
        stays = access == "write" and not (case.suite.sync or case.suite.direct)
        return OPEN if stays and of_data != FALSE else FALSE  # in memory while the clock runs
    return of_data


def _of_data(case: Case, access: str) -> str:
    if case.suite.direct and not case.library.keeps_direct:
        return OPEN if case.file_system.medium == MEMORY else FALSE
    return _of_write(case) if access == "write" else _of_read(case)


def _is_false_for_all(case: Case) -> bool:
    medium = case.file_system.medium
    slowed = {one.slowed for one in case.values}
    return (
        not all(one.honest_numbers for one in case.values)
        or medium in (NOWHERE, *slowed)
        or medium != case.file_system.declared
        or "all" in slowed
    )


def _synchronises(case: Case) -> bool:
    return all(one.synchronises for one in case.values)


def _of_write(case: Case) -> str:
    if case.library.writes < 1:
        return FALSE
    if case.file_system.medium != DISK or not (case.suite.sync or case.suite.direct):
        return HONEST
    past_caches = case.suite.direct and not case.file_system.caches
    if case.suite.sync and _synchronises(case):
        return HONEST
    if case.suite.sync:  # the bytes may be there, the synchronisation was not done
        return OPEN if past_caches else FALSE
    return HONEST if past_caches else FALSE


def _of_read(case: Case) -> str:
    if case.library.writes < 1 or case.library.reads < 1:
        return FALSE
    if case.file_system.medium != DISK:
        return HONEST
    if case.file_system.caches:
        return FALSE
    if case.suite.direct:
        return HONEST
    if not case.suite.dropped or case.program.name != "weir-io":
        return FALSE
    if min(one.drops for one in case.values) < _ENOUGH:
        return FALSE
    return HONEST if _synchronises(case) else OPEN  # dirty pages are not dropped


def _of_names(case: Case, access: str) -> str:
    if access in ("create", "remove") and not case.library.names:
        return FALSE
    if access == "stat" and not case.library.stats:
        return FALSE
    needs = case.suite.name == "synchronised-files" and access == "create"
    if needs and case.file_system.medium == DISK and not _synchronises(case):
        return FALSE
    return OPEN if any(one.shares == case.file_system.medium for one in case.values) else HONEST
