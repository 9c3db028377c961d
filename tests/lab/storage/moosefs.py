"""MooseFS: a master and two chunkservers, one copy of each chunk."""

from tests.lab.filesystem import FileSystem, Share, directories_of_users, stored_bytes
from tests.lab.machine import ADDRESS, Machine

_MOUNT = "/mnt/moosefs"
_CHUNKSERVERS = 2
_PORT = 9422


def start(machine: Machine) -> None:
    folder = machine.folder / "moosefs"
    (folder / "master").mkdir(parents=True)
    # What a master without metadata wants to find, so that it begins with none.
    (folder / "master/metadata.mfs").write_text("MFSM NEW")
    (folder / "exports.cfg").write_text("* / rw,alldirs,admin,maproot=0:0\n")
    (folder / "topology.cfg").write_text("")
    _start(
        machine,
        "mfsmaster",
        "master",
        EXPORTS_FILENAME=str(folder / "exports.cfg"),
        TOPOLOGY_FILENAME=str(folder / "topology.cfg"),
    )
    for number in range(_CHUNKSERVERS):
        name = f"chunkserver-{number}"
        (folder / name).mkdir()
        disk = folder / "disks" / str(number)
        disk.mkdir(parents=True)
        (folder / f"{name}.disks").write_text(f"{disk}\n")
        _start(
            machine,
            "mfschunkserver",
            name,
            MASTER_HOST=ADDRESS,
            CSSERV_LISTEN_PORT=str(_PORT + number),
            HDD_CONF_FILENAME=str(folder / f"{name}.disks"),
            HDD_LEAVE_SPACE_DEFAULT="1GiB",
        )
    machine.out("mkdir", _MOUNT)
    machine.wait_for(*client(machine, "moosefs"))
    # One copy: MooseFS 4 has storage classes in place of numbers, where * is any server. A chunkserver that
    # the master does not know yet takes no data.
    one_class = f"{{ mfscreatesclass -M {_MOUNT} -K '*' one; mfssetsclass -r one {_MOUNT}; }}"
    one_copy = f"{{ mfssetgoal -r 1 {_MOUNT} || {one_class}; }}"
    machine.wait_for(
        "sh", "-c", f"{one_copy} && head -c 65536 /dev/zero >{_MOUNT}/first && rm {_MOUNT}/first"
    )
    directories_of_users(machine, "moosefs")


def _start(machine: Machine, program: str, name: str, **settings: str) -> None:
    folder = machine.folder / "moosefs"
    own = {"WORKING_USER": "root", "WORKING_GROUP": "root", "DATA_PATH": str(folder / name)}
    file = folder / f"{name}.cfg"
    file.write_text("".join(f"{key} = {value}\n" for key, value in (own | settings).items()))
    machine.out(program, "-c", file, "start")


def client(machine: Machine, target: str) -> list[str]:
    return ["mfsmount", _MOUNT, "-H", ADDRESS]


def counters(machine: Machine, target: str) -> dict[str, int]:
    """What the disks of the chunkservers hold; a read leaves nothing there."""
    return {"write disks": stored_bytes(machine.folder / "moosefs/disks")}


FILE_SYSTEM = FileSystem(
    name="moosefs",
    description="MooseFS: a master and two chunkservers",
    programs=("mfsmaster", "mfschunkserver", "mfsmount", "mfssetgoal"),
    targets={"moosefs": Share()},
    start=start,
    counters=counters,
    client=client,
)
