"""An installed prefix is enough for a program: header, library, and the drainer found beside it."""

import subprocess
from pathlib import Path

from tests.ime.conftest import StoreMaker, wait_for
from tests.programs import ran

PROGRAM = """
#include <fcntl.h>
#include <ime_native.h>
int main(void) {
    ime_native_init();
    int fd = ime_native_open("ime://file", O_CREAT | O_WRONLY, 0644);
    int wrong = fd < 0 || ime_native_write(fd, "data", 4) != 4 || ime_native_close(fd) != 0;
    return ime_native_finalize() != 0 || wrong;
}
"""


def test_a_program_against_an_installed_prefix(
    programs: Path, make_store: StoreMaker, tmp_path: Path
) -> None:
    prefix = tmp_path / "prefix"
    ran(["cmake", "--install", programs.parent, "--prefix", prefix], check=True)
    (library,) = prefix.glob("lib*/**/libim_client.so")
    source = tmp_path / "program.c"
    source.write_text(PROGRAM)
    places = [f"-I{prefix}/include", f"-L{library.parent}", f"-Wl,-rpath,{library.parent}"]
    subprocess.run(["cc", source, *places, "-lim_client", "-o", tmp_path / "program"], check=True)
    store = make_store(prefix / "bin", drain="auto")
    store.run(tmp_path / "program")
    # Nobody but a drainer writes to the backing, and the program itself must have started it.
    file = store.backing / "file"
    wait_for(lambda: file.read_bytes() == b"data", "the drainer has written what the program wrote")
