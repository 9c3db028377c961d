"""Batch systems that weir was never run on, by the forms of output that their documentation shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from weir.site.schedulers import scheduler, schedulers
from weir.site.schedulers.base import ENDED, RUNNING, WAITING, JobFiles, JobState, Request
from weir.site.schedulers.lsf import state_of as lsf_state
from weir.site.schedulers.pjm import state_of as pjm_state

FILES = JobFiles("weir_disk-4x2", Path("/s/job.sh"), Path("/s/job.log"))
# User guide of Fugaku, "Displaying a job status".
PJSTAT = """\
JOB_ID  JOB_NAME  MD  ST   USER   START_DATE      ELAPSE_LIM  NODE_REQUIRE  VNODE  CORE  V_MEM
238     job.sh    NM  RUN  user1  11/17 09:01:41  0001:00:00  12:2x3x2      -      -     -
241     job2.sh   NM  RUN  user1  11/17 09:01:42  0001:00:00  2             -      -     -
"""


def test_they_are_marked() -> None:
    assert {name for name, each in schedulers().items() if "never run" in each.description} == {"lsf", "pjm"}


def test_bsub() -> None:
    assert scheduler("lsf").submission(Request(4, 90, 24, options=["-q", "normal", "-x"]), FILES) == [
        *("bsub", "-J", "weir_disk-4x2", "-o", "/s/job.log.queue", "-W", "2"),
        *("-n", "96", "-R", "span[ptile=24]", "-q", "normal", "-x", "/s/job.sh"),
    ]
    assert scheduler("lsf").submitted("Job <1234> is submitted to queue <normal>.\n") == "1234"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("RUN|-|-|-", JobState(RUNNING)),
        (
            "PEND|-|-|New job is waiting for scheduling",
            JobState(WAITING, "New job is waiting for scheduling"),
        ),
        ("DONE|-|-|-", JobState(ENDED, "", 0)),
        ("EXIT|3|-|-", JobState(ENDED, "", 3)),
        (
            "EXIT|140|TERM_RUNLIMIT: job killed after reaching LSF run time limit|-",
            JobState(ENDED, "its time was over", 140),
        ),
        ("EXIT|130|TERM_OWNER: job killed by owner|-", JobState(ENDED, "it was cancelled", 130)),
        ("", None),
    ],
)
def test_bjobs(line: str, expected: JobState | None) -> None:
    assert lsf_state(line) == expected


def test_pjsub_and_pjstat() -> None:
    options = ["-L", "rscgrp=small", "-g", "group"]
    assert scheduler("pjm").submission(Request(12, 3600, 48, options=options), FILES) == [
        *("pjsub", "-X", "-N", "weir_disk-4x2", "-j", "-o", "/s/job.log.queue"),
        *("-L", "node=12", "-L", "elapse=1:00:00", "-L", "rscgrp=small", "-g", "group", "/s/job.sh"),
    ]
    assert scheduler("pjm").submitted("[INFO] PJM 0000 pjsub Job 1234 submitted.\n") == "1234"
    assert pjm_state("238", PJSTAT) == JobState(RUNNING)
    assert pjm_state("239", PJSTAT) is None
