#!/usr/bin/env bash
# Makes the locks of a release: spack.yaml, whole from source by Debian 12's compiler, for a family of processors, which
# need not be the one of this machine. Nothing that this machine or its user has enters.
#
#   envs/spack/lock.sh [x86_64_v3] [aarch64]     both if none is named
set -euo pipefail
unset CDPATH # cd would search it

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
command -v spack >/dev/null || {
    echo "lock: spack is not on the PATH; get Spack 1.1 or newer (https://spack.io)" >&2
    exit 2
}
[ $# -gt 0 ] || set -- x86_64_v3 aarch64
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$top/weir/__init__.py")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The environment without a site, and without what Spack found here.
mkdir -p "$work/config" "$work/stacks/envs/spack/machine"
ln -s "$top/envs/spack_repo" "$work/stacks/envs"
export WEIR_SITE=none
unset WEIR_SITE_PACKAGES
# The user's configuration tells only where Spack's own recipes and its solver are.
printf 'repos: {builtin: "%s"}\n' "$(spack location --repo builtin)" >"$work/config/repos.yaml"
spack config get bootstrap >"$work/config/bootstrap.yaml"
export SPACK_USER_CONFIG_PATH=$work/config SPACK_SYSTEM_CONFIG_PATH=$work/none
echo 'concretizer: {targets: {host_compatible: false}}' >"$work/config/concretizer.yaml"

for target in "$@"; do
    # Spack knows a target that is not of this machine only by a root that names it.
    sed "/^    - \[\$^stacks_/a\\    - [target=$target]" "$top/spack.yaml" >"$work/stacks/spack.yaml"
    cat >"$work/config/packages.yaml" <<YAML
packages:
  all: {require: [target=$target]}
  gcc:
    externals:
    - spec: "gcc@12.2.0 languages:='c,c++,fortran' os=debian12 target=$target"
      prefix: /usr
      extra_attributes: {compilers: {c: /usr/bin/gcc, cxx: /usr/bin/g++, fortran: /usr/bin/gfortran}}
YAML
    lock=envs/spack/locks/$version-$target.lock
    printf 'lock: making %s, which takes minutes\n' "$lock" >&2
    spack --color=never -e "$work/stacks" concretize --fresh --force >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
    # Without it, the roots are those of spack.yaml.
    sed -E "s/(\"spec\": *\"[^\"]*) target=$target/\1/g" "$work/stacks/spack.lock" >"$top/$lock"
    printf '%s\n' "$lock"
done
