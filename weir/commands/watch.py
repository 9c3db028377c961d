"""weir watch: follow a study from any terminal that can read its results."""

import argparse
import math
import sys
import time
from pathlib import Path

from weir.base.errors import InputError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.report.live import LIVE_PAGE, LIVE_TEXT, LiveStudy
from weir.workflow.follow import follow, is_over, line, measured_partitions, plan_of, progress_of, state

NAME = "watch"
GROUP = "measure"
HELP = "follow a study: executions done, failed, INVALID, degraded, the rate and the time left of each batch"
EXAMPLE = "weir watch results/local/quick"

PAGE_S = 5.0


def add_arguments(parser: Parser) -> None:
    parser.path("study", "STUDY", "folder of the study, results/<site>/<suites>")
    parser.flag(
        "--page",
        f"write {LIVE_PAGE} there as runs end: what the study shows so far, batches; not on a node "
        "that measures",
    )
    parser.flag("--once", "print one line for each batch and end")
    parser.flag("--json", "print the state of each batch as JSON and end")


def execute(args: argparse.Namespace) -> int:
    if args.page:
        return _follow_with_page(args.study, args.once)
    progress = progress_of(args.study)
    if args.once or args.json:
        progress.look()
    if args.json:
        print(as_json([state(one) for one in progress.batches]))
        return 0
    if args.once:
        print("\n".join(line(one) for one in progress.batches))
        return 0
    follow(progress, sys.stdout, lambda: is_over(progress), answer=args.study / LIVE_TEXT)
    return 0


def _follow_with_page(study: Path, once: bool) -> int:
    plan = plan_of(study)
    if not once and any(one.scheduler == "local" for one in measured_partitions(plan)):
        raise InputError(
            "is measured on a machine without a queue, which writes the page itself between two rounds",
            file=study,
            hint=f"open {study / LIVE_PAGE}; weir watch --page --once writes it when nothing is measured",
        )
    live = LiveStudy(plan, study)
    writer = PageWriter(live)
    if once:
        live.look(limit_s=math.inf)
        live.write()
    else:
        print(f"page: {study / LIVE_PAGE}", flush=True)
        follow(live.progress, sys.stdout, lambda: is_over(live.progress), writer.write_what_is_new)
        live.write()
    if once:
        print(study / LIVE_PAGE)
    return 0


class PageWriter:
    """Writes the page when executions have ended, not more often than a reader looks."""

    def __init__(self, live: LiveStudy) -> None:
        self._live = live
        self._written, self._known = -math.inf, (-1, -1)

    def write_what_is_new(self) -> None:
        batches = self._live.progress.batches
        known = sum(one.ended for one in batches), sum(one.state == "running" for one in batches)
        if known != self._known and time.monotonic() - self._written >= PAGE_S:
            self._live.write()
            self._known, self._written = known, time.monotonic()
