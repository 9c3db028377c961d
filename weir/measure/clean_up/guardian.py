"""A process beside weir that touches the target for it, and cleans up when weir is gone.

weir may be killed, and a file system that does not answer stops every process that uses it. So a second
process, in a session of its own, deletes data and looks for faults, on request and with a time limit. When
the pipe from weir ends without the request to end, it ends the launch, settles what has run, empties the
target and releases the locks.

python -m weir.measure.clean_up.guardian RESULTS BATCH reads a line of JSON with the facts of the batch, then
one for each request.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import weir
from weir.base.errors import WeirError, hint_of
from weir.base.interrupts import is_readable
from weir.base.storage_calls import ANSWER_S, HangsError, hangs, is_in_haste

# Seconds in which a storage that answers deletes a million files.
REMOVAL_S = 900.0
_START_S = 120.0


class GuardianEndedError(WeirError):
    """The guardian was killed, and so was the one that followed it."""


class NotCarriedOutError(WeirError):
    """The guardian failed at a request: that is a fault of weir, or of a note of another version of it."""


class Guardian:
    """The side of weir: requests and their answers."""

    def __init__(self, facts: Mapping[str, Any], locks: Sequence[int]) -> None:
        self._facts, self._locks = facts, locks
        self._hung: HangsError | None = None
        self._nothing_left = False
        self._claimed = False
        self._number = 0  # of the last request; an interrupt may leave the answer of an earlier one unread
        self._start()

    def _start(self) -> None:
        self._printed = b""  # by it, and not read yet
        root = str(Path(weir.__file__).resolve().parents[1])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        whose = (str(self._facts["results"]), str(self._facts["batch"]))  # for readers of ps
        self._process = subprocess.Popen(
            [sys.executable, "-m", "weir.measure.clean_up.guardian", *whose],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            cwd="/",
            pass_fds=self._locks,
            start_new_session=True,
        )
        self._answer(_START_S, **self._facts)

    def ask(self, limit_s: float = ANSWER_S, **request: Any) -> dict[str, Any]:
        """The answer to one request; HangsError if there is none in time."""
        if self._hung is not None:
            raise self._hung
        if isinstance(error := sys.exception(), HangsError):
            self._hung = error  # found by another process
            raise error
        if is_in_haste(error):
            limit_s = min(limit_s, ANSWER_S)  # what it has not deleted then, it deletes afterwards
        self._claimed |= request.get("do") == "claim"  # also if the answer does not come
        try:
            return self._answer(limit_s, **request)
        except GuardianEndedError:  # another one is started and goes on
            self._close()
            self._start()
            if self._claimed:
                self._answer(limit_s, do="adopt")
            return self._answer(limit_s, **request)

    def _answer(self, limit_s: float, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._number += 1
        try:
            self._process.stdin.write(json.dumps(request | {"number": self._number}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise GuardianEndedError("the guardian of this batch was ended", hint="run again") from None
        answer: dict[str, Any] = {}
        while answer.get("number") != self._number:
            answer = self._next_answer(limit_s)
        if "broken" in answer:
            raise NotCarriedOutError(answer["broken"], hint="report it as a fault of weir")
        if "error" in answer:
            raise WeirError(answer["error"], hint=answer.get("hint"))
        return answer

    def _next_answer(self, limit_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        while b"\n" not in self._printed:
            if not is_readable(self._process.stdout.fileno(), limit_s):
                self._hung = self._hangs(limit_s)
                raise self._hung
            printed = os.read(self._process.stdout.fileno(), 65536)
            if not printed:
                raise GuardianEndedError("the guardian of this batch was ended", hint="run again")
            self._printed += printed
        line, _, self._printed = self._printed.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def ask_to_delete(self, **request: Any) -> dict[str, Any]:
        """The answer to a request that may take long, on a storage that answers."""
        self.ask(do="look")
        return self.ask(REMOVAL_S, **request)

    def fault(self) -> str | None:
        reason: str | None = self.ask(do="fault")["fault"]
        return reason

    def temporary(self) -> Path | None:
        """A directory for the files of launches; None if there is no TMPDIR to make it in."""
        made = self.ask(do="temporary")["folder"]
        return Path(made) if made else None

    def remove(self, folders: Sequence[Path]) -> None:
        self.ask_to_delete(do="remove", folders=[str(folder) for folder in folders])

    def clean(self, is_whole: bool = False) -> None:
        """Empty the target. is_whole: after a run without a fault, when nothing else would tell that the
        target has gone with what is on it."""
        self.ask_to_delete(do="clean", is_whole=is_whole)

    def nothing_left(self) -> None:
        """The target's clean-up commands have run."""
        self._nothing_left = self._hung is None and not isinstance(sys.exception(), HangsError)

    def dismiss(self, forget: bool = True) -> bool:
        """End it if nothing is left on the target; otherwise it stays, cleans up, and holds the lock.

        forget: delete its note, so that no later start cleans up.
        """
        if self._nothing_left:
            with contextlib.suppress(WeirError):
                self.ask(do="end", forget=forget)
        self._close()
        if self._nothing_left:
            self._process.wait()
        return self._nothing_left

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _hangs(self, limit_s: float) -> HangsError:
        target = self._facts["target"]
        return hangs(target["path"], self._process.pid, limit_s, target["name"])


def main() -> None:
    """The side of the guardian."""
    from weir.measure.clean_up.custody import Custody  # what it needs is read after its signals are off

    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(each, signal.SIG_IGN)
    lines = sys.stdin
    first = lines.readline()
    if not first:
        return
    facts = json.loads(first)
    number = facts.pop("number")
    found: list[Custody] = []
    answer = _answer(lambda: found.append(Custody.of(facts)))
    _reply(number, answer)
    if not found:  # no note can be made, or it has not what this version needs
        return
    (custody,) = found
    for line in lines:
        request = json.loads(line)
        number = request["number"]
        if request["do"] == "end":
            custody.end(request["forget"])
            _reply(number, {})
            return
        _reply(number, _answer(partial(custody.answer, request)))
    custody.take_over()


def _answer(call: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
    """The answer to a call, also to a fault of weir itself, which would otherwise end the guardian without a
    message."""
    try:
        return call() or {}
    except WeirError as error:
        return {"error": error.problems[0].message, "hint": error.problems[0].hint}
    except OSError as error:
        return {"error": f"{error.filename or 'target'}: {error.strerror}", "hint": hint_of(error)}
    except Exception as error:
        return {"broken": f"cleaning up failed: {type(error).__name__}: {error}"}


def _reply(number: int, answer: Mapping[str, Any]) -> None:
    with contextlib.suppress(OSError):
        print(json.dumps({**answer, "number": number}), flush=True)


if __name__ == "__main__":
    main()
