"""Clients of network file systems that acknowledge what their servers have not got, and an honest one."""

from tests.zoo.animals import NEVER_SENDS, SENDS_LATE, WRITE_BEHIND, Animal

_AT_SERVERS, _FROM_SERVERS = ("not-at-servers",), ("not-from-servers",)
_NEVER = "a FUSE client keeps what is written, reports fsync as done, sends its server nothing"
_LATE = "the same, and sends it two seconds later"
_BEHIND = "a FUSE client keeps what is written until a synchronisation, which sends and stores it"

CLIENTS = (
    Animal("client without a server", _NEVER, "write", _AT_SERVERS, target=NEVER_SENDS, suite="direct"),
    Animal(
        "client that reads its memory",
        "the same client answers reads from what it keeps",
        "read",
        _FROM_SERVERS,
        target=NEVER_SENDS,
        suite="direct",
    ),
    Animal("late client", _LATE, "write", _AT_SERVERS, target=SENDS_LATE),
)
HONEST_CLIENTS = (
    Animal("honest write-behind", _BEHIND, "write", (), target=WRITE_BEHIND, suite="direct"),
    Animal(
        "honest reads of a client",
        "the same client requests each read of its server",
        "read",
        (),
        target=WRITE_BEHIND,
        suite="direct",
    ),
)
