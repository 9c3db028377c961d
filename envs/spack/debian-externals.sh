#!/usr/bin/env bash
# Writes what Debian 12 has of the Open MPI stack and of the workflow as Spack externals, and prints their folder, so
# that Spack takes Debian's MPI, HDF5, NetCDF, PnetCDF, liburing, libaio, R and TeX instead of building them:
#
#   WEIR_SITE_PACKAGES=$(envs/spack/debian-externals.sh) spack -e . concretize      the stacks of spack.yaml
#   spack -C "$(envs/spack/debian-externals.sh)" install weir                       the workflow
#
# Debian spreads an MPI over several folders; the small prefixes of links made here (in ~/.local/share/weir/debian, or the
# folder given; not in the checkout, so that a lock does not end when a checkout is deleted) are what Spack takes for an
# installation. The versions are read from the installed packages; of the workflow's, those that are not installed are left out. A
# virtual environment `maturin` in the folder is declared as well, because Spack's own maturin compiles for an hour
# (docs/how-to/spack.md).
set -euo pipefail
unset CDPATH # cd would search it

out=$(realpath -m "${1:-${XDG_DATA_HOME:-$HOME/.local/share}/weir/debian}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
multiarch=$(gcc -print-multiarch) # dpkg-architecture is not in a bare Debian
lib=/usr/lib/$multiarch

die() {
    printf 'debian-externals: %s\n' "$@" >&2
    exit 1
}

version_of() { # the upstream version of an installed package: no epoch, no Debian revision, no +suffix
    dpkg-query --show --showformat '${Version}\n' "$1" 2>/dev/null | sed -e 's/^[0-9]*://' -e 's/[-+~].*//'
}

link() { # link PREFIX/FOLDER FILE...
    mkdir -p "$1"
    ln -sfn -t "$1" "${@:2}"
}

for package in libopenmpi-dev libhdf5-openmpi-dev libnetcdf-mpi-dev libpnetcdf-dev; do
    [ -n "$(version_of $package)" ] || die "$package is not installed" "envs/setup.sh measure installs what the stack needs"
done

mkdir -p "$out"
for word in mpicc mpicxx mpif77 mpif90 mpirun mpiexec; do
    mkdir -p "$out/openmpi/bin"
    ln -sfn "/usr/bin/$word.openmpi" "$out/openmpi/bin/$word"
done
link "$out/openmpi" "$lib/openmpi/include"
link "$out/openmpi/lib" "$lib"/libmpi*.so* "$lib"/libopen-*.so*
link "$out/pnetcdf/include" /usr/include/pnetcdf.h
link "$out/pnetcdf/lib" "$lib"/libpnetcdf.so*

mpi=$(version_of libopenmpi-dev)
cat >"$out/packages.yaml" <<YAML
# made by envs/spack/debian-externals.sh from the packages of this machine
packages:
  openmpi:
    # Debian's, except where the stack needs ROMIO's driver for IME.
    require: [{any_of: ['@$mpi', romio-filesystem=ime]}]
    externals:
    - id: debian-openmpi
      spec: openmpi@$mpi
      prefix: $out/openmpi
YAML

above_mpi() { # above_mpi SPACK-NAME DEBIAN-PACKAGE VARIANTS PREFIX NAME...: the names of what else it is linked with
    local version name
    version=$(version_of "$2")
    cat <<YAML
  $1:
    # Other stacks build their own.
    require: [{spec: '@$version', when: ^openmpi@$mpi}]
    externals:
    - id: debian-$1
      spec: $1@$version $3
      prefix: $4
      dependencies:
      - {id: debian-openmpi, deptypes: [build, link], virtuals: mpi}
YAML
    for name in "${@:5}"; do printf '      - {id: debian-%s, deptypes: [build, link]}\n' "$name"; done
}

external() { # external SPACK-NAME DEBIAN-PACKAGE [PREFIX]: nothing where the package is not installed
    local version
    version=$(version_of "$2")
    [ -z "$version" ] || printf '  %s: {externals: [{spec: %s@%s, prefix: %s}]}\n' "$1" "$1" "$version" "${3:-/usr}"
}

{
    above_mpi hdf5 libhdf5-openmpi-dev "+mpi +hl +shared ~cxx ~fortran" "$lib/hdf5/openmpi"
    above_mpi parallel-netcdf libpnetcdf-dev +shared "$out/pnetcdf"
    above_mpi netcdf-c libnetcdf-mpi-dev "+mpi +parallel-netcdf +shared ~blosc ~szip ~zstd ~nczarr_zip ~dap ~byterange" \
        "$lib/netcdf/mpi" hdf5 parallel-netcdf
    external liburing liburing-dev
    external libaio libaio-dev
    external libfuse libfuse3-dev
    external libxml2 libxml2-dev
    external libxslt libxslt1-dev
    external libyaml libyaml-dev
    external r r-base-core
    external texlive texlive-latex-recommended
    sed -n 's/^r-cran-\([^ ]*\).*/\1/p' envs/apt/analyse.txt | while read -r name; do
        external "r-${name//./-}" "r-cran-$name"
    done
    if maturin=$("$out/maturin/bin/maturin" --version 2>/dev/null); then
        # Where Spack looks for the modules of Debian's Python, which a virtual environment has elsewhere.
        modules=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib").removeprefix("/usr/"))')
        mkdir -p "$out/maturin/$(dirname "$modules")"
        ln -sfn "$(echo "$out"/maturin/lib/python3*/site-packages)" "$out/maturin/$modules"
        # By its version: a machine may have several Pythons.
        python=$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')
        printf '  py-maturin: {externals: [{spec: py-maturin@%s, prefix: %s, dependencies: [{spec: python@%s}]}]}\n' \
            "${maturin#maturin }" "$out/maturin" "$python"
    fi
} >>"$out/packages.yaml"
printf '%s\n' "$out"
