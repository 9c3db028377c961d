#!/usr/bin/env bash
# The end of %post of every definition: removes what tells only when the image was built, and writes labels of what is in
# it: weir.packages, weir.apt and weir.files, which is the same for two images with the same files.
#
#   finish.sh [ROOT]     ROOT: of the image, / if it is left out
set -euo pipefail

root=${1:-}
labels=${APPTAINER_LABELS:?is set in %post}

digest() { sha256sum | cut -c 1-64; }

apt-get clean
rm -rf "$root"/var/lib/apt/lists/* "$root"/root/.cache "$root"/var/log/* "$root"/var/cache/ldconfig/aux-cache \
    "$root"/opt/weir/build/*.log "$root"/opt/weir/build/check/*.log "$root"/opt/weir/build/.ninja_* \
    "$root"/opt/weir/build/CMakeFiles/CMake*.log
# Modules that were compiled while the image was built have the date of their source: again, by content.
modules=$(mktemp)
find "$root/opt/weir" -path '*/__pycache__/*.pyc' -print -delete |
    sed 's,/__pycache__/\([^/]*\)\.cpython-[0-9]*\.pyc$,/\1.py,' | LC_ALL=C sort -u >"$modules"
if [ -s "$modules" ]; then
    PYTHONHASHSEED=0 "$root/opt/weir/.venv/bin/python" -B -m compileall -q -f --invalidation-mode unchecked-hash \
        ${root:+-s "$root" -p /} -i "$modules"
fi
rm "$modules"
dpkg-query -W >"$root/opt/weir/packages.txt"
# Not what belongs to the machine that builds, such as its /tmp and /var/tmp, or to Apptainer.
(cd "$root/" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/tmp -o \
    -path ./.singularity.d \) -prune -o \
    -type f ! -path ./etc/resolv.conf ! -path ./etc/hosts ! -path ./etc/localtime ! -path ./opt/weir/files.txt -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum) >"$root/opt/weir/files.txt"
{
    echo "weir.packages $(digest <"$root/opt/weir/packages.txt")"
    echo "weir.apt $(digest <"$root/opt/weir-sources.list")"
    echo "weir.files $(digest <"$root/opt/weir/files.txt")"
} >>"$labels"
