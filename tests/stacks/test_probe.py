"""weir stacks on programs linked with fakes: libraries with the names and the answers of real ones."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.programs import write_program
from tests.stacks.conftest import Compile
from weir.cli import main
from weir.records.model import Stack
from weir.site.stacks.probe import ask_program, kind_of, parse_ldd, probe_stack
from weir.site.stacks.verdict import features, problems, remarks

OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"
MPICH = "MPICH Version:\\t4.2.3\\nMPICH Release date:\\tThu Oct  3 09:51:36 CDT 2024\\nMPICH ABI:\\t16:2:4\\n"
PROGRAM = "int main(void) { return 0; }\n"


def mpi(answer: str) -> str:
    return (
        "#include <string.h>\n"
        "int MPI_Get_library_version(char *text, int *length)\n"
        f'{{ strcpy(text, "{answer}"); *length = (int)strlen(text); return 0; }}\n'
    )


def hdf5(parallel: bool) -> str:
    return (
        "int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release)\n"
        "{ *major = 1; *minor = 14; *release = 5; return 0; }\n"
        + ("int H5Pset_fapl_mpio(void) { return 0; }\n" if parallel else "")
    )


def launcher(folder: Path, says: str) -> str:
    write_program(folder / "mpirun", f"#!/bin/sh\necho '{says}'\n")
    return f"{folder}:/usr/bin:/bin"


def stack_of(program: Path, path: str) -> Stack:
    return Stack("mine", {"ior": (str(program),)}, "A stack", environment={"PATH": path})


def test_a_whole_stack_has_no_problem(compile_c: Compile, tmp_path: Path) -> None:
    first = compile_c("libmpi.so.40", mpi(OPEN_MPI))
    library = compile_c("libhdf5.so.310", hdf5(parallel=True), first)
    program = compile_c("weir-io", PROGRAM, library, first)
    found = probe_stack(stack_of(program, launcher(tmp_path, "mpirun (Open MPI) 4.1.4")), "mpirun")
    assert problems(found) == []
    assert [(one.family, one.version) for one in found.mpis] == [("Open MPI", "4.1.4")]
    assert [(one.name, one.version, one.parallel) for one in found.libraries] == [("HDF5", "1.14.5", True)]
    assert {"openmpi", "hdf5", "tool-ior"} == set(features(found))


def test_a_question_to_a_program_leaves_nothing_in_the_directory_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of Open MPI 5 does that was started without mpirun, at its ordinary end, too."""
    usual, own = tmp_path / "usual", tmp_path / "own"
    for folder in (usual, own):
        folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(usual))
    program = write_program(
        tmp_path / "singleton", '#!/bin/sh\nmkdir -p "$TMPDIR/ompi.host.0/jf.0/1" && echo asked\n'
    )
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(usual)}
    assert ask_program([str(program)], environment) == "asked\n"
    assert ask_program([str(program), "again"], environment, own) == "asked\n"
    assert [*usual.iterdir()] == []
    assert [file.name for file in own.iterdir()] == ["ompi.host.0"]
    assert ask_program([str(program)], environment, own / "other") == "asked\n"  # one program, one start


def test_a_look_at_libraries_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    ldd = write_program(tmp_path / "bin/ldd", "#!/bin/sh\nkill -KILL $PPID\n")
    look = f"from weir.site.stacks.probe import linked; linked('/bin/true', {{'PATH': '{ldd.parent}'}})"
    killed = subprocess.run(
        [sys.executable, "-c", look], env={**os.environ, "TMPDIR": str(folder)}, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert [*folder.iterdir()] == []


def test_two_mpis_in_one_program_are_named_with_the_library_that_brings_the_second(
    compile_c: Compile, tmp_path: Path
) -> None:
    first = compile_c("libmpich.so.12", mpi(MPICH))
    second = compile_c("libmpi.so.40", mpi(OPEN_MPI))
    library = compile_c("libhdf5_openmpi.so.103", hdf5(parallel=True), second)
    program = compile_c("weir-io", PROGRAM, first, library)
    found = probe_stack(stack_of(program, launcher(tmp_path, "HYDRA build details:")), "mpirun")
    (sentence,) = problems(found)
    assert "linked with two MPIs, MPICH 4.2.3" in sentence
    assert "Open MPI 4.1.4" in sentence
    assert f"HDF5 ({library}) brings the second one" in sentence


def test_a_serial_hdf5_is_a_remark_and_no_feature(compile_c: Compile, tmp_path: Path) -> None:
    first = compile_c("libmpi.so.40", mpi(OPEN_MPI))
    library = compile_c("libhdf5_serial.so.103", hdf5(parallel=False))
    program = compile_c("weir-io", PROGRAM, first, library)
    found = probe_stack(stack_of(program, launcher(tmp_path, "mpirun (Open MPI) 4.1.4")), "mpirun")
    assert problems(found) == []
    assert "hdf5" not in features(found)
    assert any("HDF5 1.14.5" in one and "serial build" in one for one in remarks(found))


def test_a_launcher_of_another_mpi_is_a_problem(compile_c: Compile, tmp_path: Path) -> None:
    program = compile_c("weir-io", PROGRAM, compile_c("libmpich.so.12", mpi(MPICH)))
    found = probe_stack(stack_of(program, launcher(tmp_path, "mpirun (Open MPI) 4.1.4")), "mpirun")
    (sentence,) = problems(found)
    assert "linked with MPICH" in sentence
    assert "belongs to Open MPI: every rank would believe to be alone" in sentence


def test_one_program_for_several_tools_is_judged_once(compile_c: Compile, tmp_path: Path) -> None:
    program = str(compile_c("weir-io", PROGRAM, compile_c("libmpich.so.12", mpi(MPICH))))
    path = launcher(tmp_path, "mpirun (Open MPI) 4.1.4")
    stack = Stack(
        "mine", {"ior": (program, "ior"), "mdtest": (program, "mdtest")}, environment={"PATH": path}
    )
    (sentence,) = problems(probe_stack(stack, "mpirun"))
    assert sentence.startswith("ior, mdtest: ")


@pytest.mark.parametrize(
    ("calls", "links_to_client", "expected", "remark"),
    [
        (True, True, {"ime-native", "romio-ime"}, ""),
        (False, True, {"romio-ime"}, "IME through MPI-IO only"),
        (False, False, set(), "without IME"),
    ],
    ids=["native and MPI-IO", "MPI-IO only", "none"],
)
def test_interfaces_to_ime_are_told_apart(
    compile_c: Compile, tmp_path: Path, calls: bool, links_to_client: bool, expected: set[str], remark: str
) -> None:
    client = compile_c("libim_client.so", "void ime_native_init(void) {}\n")
    first = compile_c("libmpi.so.12", mpi(MPICH), *([client] if links_to_client else []))
    code = (
        "void ime_native_init(void); int main(void) { ime_native_init(); return 0; }\n" if calls else PROGRAM
    )
    program = compile_c("weir-io", code, first, *([client] if links_to_client else []))
    found = probe_stack(stack_of(program, launcher(tmp_path, "HYDRA build details:")), "mpirun")
    assert set(features(found)) & {"ime-native", "romio-ime"} == expected
    assert not remark or any(one.startswith(remark) for one in remarks(found))


def test_a_missing_library_and_a_missing_program_are_named(compile_c: Compile, tmp_path: Path) -> None:
    gone = compile_c("libpnetcdf.so.4", "int nothing;\n")
    program = compile_c("weir-io", PROGRAM, gone)
    gone.unlink()
    found = probe_stack(stack_of(program, launcher(tmp_path, "mpirun (Open MPI) 4.1.4")), "mpirun")
    assert any("needs libpnetcdf.so.4, which the loader does not find" in one for one in problems(found))
    absent = probe_stack(stack_of(tmp_path / "nowhere", "/usr/bin"), "mpirun")
    assert any("is not there or not executable" in one for one in problems(absent))


def test_a_script_is_not_judged_by_what_it_is_not_linked_with(tmp_path: Path) -> None:
    wrapper = write_program(tmp_path / "exec.sh", "#!/bin/sh\nexit 0\n")
    found = probe_stack(stack_of(wrapper, launcher(tmp_path, "mpirun (Open MPI) 4.1.4")), "mpirun")
    (sentence,) = remarks(found)
    assert "is a script" in sentence
    assert problems(found) == []


def test_a_container_whose_image_is_not_there_is_a_problem(tmp_path: Path) -> None:
    wrapper = write_program(tmp_path / "exec.sh", "#!/bin/sh\nexit 0\n")
    image = tmp_path / "measure.sif"
    arguments = (str(wrapper), str(image), "weir-io", "ior")
    stack = Stack("container", {"ior": arguments}, "", environment={"PATH": "/usr/bin:/bin"})
    without = probe_stack(stack, "none")
    (sentence,) = problems(without)
    assert f"is given {image}, which is not there; build it (containers/build.sh" in sentence
    assert features(without) == []
    image.touch()
    assert problems(probe_stack(stack, "none")) == []
    assert features(probe_stack(stack, "none")) == ["tool-ior"]


def test_two_names_of_one_library_are_one(tmp_path: Path) -> None:
    real = tmp_path / "libmpi.so.40.30.4"
    real.write_bytes(b"")
    (tmp_path / "libmpi.so.40").symlink_to(real)
    text = f"\tlibmpi.so.40 => {tmp_path}/libmpi.so.40 (0x01)\n\t{real} (0x02)\n\tlibc.so.6 => not found\n"
    assert parse_ldd(text).all("mpi") == (str(real),)
    assert parse_ldd(text).missing == ("libc.so.6",)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("libmpi.so.40", "mpi"),
        ("libmpich.so.12", "mpi"),
        ("libmpi_cxx.so.40", None),
        ("libhdf5_openmpi.so.103", "hdf5"),
        ("libhdf5_openmpi_hl.so.100", None),
        ("libnetcdf_mpi.so.19", "netcdf"),
        ("libim_client.so.1", "ime"),
    ],
)
def test_libraries_are_known_by_their_file_names(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


def test_a_prefix_is_probed_as_its_view_would_be(
    compile_c: Compile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = compile_c("weir-io", PROGRAM, compile_c("libmpi.so.12", mpi(MPICH)))
    (tmp_path / "view" / "bin").mkdir(parents=True)
    (tmp_path / "view" / "bin" / "weir-io").symlink_to(program)
    starter = write_program(
        tmp_path / "view" / "bin" / "mpiexec.hydra", "#!/bin/sh\necho 'HYDRA build details:'\n"
    )
    assert main(["stacks", "--prefix", str(tmp_path / "view"), "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)
    assert facts["launcher"] == str(starter)
    assert "mpich" in facts["features"]
    assert main(["stacks", "--prefix", str(tmp_path / "view")]) == 0
    first, _, second, *_ = capsys.readouterr().out.splitlines()
    assert (first, second) == ("1 stack: no problem", f"view: Prefix {tmp_path / 'view'}")
    gone = compile_c("libgone.so.1", "int nothing;\n")
    lacking = compile_c("lacking", PROGRAM, gone)
    gone.unlink()
    (tmp_path / "broken" / "bin").mkdir(parents=True)
    (tmp_path / "broken" / "bin" / "weir-io").symlink_to(lacking)
    assert main(["stacks", "--prefix", str(tmp_path / "view"), "--prefix", str(tmp_path / "broken")]) == 1
    assert capsys.readouterr().out.splitlines()[0] == "2 stacks: PROBLEM in broken"


def test_a_folder_without_programs_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "--prefix", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert all(text in message for text in (f"{tmp_path}/bin does not hold", "weir-io", " or ior or "))
