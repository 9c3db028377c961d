"""Calls that a supervisor of system calls answers, as a sandbox does, without a library in the program."""

from tests.zoo.animals import ANSWERS_SYNCS, ANSWERS_WRITES, Animal

SUPERVISED = (
    Animal(
        "answered writes",
        "a supervisor (seccomp listener) answers writes to memory, and only makes the file longer",
        "write",
        ("exit-code",),
        ior=("bytes-not-in-calls",),
        target="memory",
        beside=(ANSWERS_WRITES,),
    ),
    Animal(
        "answered synchronisations",
        "the same answers fsync, and finds the pages clean for whoever looks (cachestat)",
        "write",
        ("sync-not-effective",),
        beside=(ANSWERS_SYNCS,),
    ),
)
