"""A batch system whose job is known by one variable."""

from collections.abc import Mapping
from typing import Any

from weir.site.schedulers import Answer, Request, Scheduler


class Queue(Scheduler):
    """Whole nodes in the order of their requests."""

    name = "queue"
    description = "one queue; a job knows its number as QUEUE_JOB"
    queued = True

    def job(self, environment: Mapping[str, str]) -> str | None:
        return environment.get("QUEUE_JOB")

    def nodes(self, environment: Mapping[str, str]) -> int | None:
        return 1 if self.job(environment) else None

    def judge(self, request: Request) -> Answer:
        return Answer(note="the queue is empty")

    def resources(self, request: Request) -> dict[str, Any]:
        return {}


SCHEDULER = Queue()
