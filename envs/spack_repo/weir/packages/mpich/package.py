from spack_repo.builtin.packages.mpich.package import Mpich as BuiltinMpich

from spack.package import *


class Mpich(BuiltinMpich):
    """MPICH as Spack's builtin recipe has it, and with ROMIO's driver for IME on request."""

    variant("ime", default=False, description="ROMIO reaches files named ime:<path> through the IME client")

    depends_on("ime", when="+ime")

    conflicts("~romio", when="+ime", msg="mpich +ime is a driver of ROMIO: ask for +romio")
    conflicts("@:3.2", when="+ime", msg="ROMIO has the ime file system since MPICH 3.3: ask for mpich@3.3:")

    def configure_args(self):
        args = super().configure_args()
        if self.spec.satisfies("+ime"):
            ime = self.spec["ime"]
            # ROMIO's configure looks for ime_native.h only and links no library, so that every program of the
            # stack would end with undefined symbols: the library goes to LIBS, with an rpath.
            args += [
                "--with-file-system=ufs+nfs+ime",
                f"--with-ime={ime.prefix}",
                f"LIBS={ime.libs.link_flags}",
                f"LDFLAGS={ime.libs.search_flags} -Wl,-rpath,{ime.libs.directories[0]}",
            ]
        return args
