"""Honest synchronisations of each file and each write."""

from tests.unit.audit.findings_of_series import each_file, each_write, flushed
from tests.unit.audit.subjects import DONE, subject
from weir.audit.judge import judge

RULE = "syncs-not-at-device"


def test_as_many_flushes_as_one_rank_waited_for_are_enough() -> None:
    for about in (
        each_file(**flushed(400)),
        each_write(**flushed(800)),
        each_write(**flushed(101), syncs_at_once=8),
    ):
        assert RULE in judge(about).passed


def test_disks_without_a_cache_and_older_kernels_tell_nothing() -> None:
    for about in (each_file(**flushed(None)), each_write()):
        found = judge(about)
        assert RULE not in found.passed
        assert RULE not in {one.rule for one in found.findings}


def test_a_single_synchronisation_is_no_series() -> None:
    for about in (subject({"syncs_reported": 1, **flushed(0)}, tool="fio"), subject(flushed(0), run=DONE)):
        found = judge(about)
        assert RULE not in {*found.passed, *found.not_observable, *(one.rule for one in found.findings)}
