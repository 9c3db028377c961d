#!/bin/sh
# apt's sources of an image: those of LIST; where it has the line "# packages of its day", the archive of its day, which
# Debian's image names in a comment above each of its own; where it is empty, the image's own.
#
#   apt-sources.sh LIST [ROOT]     ROOT: of the image, / if it is left out
set -eu

list=$1
root=${2:-}
[ -s "$list" ] || exit 0
if ! grep -qx '# packages of its day' "$list"; then
    rm -rf "$root/etc/apt/sources.list.d"
    cp "$list" "$root/etc/apt/sources.list"
    exit
fi
for file in "$root"/etc/apt/sources.list.d/*.sources; do
    # What is of a day in the past is no longer signed for today.
    awk '
        /^# https?:/ { day = $2 }
        /^URIs:/ { if (day == "") exit 1; print "URIs: " day; print "Check-Valid-Until: no"; day = ""; next }
        { print }
    ' "$file" >"$file.new" || {
        echo "containers: $file names no archive of its day; WEIR_APT_SOURCES=FILE is a list of your own" >&2
        exit 1
    }
    mv "$file.new" "$file"
done
