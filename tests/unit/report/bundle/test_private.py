"""What weir bundle replaces: users, directories and values in their fields, and nothing else."""

import json
import shlex
from typing import Any

import pytest

from weir.report.bundle.private import Private, measured_by
from weir.report.bundle.publishable import of_a_command, of_a_program, of_options


def of(
    *users: str, path: str = "/scratch/weir-{user}/disk", publish: str = "", **environment: str
) -> Private:
    """For a study that alice measured on a target of this path."""
    planned = path.replace("{user}", "alice").replace("{root}", "/home/alice/weir")
    plan = {"site": {"targets": {"disk": {"path": planned}}}}
    found = {*users, *measured_by(plan, [{"target": "disk", "path": path}, {"suite": "quick"}])}
    folders = {planned: "disk", "/home/alice/weir": "root", "/home/alice": "home"}
    private = Private([publish], folders, found, ["sequential", "/scratch/weir-alice/disk"])
    private.fields({"stacks": {"one": {"environment": environment}}})
    return private


@pytest.mark.parametrize("path", ["/scratch/weir-{user}/disk", "{root}/of/{user}", "/a/{user}/b/{user}"])
def test_whoever_measured_is_replaced_when_somebody_else_bundles(path: str) -> None:
    found = of("bob", path=path).text(b"/dev/shm/weir-alice/ime, bob@node1, user=alice, /x/bob/y.")
    assert found == b"/dev/shm/weir-user/ime, user@node1, user=user, /x/user/y."


def test_a_user_without_a_name_leaves_the_numbers_alone() -> None:
    assert of("1000").text(b"1000 MiB/s in /tmp/weir-1000/x") == b"1000 MiB/s in /tmp/weir-user/x"
    assert of("root").text(b"root rank, /tmp/weir-root/x") == b"root rank, /tmp/weir-user/x"


@pytest.mark.parametrize("user", ["weir", "results", "ior", "debian", "shm", "bin"])
def test_a_word_that_is_also_a_user_stays_where_no_field_names_a_user(user: str) -> None:
    text = f'"tool": "{user}", results/local, {user}-1x1, /usr/bin/ior, /dev/shm, /opt/x/bin/{user}'.encode()
    assert of(user).text(text) == text


def test_its_directories_are_replaced_all_the_same() -> None:
    assert of("results").text(b"/scratch/results/x results") == b"/scratch/user/x results"


def test_a_directory_is_replaced_and_not_the_beginning_of_another_one() -> None:
    private = of()
    assert private.text(b"-I/home/alice/weir/src -o=/home/alice/weir") == b"-I{root}/src -o={root}"
    assert private.text(b"ime:///scratch/weir-alice/disk/x") == b"ime://{disk}/x"
    assert private.text(b"/home/alice/weirdly /mnt/home/alice") == b"{home}/weirdly /mnt/home/user"


SECRETS = {
    "GITHUB_PAT": "abcdefghijkl",
    "PIN": "90318846",
    "LAB": "mynameiswordy",
    "X": "Winter7bourne",
    "OMPI_MCA_agent": "sshpass -p hunter2 ssh",
    "HDF5_X": "rest password=hunter2",
    "PATH": "hunter2!",
    "WEIR_TOKEN": "hunter2",
    "MPICH_X": "Kd83hfY20xLqPz71VmWe",
    "FI_X": "https://b:hunter2@h",
}
SETTINGS = {
    "OMPI_MCA_btl": "self,vader",
    "MPICH_MPIIO_HINTS": "*:romio_cb_write=enable",
    "PATH": "/opt/x:/bin",
    "WEIR_MODULES": "intel/2024.2 ior/4.0.0",
    "LD_PRELOAD": "{root}/build/libweir-pool.so",
    "FI_X": "1",
}


@pytest.mark.parametrize(("name", "value"), SECRETS.items())
def test_a_value_is_removed_in_its_field_and_where_it_is_printed(name: str, value: str) -> None:
    private = of(**{name: value})
    assert private.fields({"environment": {name: value}}) == {"environment": {name: "{removed}"}}
    assert private.text(f"got {value}.".encode()) == b"got {removed}."
    assert private.replaced() == [("environment", name), ("stacks.one.environment", name)]


@pytest.mark.parametrize(("name", "value"), SETTINGS.items())
def test_values_of_mpi_and_io_libraries_stay(name: str, value: str) -> None:
    private = of(**{name: value})
    assert private.fields({"environment": {name: value}}) == {"environment": {name: value}}
    assert private.replaced() == []


def test_a_value_that_is_a_word_of_the_study_is_replaced_in_its_field_only() -> None:
    private = of(ORDER="sequential", USE_TOKEN="true", SIZE="4096", VERSION="2024.11.5")
    text = b"sequential true 4096 2024.11.5"
    assert private.text(text) == text
    data: dict[str, Any] = {"environment": {"ORDER": "sequential"}, "order": "sequential"}
    assert private.fields(data) == {"environment": {"ORDER": "{removed}"}, "order": "sequential"}


def test_a_published_value_stays() -> None:
    private = of(publish="LAB", LAB="hunter2-of-lab", OTHER="hunter3-of-lab")
    assert private.text(b"hunter2-of-lab hunter3-of-lab") == b"hunter2-of-lab {removed}"


def kept(parts: list[tuple[str, str]]) -> list[str]:
    return [part if not private else f"{part}*" for part, private in parts]


def test_commands_keep_programs_names_of_options_and_paths() -> None:
    given = "mount -t cifs -o user=x,password=y //s/v /mnt/x --token=X -pY -m 700"
    expected = "mount -t * -o * //s/v /mnt/x --token=* -p* -m *"
    assert kept(of_a_command(given.split())) == expected.split()
    given, expected = "sshpass -p secret /opt/ior ior exec", "sshpass -p * /opt/ior ior exec"
    assert kept(of_a_program(given.split())) == expected.split()


def test_options_that_place_ranks_keep_their_values() -> None:
    placed = "--mca btl self,vader --bind-to none --mpi=pmix -x {} -x OMPI_X=1 --account={} --comment {}"
    given = f"{placed.format('A_KEY=1', 'me', 'hush')} -genv FI_PROVIDER verbs"
    expected = f"{placed.format('*', '*', '*')} -genv FI_PROVIDER verbs"
    assert kept(of_options(given.split())) == expected.split()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (b"https://bob:hunter2@h/x", b"https://{removed}@h/x"),
        (b"GET /x?token=abc&n=1", b"GET /x?token={removed}&n=1"),
        (b"Authorization: Bearer abcdefgh.ij", b"Authorization: Bearer {removed}"),
        (b"password='tide pool 88' x=1", b"password={removed} x=1"),
        (rb'"a": "password=\"tide pool\"", "b"', rb'"a": "password={removed}", "b"'),
        (b'"a": "b password=", "c": 1', b'"a": "b password=", "c": 1'),
        (b"PW=abc, bpw=3", b"PW={removed}, bpw=3"),
        (b"https://h/x?sid=ps-40af11c2&n=12345678", b"https://h/x?sid={removed}&n=12345678"),
        (b"key: 4096, keys: 3", b"key: 4096, keys: 3"),
        (b'"signature": 0, mapping=1, passes=3, path=/x', b'"signature": 0, mapping=1, passes=3, path=/x'),
    ],
)
def test_credentials_are_removed_from_any_text(text: bytes, clean: bytes) -> None:
    assert Private().text(text) == clean


def test_a_short_value_is_replaced_where_its_name_or_option_stands_and_nowhere_else() -> None:
    """4711 may also be a count."""
    private = of(PIN="4711", DOOR="ab12", PW="kP4vT9", SWITCH="true")
    private.fields({"prepare": [["login", "--pin", "0815"], ["login", "-p4712"], ["login", "--n=77"]]})
    text = b'PIN=4711 export DOOR=\'ab12\' "SWITCH": "true", + login --pin 0815 -p4712 --n=77; --pin=0815'
    clean = b'PIN={removed} export DOOR=\'{removed}\' "SWITCH": "{removed}", + login --pin {removed}'
    assert private.text(text) == clean + b" -p{removed} --n={removed}; --pin={removed}"
    for other in (b"4711 MiB/s", b"47110", b"ab12 0815 4712 77", b"MYPIN_4711", b"true", b"--pin 08150"):
        assert private.text(other) == other
    assert private.text(b"kP4vT9!") == b"{removed}!"  # no word has digits and capitals in so few letters


@pytest.mark.parametrize("word", ["register", "Content-Type", "import", "transfer"])
def test_a_word_of_a_command_is_replaced_in_no_program(word: str) -> None:
    """`poll.register` of Python became `poll.{removed}`."""
    private = of(MODE=word)
    private.fields({"prepare": [["true", word, f"--header={word}: x"]]})
    code = f"poll.{word}(descriptor)".encode()
    assert private.code(code) == code
    assert private.text(f"MODE={word}".encode()) == b"MODE={removed}"


def test_a_value_like_a_key_is_replaced_in_programs_too() -> None:
    assert of(LAB="hunter2-of-lab").code(b"run('hunter2-of-lab')") == b"run('{removed}')"


def test_a_command_of_a_probe_is_replaced_where_the_engine_wrote_its_beginning() -> None:
    private = of()
    probe = ["sh", "-c", "sshpass -p 'Moor=Huhn=6' ssh oss1; echo '{\"read_bytes\": 0}'"]
    private.fields({"site": {"targets": {"x": {"server_probe": probe}}}})
    written = shlex.join(probe)[:38]
    assert "Moor" in written
    found = private.text(json.dumps({"what": f"devices, by {written}"}).encode())
    assert json.loads(found) == {"what": "devices, by sh -c '{removed}'"}
    run = private.fields({"environment": {"WEIR_SERVER_PROBE": shlex.join(probe)}})
    assert run == {"environment": {"WEIR_SERVER_PROBE": "sh -c '{removed}'"}}


def test_what_whoever_publishes_does_not_want_is_nowhere() -> None:
    private = of(ORDER="sequential")
    private.withhold("nordlicht", "--without")
    assert private.text(b"/sw/nordlicht/lib sequential") == b"/sw/{removed}/lib sequential"
    assert private.also_terms == {"ORDER"}
    assert ("everywhere", "--without") in private.replaced()
