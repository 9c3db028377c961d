"""The settings of a network file system's mount and of its client program that decide what a rate means.

One table for each family: what is kept in the record, and which values decide about which accesses. What a
server does is not visible here, such as an NFS export that is async.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from weir.base.mounts import lower_folders, mount_of
from weir.measure.machine.devices import DEEPEST, SYSTEM, file_of_loop, members_of_device, number_of

_PROC = Path("/proc")
_YES = ""  # value of an option that has none
_ON = "on"

Mount = Mapping[str, str]


@dataclass(frozen=True)
class Setting:
    """decides: values (a regular expression) that decide about the accesses `of`, in the sense of `means`."""

    name: str
    decides: str | None = None
    of: str = ""
    means: str = ""


@dataclass(frozen=True)
class Family:
    mounted: str  # type and device of its mounts, a regular expression
    read: Callable[[Mount, Path], Mapping[str, str]]
    settings: tuple[Setting, ...]


def settings_of(mount: Mount, proc: Path = _PROC) -> dict[str, str] | None:
    """The settings of the table that are in force; None where the file system is of no family."""
    family = family_of(mount["type"], mount["device"])
    if family is None:
        return None
    found: Mapping[str, str] = {}
    with suppress(OSError, ValueError):
        found = family.read(mount, proc)
    return {one.name: found[one.name] for one in family.settings if one.name in found}


def shown(settings: Mapping[str, str]) -> str:
    """The settings in the form in which mount shows options."""
    return ",".join(f"{name}={value}" if value else name for name, value in settings.items())


def deciding(file_system: str, device: str, settings: Mapping[str, str]) -> Iterator[tuple[Setting, str]]:
    """Settings with a value that decides about some access, each as mount would show it."""
    family = family_of(file_system, device)
    for one in family.settings if family else ():
        if one.decides is not None and re.fullmatch(one.decides, settings.get(one.name, "\0")):
            yield one, shown({one.name: settings[one.name]})


def family_of(file_system: str, device: str) -> Family | None:
    name = f"{file_system} {device}"
    return next((family for family in FAMILIES if re.match(family.mounted, name)), None)


def _options(mount: Mount, proc: Path) -> dict[str, str]:
    both = f"{mount.get('options', '')},{mount.get('super_options', '')}".split(",")
    return {name: value for name, _, value in (one.partition("=") for one in both) if name}


def _gluster(mount: Mount, proc: Path) -> dict[str, str]:
    """The translators of GlusterFS, each with a type such as performance/io-cache, and the delay of
    write-behind."""
    found = {}
    for translator in Path(mount["mount_point"], ".meta/graphs/active").iterdir():
        with suppress(OSError):
            kind = (translator / "type").read_text(encoding="utf-8").strip()
            found[kind.rpartition("/")[2]] = _ON
            if kind.endswith("/write-behind"):
                private = (translator / "private").read_text(encoding="utf-8")
                found |= dict(re.findall(r"^(\w+) = (\w+)$", private, re.M))
    return found


def _moosefs(mount: Mount, proc: Path) -> dict[str, str]:
    """Readable by root alone."""
    text = Path(mount["mount_point"], ".params").read_text(encoding="utf-8")
    return {name: value for name, value in re.findall(r"^(\w+): (.*)$", text, re.M) if value[:1] != "("}


def _ceph_fuse(mount: Mount, proc: Path) -> dict[str, str]:
    """Settings in its arguments, else in the file that they name; its default is a cache."""
    arguments = _client(mount, "ceph-fuse", proc)
    options = [one.lstrip("-").replace("-", "_") for one in arguments if one.startswith("--")]
    given = dict(one.partition("=")[::2] for one in options)
    with suppress(ValueError, IndexError, OSError):
        file = Path(arguments[arguments.index("-c") + 1]).read_text(encoding="utf-8")
        lines = (one.partition("=") for one in file.splitlines())
        given = {name.strip().replace(" ", "_"): value.strip() for name, _, value in lines} | given
    return {"client_oc": "true", **given} if arguments else {}


def _dfuse(mount: Mount, proc: Path) -> dict[str, str]:
    """Attributes of the container may restrict what is cached, and are not visible."""
    arguments = _client(mount, "dfuse", proc)
    names = ("caching", "wb-cache")
    return {one: "off" if f"--disable-{one}" in arguments else _ON for one in names if arguments}


def _beegfs(mount: Mount, proc: Path) -> dict[str, str]:
    """Settings of the only client; several cannot be told apart."""
    (config,) = (proc / "fs" / "beegfs").glob("*/config")
    return dict(re.findall(r"^(\w+) *= *(\S+)$", config.read_text(encoding="utf-8"), re.M))


def _client(mount: Mount, program: str, proc: Path) -> list[str]:
    """Arguments of the process that serves the mount."""
    for file in proc.glob("[0-9]*/cmdline"):
        with suppress(OSError):
            arguments = file.read_bytes().decode(errors="replace").rstrip("\0").split("\0")
            named = mount["mount_point"] in {one.partition("=")[2] or one for one in arguments[1:]}
            if named and Path(arguments[0]).name == program:
                return arguments
    return []


def _kept(*names: str) -> tuple[Setting, ...]:
    return tuple(map(Setting, names))


_LOCAL_DISK = "reads may come from a cache on a disk of the node (FS-Cache) after pages were dropped"
_CLIENT_MEMORY = "reads may come from the memory of the client program after pages were dropped"
_SENT_LATER = "a write returns before its bytes are sent; only a synchronisation waits for them"
_OWN_LOCKS = "locks hold on one node only: nodes that write to one file may lose bytes of each other"
_ATTRIBUTES = "attributes of the client answer stat so many seconds long, and not the servers"
_NFS = (
    *_kept("vers", "proto", "nconnect", "rsize", "wsize", "hard", "soft", "softerr", "sec"),
    Setting("sync", _YES, "write", "each write waits for the servers, as with O_SYNC"),
    Setting("nocto", _YES, "shared read", "an open does not ask for new data of other nodes"),
    Setting("noac", _YES, "stat", "the client keeps no attributes: each stat asks the servers"),
    *_kept("acregmin"),
    Setting("acregmax", "[1-9][0-9]*", "stat", _ATTRIBUTES),
    *_kept("acdirmin", "acdirmax"),
    Setting("lookupcache", "none|pos", "stat", "the client keeps fewer names: lookups ask the servers"),
    Setting("fsc", _YES, "read", _LOCAL_DISK),
    Setting("local_lock", "all|flock|posix", "shared write", _OWN_LOCKS),
)
_CEPH = (
    *_kept("rsize", "wsize", "rasize", "wsync", "nodcache"),
    Setting("nowsync", _YES, "create", "files are created and removed before the MDS has answered"),
    Setting("fsc", _YES, "read", _LOCAL_DISK),
)
_LUSTRE = (*_kept("flock", "noflock", "lazystatfs"), Setting("localflock", _YES, "shared write", _OWN_LOCKS))
_GLUSTER = (
    Setting("write-behind", _ON, "unsynchronised write", _SENT_LATER),
    *_kept("window_size"),
    Setting("flush_behind", "1", "unsynchronised write", "a close returns before the bytes are sent"),
    Setting("io-cache", _ON, "read", _CLIENT_MEMORY),
    Setting("md-cache", _ON, "stat", "attributes that the client program keeps answer stat"),
    *_kept("quick-read", "open-behind", "read-ahead", "readdir-ahead", "nl-cache"),
)
_MOOSEFS = (
    Setting("working_keep_cache_mode", "YES", "shared read", "pages stay when another node changes the file"),
    Setting("mfswritecachesize", "[1-9][0-9]*", "unsynchronised write", _SENT_LATER),
    Setting("mfsattrcacheto", "(?!0[.]0*$)[0-9.]+", "stat", _ATTRIBUTES),
    *_kept("mfsentrycacheto", "mfsreadaheadsize", "mfsfsyncmintime", "mfsfsyncbeforeclose"),
)
_CEPH_FUSE = (
    Setting("client_oc", "true|1", "read", _CLIENT_MEMORY),
    *_kept("client_oc_size", "client_oc_max_dirty", "fuse_disable_pagecache"),
)
_DFUSE = (*_kept("caching"), Setting("wb-cache", _ON, "unsynchronised write", _SENT_LATER))
_BEEGFS = (
    *_kept("tuneFileCacheType"),
    Setting(
        "tuneRemoteFSync", "false", "synchronised write", "a synchronisation ends in the servers' memory"
    ),
)
FAMILIES = (
    Family("nfs4? ", _options, _NFS),
    Family("ceph ", _options, _CEPH),
    Family("lustre ", _options, _LUSTRE),
    Family("fuse.glusterfs ", _gluster, _GLUSTER),
    Family(r"fuse(\.mfs|\.moosefs)? mfs#", _moosefs, _MOOSEFS),
    Family("fuse.ceph-fuse ", _ceph_fuse, _CEPH_FUSE),
    Family("fuse.(daos|dfuse) ", _dfuse, _DFUSE),
    Family("(beegfs|fhgfs_nodev) ", _beegfs, _BEEGFS),
)


# Options with which an overlay ignores synchronisation, and file systems do not empty the caches of disks.
_IGNORED = ("volatile", "fsync=volatile")
_NOT_FLUSHED = ("nobarrier", "barrier=0", "barrier=none", "fsync_mode=nobarrier")


def synchronisation_off(folder: Path) -> dict[str, str] | None:
    """The option of a mount and what it does, ignored before not flushed: of the file system of a folder, and
    of those that its bytes go through (below an overlay, a FUSE file system over a directory, a loop)."""
    found = sorted(_synchronisation_options(folder, 0))
    return {"effect": found[0][0], "mount": found[0][1]} if found else None


def _synchronisation_options(folder: Path, depth: int) -> Iterator[tuple[str, str]]:
    mount = mount_of(folder)
    if mount is None or depth > DEEPEST:
        return
    options = mount.get("super_options", "").split(",")
    for one in options:
        known = _IGNORED if mount["type"] == "overlay" else _NOT_FLUSHED
        if one in known:
            effect = "ignored" if known is _IGNORED else "not flushed"
            yield effect, f"{one} of {mount['type']} at {mount['mount_point']}"
    for lower in (*lower_folders(mount), *_files_of_loops(mount["device"])):
        if lower.is_dir():
            yield from _synchronisation_options(lower, depth + 1)


def _files_of_loops(source: str) -> Iterator[Path]:
    """Directories of the files that are the loop devices below a device."""
    if number := number_of(source):
        yield from _files_below(SYSTEM, number, 0)


def _files_below(system: Path, number: str, depth: int) -> Iterator[Path]:
    entry = system / number
    if depth > DEEPEST or not entry.exists():
        return
    if file := file_of_loop(entry):
        yield file.parent
    for member in members_of_device(entry):
        yield from _files_below(system, member, depth + 1)
