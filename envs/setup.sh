#!/usr/bin/env bash
# Installs what the named roles need and nothing else: packages from envs/apt/ROLE.txt, and a Python environment in
# .venv of this checkout from the lock in envs/pip. Every make target calls it, so it says nothing when nothing is missing.
#
#   envs/setup.sh measure analyse report     # what `make report` needs
#   envs/setup.sh measure analyse report develop
#   envs/setup.sh --build measure ...        # and compile the engine while the rest is installed
#   envs/setup.sh measure --later report ... # of the roles after it, only fetch packages, and only while others are installed
#   envs/setup.sh --look measure ...         # install nothing; true if nothing is missing
#
# WEIR_APT=no   the programs come from modules, Spack or a container: leave packages alone (=RELEASE: envs/apt/release.sh)
# PYTHON=...    the interpreter to build .venv with (3.11.2 or newer)
set -euo pipefail +C # BASH_ENV may have set noclobber
# What they name is not of .venv, and pip would not install it there. With a CDPATH, cd may go elsewhere.
unset CDPATH PYTHONHOME PYTHONPATH

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$top/.venv
log=$top/build/setup.log
pip_log=$top/build/setup-pip.log # while dpkg writes to the other
build_log=$top/build/setup-build.log
scratch=$top/build/setup-tmp # of Python and pip, which leave their files when they are interrupted
fetched=/var/cache/apt/weir-$(cksum <<<"$top" | cut -d ' ' -f 1) # where the user _apt may write
builds=no
looks=no
roles=()
later_roles=() # they are installed by a call of their own
missing_packages=()
later_packages=()
python=
lock_wait_s=600
exec {terminal}>&2 # what a step prints goes to the log
# shellcheck source=/dev/null
. "$top/envs/apt/release.sh"
# shellcheck source=/dev/null
. "$top/envs/pip/environment.sh"

say() { printf 'setup: %s\n' "$*" >&2; }

die() { # die STATUS LINE...
    local status=$1
    shift
    printf 'setup: %s\n' "$@" >&2
    exit "$status"
}

read_roles() {
    local role known later=no
    case ${1:-} in
    --build) builds=yes && shift ;;
    --look) looks=yes && shift ;;
    esac
    known=$(cd "$top/envs/apt" && printf '%s ' *.txt | sed 's/\.txt//g')
    [ $# -gt 0 ] || die 2 "no role given; known roles: $known" "for example: envs/setup.sh measure analyse report"
    for role in "$@"; do
        case " $known --later " in *" $role "*) ;; *) die 2 "unknown role '$role'; known roles: $known" ;; esac
        case $later:$role in
        *:--later) later=yes ;;
        yes:*) later_roles+=("$role") ;;
        no:*) roles+=("$role") ;;
        esac
    done
}

# ---- what is missing ------------------------------------------------------------------------------------------------

lock_file() {
    case " ${roles[*]} " in
    *" develop "*) printf '%s' "$top/envs/pip/requirements-develop.txt" ;;
    *) printf '%s' "$top/envs/pip/requirements.txt" ;;
    esac
}

environment_is_right() {
    local lock
    lock=$(lock_file)
    [ -x "$venv/bin/python" ] && [ -x "$venv/bin/weir" ] &&
        [ "$(cat "$(stamp_of "$lock")" 2>/dev/null)" = "$(environment_hash "$lock")" ]
}

choose_python() {
    local name
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11, 2))' 2>/dev/null; then
            python=$name
            return
        fi
    done
    die 1 "no Python 3.11.2 or newer (tried: ${PYTHON:-python3 python3.13 python3.12 python3.11})" \
        "install the package $(in_this_release <<<python3), or name one with PYTHON=/path/to/python3 make ..."
}

look() { # sets missing_packages and later_packages; true if nothing is to be done now
    local right=yes
    missing_packages=() later_packages=()
    if looks_up_packages; then
        mapfile -t missing_packages < <(missing_in "${roles[@]}")
        [ ${#later_roles[@]} -eq 0 ] || mapfile -t later_packages < <(missing_in "${later_roles[@]}")
    fi
    if ! environment_is_right; then
        right=no
        choose_python
        if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
            looks_up_packages || die 1 "$python cannot make virtual environments (its modules venv and ensurepip are missing)"
            missing_packages+=("$(in_this_release <<<python3-venv)")
        fi
    fi
    [ $right = yes ] && [ ${#missing_packages[@]} -eq 0 ]
}

stop_without_list() { # a release that is not known: what is needed, before anything is begun
    local names=() absent=()
    [ "${WEIR_APT:-yes}" != no ] && [ ! -f "$(release_file)" ] || return 0
    names=("${missing_packages[@]}" "${later_packages[@]}")
    if ! looks_up_packages; then
        mapfile -t absent < <(absent_programs "${roles[@]}" "${later_roles[@]}")
        [ ${#absent[@]} -eq 0 ] || mapfile -t names < <(packages_of "${roles[@]}" "${later_roles[@]}")
    fi
    [ ${#names[@]} -gt 0 ] || return 0
    [ ${#absent[@]} -eq 0 ] || say "these programs are not on the PATH: ${absent[*]}"
    say "weir has no list of packages for $(this_release) (it has: $(known_releases)). It needs, by Debian's names:" ""
    reasons_of "${names[@]}" | sed 's/^/    /' >&2
    die 1 "" "hint: install what corresponds to them, or load modules, then put WEIR_APT=no before the command;" \
        "on a system derived from one of those releases put its name, such as WEIR_APT=debian-13"
}

stop_unless_root() { # at once for all: who has to ask somebody asks once
    local missing=("${missing_packages[@]}" "${later_packages[@]}") install='apt-get install -y --no-install-recommends'
    [ ${#missing[@]} -gt 0 ] || return 0
    ! is_never_run || say "weir has never been installed on $(this_release): its packages are named as its distributor names them"
    if ! command -v dpkg-query >/dev/null; then
        install='dnf install -y'
    elif [ "$(id -u)" -eq 0 ]; then
        return 0
    fi
    die 1 "packages of $(this_release) are missing, and installing them is for root. Run this, then the same command again:" \
        "" "    sudo $install ${missing[*]}" "" \
        "(if a name is not known: sudo ${install%% *} update. If these programs come from modules, Spack or a" \
        "container instead: WEIR_APT=no before the command.)"
}

# ---- doing it -------------------------------------------------------------------------------------------------------

explain() { # what in the log is worth a sentence
    local tail_lines
    tail_lines=$(tail -n 200 "$log")
    case $tail_lines in
    *"Temporary failure resolving"* | *"Could not resolve"* | *"Name or service not known"* | *"Failed to establish a new connection"* | \
        *"Could not connect"* | *"Connection timed out"* | *"Connection refused"* | *"Network is unreachable"* | *"NewConnectionError"* | \
        *"name resolution"*)
        say "the network could not be reached: check the connection, the proxy, and the mirrors that apt and pip are set to" ;;
    *"Unable to locate package"* | *"has no installation candidate"*)
        say "apt does not know a package of envs/apt for $(this_release): hint: apt-get update; or bring the programs and set WEIR_APT=no" ;;
    *"THESE PACKAGES DO NOT MATCH THE HASHES"*)
        say "a download is not what the lock says: try again; if it stays so, do not trust that package index" ;;
    *"lock was locked by "* | *"Could not get lock"* | *"Unable to lock"*)
        say "another process still holds the lock of dpkg or apt: wait until it ends, then give the same command again" ;;
    *"No space left on device"*) say "the disk is full" ;;
    *CERTIFICATE_VERIFY_FAILED* | *"certificate verify failed"*)
        say "the package server's certificate is not trusted here: install ca-certificates, or set PIP_CERT" ;;
    esac
}

# One line when a step begins, one every 15 s with what REPORT says if that is news, one when it ends.
step() { # step REPORT TEXT COMMAND...
    local report=$1 text=$2 began=$SECONDS said=$SECONDS status=0 pid news='' known=''
    shift 2
    say "$text ..."
    set -m # a process group of its own, so that an interrupt ends what COMMAND started too
    "$@" >>"$log" 2>&1 </dev/null &
    pid=$!
    set +m
    # shellcheck disable=SC2064 # the id of now is meant
    trap "kill -- -$pid 2>/dev/null; wait $pid 2>/dev/null || true; exit 130" INT TERM HUP
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.1
        if [ $((SECONDS - said)) -ge 15 ]; then
            said=$SECONDS
            news=$("$report")
            [ "$news" = "$known" ] || say "  $((SECONDS - began)) s, $news"
            known=$news
        fi
    done
    wait "$pid" || status=$?
    trap - INT TERM HUP
    if [ $status -ne 0 ]; then
        kill -- -$pid 2>/dev/null || true # what else COMMAND had started
        say "failed after $((SECONDS - began)) s: $text; the end of its log:"
        tail -n 15 "$log" | sed 's/^/    /' >&2
        explain
        die 1 "the whole log: ${log#"$top"/}"
    fi
    say "  done in $((SECONDS - began)) s"
}

apt_so_far() {
    awk '/^Get:/ {got++} /^Unpacking / {unpacked++} /^Setting up / {ready++}
        END {printf "packages fetched %d'"$(fetched_so_far)"', unpacked %d, ready %d", got, unpacked, ready}' "$log"
}

# On a slow line the number stands for minutes while a large package comes.
fetched_so_far() {
    local bytes
    bytes=$(du --summarize --bytes "$fetched" 2>/dev/null | cut -f 1)
    [ -z "$bytes" ] || printf ' (%d MB)' $((bytes / 1000000))
}

pip_so_far() { printf 'Python packages fetched %d' "$(cat "$log" "$pip_log" 2>/dev/null | grep -c '^Collecting ')"; }

both_so_far() { printf '%s; %s' "$(apt_so_far)" "$(pip_so_far)"; }

# A fresh machine in a cloud updates itself in its first minutes: then another process holds the locks of dpkg and apt.
unlocked() { # unlocked COMMAND...   repeats it while it fails for a lock
    local output status began=$SECONDS told=no
    while true; do
        status=0
        output=$(LC_ALL=C "$@" 2>&1) || status=$?
        printf '%s\n' "$output"
        case $status:$output in
        0:*) return 0 ;;
        *"lock was locked by "* | *"Could not get lock"* | *"Unable to lock"*) ;;
        *) return "$status" ;;
        esac
        if [ $((SECONDS - began)) -ge $lock_wait_s ]; then
            return "$status"
        fi
        if [ $told = no ]; then
            told=yes
            say "another process holds the lock of dpkg or apt, such as an automatic update; waiting for it, at most" \
                "$lock_wait_s s" 2>&"$terminal"
        fi
        sleep 2
    done
}

# Waits for another apt instead of failing; never asks; keeps the configuration files that are there.
apt() { # apt ...; with as_this_process=exec the calling process becomes apt-get, so that its id is known
    local before=() options=("DPkg::Lock::Timeout=$lock_wait_s" Dpkg::Use-Pty=0 Dpkg::Options::=--force-confdef Dpkg::Options::=--force-confold)
    case " ${roles[*]} : $* " in
    *" --download-only "*) ;;
    *" lab "*) before=("$top/envs/without-services") ;; # servers of file systems
    esac
    # A container or chroot, which nobody boots, need not survive a power cut half-way: a third of the time is saved.
    [ -d /run/systemd/system ] || options+=(Dpkg::Options::=--force-unsafe-io)
    ${as_this_process:-} env LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 "${before[@]}" \
        apt-get -q "${options[@]/#/--option=}" "$@"
}

refresh_lists() {
    # A set-up that was killed leaves dpkg half-way; finishing that first costs nothing otherwise.
    unlocked dpkg --configure -a
    # Old lists name files that mirrors no longer have. If this fails, the install says whether it mattered.
    unlocked apt update || true
}

install_missing() {
    [ -w "$fetched" ] || refresh_lists # else the set-up that fetched them did, minutes ago
    apt_fetched install -y --no-install-recommends "${missing_packages[@]}"
}

# If it fails, `make build` says so when everything is installed.
build() { [ $builds = no ] || "$top/.ci/build" >"$build_log" 2>&1 || true; }

missing_of() { # missing_of NAME...   in one line
    comm -12 <(printf '%s\n' "$@" | LC_ALL=C sort -u) <(printf '%s\n' "${missing_packages[@]}" | LC_ALL=C sort -u) | tr '\n' ' '
}

apt_fetched() { # keeps what it fetched in a folder of its own, also where the apt of a container deletes it at once
    apt --option=Dir::Cache::Archives="$fetched" --option=APT::Keep-Downloaded-Packages=true "$@"
}

# What is not on the disk yet would be written while a report measures that disk.
write_out() { sync --file-system /usr "$top" || true; }

# Installs LOT while NEXT is fetched, which needs no lock of dpkg. If fetching fails, the installation tries it again.
# shellcheck disable=SC2086 # both are names in one line, or empty
install_lot() { # install_lot LOT NEXT
    local fetching=
    if [ -n "$2" ]; then
        apt_fetched --option=Debug::NoLocking=true install -y --download-only --no-install-recommends $2 &
        fetching=$!
    fi
    [ -z "$1" ] || apt_fetched install -y --no-install-recommends $1 || return # step ends what else runs
    [ -z "$fetching" ] || wait "$fetching" || true
}

# Those of the later roles, in the time that the others take and no longer: whoever has a slow network waits for what
# measures, and the later call goes on where this one ended. Nothing may be fetched while something is timed.
fetching_later=
begin_to_fetch_later() {
    [ ${#later_packages[@]} -gt 0 ] || return 0
    (
        as_this_process='exec'
        apt_fetched --option=Debug::NoLocking=true install -y --download-only --no-install-recommends "${later_packages[@]}"
    ) &
    fetching_later=$!
}

end_fetching_later() {
    [ -z "$fetching_later" ] || kill "$fetching_later" 2>/dev/null || true
}

# At once: dpkg unpacks on one processor, pip and the compiler share the other. pip needs nothing of apt but python3-venv,
# the engine what the role measure has; of that the compiler is a good part to begin with.
install_both() { # install_both LOCK
    local status=0 pid writing building first compiler measure next='' rest names
    refresh_lists
    mapfile -t names < <(packages_of measure)
    first=$(missing_of python3-venv) compiler=$(missing_of gcc libc6-dev) measure=$(missing_of "${names[@]}")
    rest=${missing_packages[*]} # apt passes over what an earlier lot brought
    install_lot "$first" "$compiler" || return
    make_environment "$1" >"$pip_log" 2>&1 &
    pid=$!
    install_lot "$compiler" "$measure" || return
    [ ${#later_packages[@]} -gt 0 ] || next=$rest
    begin_to_fetch_later
    install_lot "$measure" "$next" || return
    write_out & # most of it, beside the next packages
    writing=$!
    build &
    building=$!
    install_lot "$rest" "" || return
    wait "$pid" || status=$?
    cat "$pip_log"
    rm -f "$pip_log" # its lines count once
    wait "$writing" "$building" || true
    end_fetching_later
    wait
    write_out
    return $status
}

make_environment_and_build() { # make_environment_and_build LOCK
    local status=0 pid
    build &
    make_environment "$1" & # behind a || it would go on after a command that failed
    pid=$!
    wait "$pid" || status=$?
    wait
    return $status
}

main() {
    local lock right=no
    read_roles "$@"
    if [ $looks = yes ]; then
        look || exit 1
        exit 0
    fi
    look && right=yes
    stop_without_list
    stop_unless_root # also for what is installed later
    [ $right = no ] || exit 0
    local why
    why=$({ mkdir -p "$top/build" && : >>"$top/build/setup.lock"; } 2>&1) ||
        die 1 "no file can be written in $top/build: ${why##*: }" "hint: measure in a checkout of your own, made by git clone"
    exec 9>>"$top/build/setup.lock"
    flock --nonblock 9 || { say "waiting for another set-up of this checkout" && flock 9; }
    look && exit 0
    trap 'rm -rf "$scratch"' EXIT
    : >"$log"
    rm -f "$pip_log"
    lock=$(lock_file)
    if environment_is_right; then
        step apt_so_far "installing Debian packages with what they depend on: ${missing_packages[*]}" \
            install_missing
    else
        rm -f "$(stamp_of "$lock")"
        if [ ${#missing_packages[@]} -gt 0 ]; then
            say "installing at the same time Python packages into .venv from envs/pip/$(basename "$lock")"
            step both_so_far "and Debian packages with what they depend on: ${missing_packages[*]}" install_both "$lock"
        else
            step pip_so_far "installing Python packages into .venv from envs/pip/$(basename "$lock")" \
                make_environment_and_build "$lock"
        fi
        environment_hash "$lock" >"$(stamp_of "$lock")"
        # The larger environment holds the smaller one.
        environment_hash "$top/envs/pip/requirements.txt" >"$(stamp_of requirements.txt)"
    fi
    # Also what an earlier set-up that was interrupted had fetched.
    [ ! -w "$fetched" ] || [ ${#later_packages[@]} -gt 0 ] || rm -rf "$fetched"
    say "ready in $SECONDS s"
}

main "$@"
