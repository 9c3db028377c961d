#!/usr/bin/env bash
# Starts one rank in a container, whatever the machine allows; a stack of a site names it before its program:
#
#   programs: {ior: ["{root}/containers/exec.sh", "{root}/build/containers/measure.sif", weir-io, ior]}
#
# APPTAINER=apptainer           the program
# WEIR_EXEC_OPTIONS="..."       options instead of those chosen here
set -euo pipefail

image=$1
shift
apptainer=${APPTAINER:-apptainer}
[ -e "$image" ] || { printf 'containers: %s is not there; containers/build.sh makes it\n' "$image" >&2; exit 2; }

if [ -n "${WEIR_EXEC_OPTIONS:-}" ]; then
    read -ra options <<<"$WEIR_EXEC_OPTIONS"
elif [ "$(id -u)" -eq 0 ]; then
    # Root without CAP_SYS_RESOURCE, as in a cloud sandbox, cannot set the limits that apptainer wants to set.
    options=(--no-privs)
elif [ ! -w /dev/fuse ] && [ ! -d "$image" ]; then
    # Without FUSE an image has to be unpacked for every rank: a sandbox directory is unpacked once.
    options=(--unsquash)
else
    options=()
fi
# Where targets lie; the working directory and $HOME come along by themselves.
for folder in /dev/shm /var/tmp ${WEIR_BIND:-}; do
    options+=(--bind "$folder")
done
exec "$apptainer" --quiet exec "${options[@]}" "$image" "$@"
