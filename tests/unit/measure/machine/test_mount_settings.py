"""Settings of mounts, from lines and files that real clients showed."""

from pathlib import Path

import pytest

from tests.programs import write_file
from weir.base.mounts import mount_of
from weir.collect.study_facts import _file_system
from weir.measure.machine.mount_settings import deciding, settings_of, shown

# /proc/self/mountinfo of the kernel's NFS client, Linux 6.1.
PLAIN = (
    "41 31 0:34 / {} rw,relatime - nfs4 127.0.0.1:/ rw,vers=4.2,rsize=131072,wsize=131072,namlen=255,hard,"
    "proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=127.0.0.1,local_lock=none,addr=127.0.0.1"
)
CLOSED = (
    "42 31 0:36 / {} rw,relatime - nfs4 127.0.0.1:/ rw,vers=4.2,rsize=131072,wsize=131072,namlen=255,"
    "acregmin=30,acregmax=30,acdirmax=30,hard,nocto,nosharecache,proto=tcp,timeo=600,retrans=2,sec=sys,"
    "clientaddr=127.0.0.1,local_lock=none,addr=127.0.0.1"
)
WAITING = (
    "40 31 0:37 / {} rw,relatime - nfs 127.0.0.1:/export rw,sync,vers=3,rsize=131072,wsize=131072,namlen=255,"
    "acregmin=0,acregmax=0,acdirmin=0,acdirmax=0,hard,noac,nolock,nosharecache,proto=tcp,timeo=600,retrans=2,"
    "sec=sys,mountaddr=127.0.0.1,mountvers=3,mountport=36159,mountproto=tcp,local_lock=all,addr=127.0.0.1"
)
CACHED = (
    "45 31 0:38 / {} rw,relatime - nfs4 127.0.0.1:/ rw,vers=4.2,rsize=131072,wsize=131072,namlen=255,soft,"
    "nosharecache,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=127.0.0.1,fsc,lookupcache=none,"
    "local_lock=none,addr=127.0.0.1"
)
GLUSTER = (
    "68 88 0:44 / {} rw,relatime - fuse.glusterfs 198.18.0.1:/glusterfs rw,user_id=0,group_id=0,"
    "default_permissions,allow_other,max_read=131072"
)
MOOSE = "98 88 0:51 / {} rw,nosuid,nodev,relatime - fuse mfs\\043198.18.0.1:9421 rw,user_id=0,group_id=0"
CEPH_FUSE = "125 88 0:57 / {} rw,nosuid,nodev,relatime - fuse.ceph-fuse ceph-fuse rw,user_id=0,group_id=0"
DFUSE = "126 88 0:58 / {} rw,nosuid,nodev,noatime - fuse.daos dfuse rw,user_id=0,group_id=0"
BEEGFS = "127 88 0:59 / {} rw,relatime - beegfs beegfs_nodev rw,cfgFile=/etc/beegfs/beegfs-client.conf"
# Of glusterfs 10.3 and mfsmount 3.0.117.
WRITE_BEHIND = """\
[xlator.performance.write-behind.priv]
aggregate_size = 131072
window_size = 1048576
flush_behind = 1
trickling_writes = 1
"""
PARAMETERS = """\
mfsmaster: 198.18.0.1
mfspassword: (not defined)
mfswritecachesize: 256
mfsreadaheadsize: 256
mfscachemode: (not defined)
mfsattrcacheto: 1.000
mfsentrycacheto: 0.000
mfsfsyncmintime: 0.000
mfsfsyncbeforeclose: (not defined)
working_keep_cache_mode: AUTO
"""


def mounted(line: str, point: Path, proc: Path) -> dict[str, str]:
    write_file(proc / "self" / "mountinfo", line.format(point) + "\n")
    return mount_of(point, proc)


def settings(line: str, folder: Path) -> dict[str, str]:
    return settings_of(mounted(line, folder, folder / "proc"), folder / "proc")


def decisive(line: str, folder: Path) -> list[str]:
    """The options that decide about something."""
    mount = mounted(line, folder, folder / "proc")
    kept = settings_of(mount, folder / "proc") or {}
    return [option for _, option in deciding(mount["type"], mount["device"], kept)]


@pytest.mark.parametrize(
    ("line", "options"),
    [
        (PLAIN, []),
        (CLOSED, ["nocto", "acregmax=30"]),
        (WAITING, ["sync", "noac", "local_lock=all"]),
        (CACHED, ["lookupcache=none", "fsc"]),
    ],
    ids=["plain", "nocto", "sync", "fsc"],
)
def test_options_of_nfs_that_decide(tmp_path: Path, line: str, options: list[str]) -> None:
    assert decisive(line, tmp_path) == options


def test_what_is_kept_of_nfs_has_no_address(tmp_path: Path) -> None:
    kept = settings(CLOSED, tmp_path)
    assert shown(kept) == (
        "vers=4.2,proto=tcp,rsize=131072,wsize=131072,hard,sec=sys,nocto,acregmin=30,acregmax=30,acdirmax=30,"
        "local_lock=none"
    )
    facts = _file_system({"type": "nfs4", "options": "rw,relatime", "settings": kept})
    assert (facts["mount_options"] or "").startswith("rw,relatime,vers=4.2,")


def test_translators_of_glusterfs(tmp_path: Path) -> None:
    active = tmp_path / ".meta/graphs/active"
    kinds = {"volume-write-behind": "performance/write-behind", "volume-client-0": "protocol/client"}
    for name, kind in (kinds | {"volume-md-cache": "performance/md-cache"}).items():
        write_file(active / name / "type", f"{kind}\n")
    (active / "volume-write-behind" / "private").write_text(WRITE_BEHIND)
    kept = settings(GLUSTER, tmp_path)
    assert shown(kept) == "write-behind=on,window_size=1048576,flush_behind=1,md-cache=on"


def test_parameters_of_moosefs_are_for_root(tmp_path: Path) -> None:
    (tmp_path / ".params").write_text(PARAMETERS)
    assert decisive(MOOSE, tmp_path) == ["mfswritecachesize=256", "mfsattrcacheto=1.000"]
    (tmp_path / ".params").unlink()  # another user may not read it
    (tmp_path / "proc/self/mountinfo").unlink()
    (tmp_path / "proc/self").rmdir()
    assert settings(MOOSE, tmp_path) == {}


def serving(folder: Path, *arguments: str) -> None:
    process = folder / "proc" / "3499"
    process.mkdir(parents=True)
    (process / "cmdline").write_bytes(b"".join(one.encode() + b"\0" for one in arguments))


@pytest.mark.parametrize(
    ("config", "more", "cache"),
    [
        ("[global]\nfsid = 1\n", (), "true"),
        ("[client]\nclient oc = false\n", (), "false"),
        ("", ("--client_oc=false",), "false"),
        ("[client]\nclient_oc = false\n", ("--client-oc=true",), "true"),
    ],
    ids=["default", "file", "argument", "argument before file"],
)
def test_the_object_cache_of_ceph_fuse(
    tmp_path: Path, config: str, more: tuple[str, ...], cache: str
) -> None:
    (tmp_path / "ceph.conf").write_text(config)
    serving(tmp_path, "/usr/bin/ceph-fuse", "-c", str(tmp_path / "ceph.conf"), *more, str(tmp_path))
    assert settings(CEPH_FUSE, tmp_path) == {"client_oc": cache}


def test_a_ceph_fuse_that_is_not_seen_tells_nothing(tmp_path: Path) -> None:
    serving(tmp_path, "/usr/bin/ceph-fuse", "/mnt/other")
    assert settings(CEPH_FUSE, tmp_path) == {}


def test_caches_of_dfuse(tmp_path: Path) -> None:
    serving(tmp_path, "dfuse", f"--mountpoint={tmp_path}", "--disable-wb-cache")
    assert settings(DFUSE, tmp_path) == {"caching": "on", "wb-cache": "off"}


def test_a_client_of_beegfs_is_known_where_it_is_the_only_one(tmp_path: Path) -> None:
    for number in (1, 2):
        config = tmp_path / f"proc/fs/beegfs/{number}-lab/config"
        write_file(config, "tuneFileCacheType = buffered\ntuneRemoteFSync = false\n")
    mount = mounted(BEEGFS, tmp_path, tmp_path / "proc")
    assert settings_of(mount, tmp_path / "proc") == {}
    config.unlink()
    assert settings_of(mount, tmp_path / "proc") == {
        "tuneFileCacheType": "buffered",
        "tuneRemoteFSync": "false",
    }


def test_a_disk_has_none(tmp_path: Path) -> None:
    mount = mounted("22 1 8:1 / {} rw - ext4 /dev/sda1 rw,sync", tmp_path, tmp_path / "proc")
    assert settings_of(mount, tmp_path / "proc") is None
