"""Cases by seed: the same seed gives the same cases."""

import random
from collections.abc import Collection, Sequence

from tests.zoo.composed.axes import AROUND, FILE_SYSTEMS, LIBRARIES, PROGRAMS, RECORDS, SUITES, Suite, Value
from tests.zoo.composed.truth import Case


def draw(seed: int, number: int, programs: Collection[str]) -> Case:
    """programs: those that are there."""
    chance = random.Random(f"{seed}/{number}")
    program = chance.choice([one for one in PROGRAMS if one.name in programs])
    suite = chance.choices(SUITES, [one.weight for one in SUITES])[0]
    file_systems, *others = (
        [one for one in axis if one.since <= seed] for axis in (FILE_SYSTEMS, LIBRARIES, AROUND, RECORDS)
    )
    file_system = _one(chance, file_systems, program, suite, "")
    target = file_system.target
    library, around, record = (_one(chance, axis, program, suite, target) for axis in others)
    return Case(number, program, suite, library, file_system, around, record)


def _one(chance: random.Random, axis: Sequence[Value], program: Value, suite: Suite, target: str) -> Value:
    fits = [
        one
        for one in axis
        if program.name in one.programs
        and (not one.suites or suite.name in one.suites)
        and (not one.targets or target in one.targets)
    ]
    return chance.choices(fits, [one.weight for one in fits])[0]
