#!/bin/sh
# Runs `make validate` and `make test` on a fresh Debian: a new tree of that suite with nothing in it but its essential
# packages, make and the CA certificates, a clean checkout of HEAD, and a chroot into it.  Needs root, debootstrap, make.
#
#   sudo sh scripts/fresh.sh bookworm                       Debian 12; trixie is Debian 13, sid is unstable
#   sudo sh scripts/fresh.sh sid --pandas3                  with experimental's python3-pandas
#   sudo sh scripts/fresh.sh bookworm --with libopenblas0 --threads 1,2
#
#   --with PACKAGE     installs this Debian package first; may be given again
#   --pandas3          takes python3-pandas from experimental (with sid)
#   --expired          takes a mirror whose release files are past their date (a mirror that stands still)
#   --threads N,...    runs everything once for each number of threads of the linear algebra (default 1)
#   --only WHAT        validate or test (default both), or setup, which runs neither
#   --run COMMAND      runs this in the checkout instead, as in --run '.venv/bin/python -m pytest tests/bridge'
#   --base FOLDER      keeps the tree as it is after set-up there, and starts from it when it is there already: repeats
#                      take minutes less, and say in the table that they did not start from nothing
#   --in FOLDER        where the tree is made (default: a new folder under TMPDIR, else the machine's large temporary one)
#   --keep             leaves the tree there, to look at
#   --logs FOLDER      where each command's output goes (default: reports/fresh here)
#
# The mirror is the one this machine's apt takes Debian from (FRESH_MIRROR names another); apt's and pip's settings, R's
# mirror, proxies and added CA certificates of this machine hold in the tree too.  ../shared is copied in where it is here.
# PYTEST_ARGS and PAIRPROOF_REQUIRE_R reach the tests.  Exit 0 when all passed, 1 when something failed, 2 when it could
# not be run.
#
# Nothing of this machine is mounted in the tree: its /proc, /dev/pts and /dev/shm are its own, in a mount namespace that
# ends with the run, however it ends; so removing the tree cannot reach through to anything.
set -u

repository=$(cd "$(dirname "$0")/.." && pwd -P) || exit 2
started=$(date +%s)
say() { printf '[%5ss] %s\n' "$(($(date +%s) - started))" "$*"; }
die() {
    printf 'fresh.sh: %s\n' "$*" >&2
    exit 2
}

# ---- what was asked --------------------------------------------------------------------------------------------------
[ $# -gt 0 ] || set -- --help
suite=
with=
pandas3=no
expired=no
threads=1
only="validate test"
command=
base=
place=
keep=no
logs=$repository/reports/fresh
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p;}' "$0"
            exit 0
            ;;
        --pandas3) pandas3=yes ;;
        --keep) keep=yes ;;
        --expired) expired=yes ;;
        --with | --threads | --only | --run | --base | --in | --logs)
            [ $# -gt 1 ] || die "$1 needs a value"
            case $1 in
                --with) with="$with $2" ;;
                --threads) threads=$2 ;;
                --only) only=$2 ;;
                --run) only=run command=$2 ;;
                --base) base=$2 ;;
                --in) place=$2 ;;
                --logs) logs=$2 ;;
            esac
            shift
            ;;
        -*) die "unknown option $1; see --help" ;;
        *)
            [ -z "$suite" ] || die "one suite at a time: $suite or $1"
            suite=$1
            ;;
    esac
    shift
done
case $suite in '' | *[!a-z0-9-]*) die "which suite? bookworm, trixie, sid; see --help" ;; esac
for package in $with; do
    case $package in [!a-z0-9]* | *[!a-z0-9.+-]*) die "--with $package: not the name of a Debian package" ;; esac
done
for number in $(echo "$threads" | tr , ' '); do
    case $number in *[!0-9]* | 0*) die "--threads $threads: expected whole numbers from 1, as in 1,2" ;; esac
done
case $only in validate | test | setup | run | "validate test") ;; *) die "--only $only: expected validate, test or setup" ;; esac
[ "$(id -u)" = 0 ] || die "not root: debootstrap and chroot need it; run it with sudo"
for tool in debootstrap chroot unshare git; do
    command -v $tool >/dev/null 2>&1 || die "$tool is not here; on Debian: apt-get install debootstrap git"
done

# ---- what this machine says about mirrors ------------------------------------------------------------------------------
# The mirror of the first of apt's sources whose release calls itself Debian's; before the first `apt-get update`, the first.
mirror_of_apt() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null >"$scratch/targets"
    { grep '^Debian|Debian|' "$scratch/targets" || grep '^|' "$scratch/targets"; } | head -n 1 | cut -d '|' -f 3
}
mirror_of_r() {
    command -v Rscript >/dev/null 2>&1 || return 0
    # Of the site and the home, not of the current folder.
    R_ENVIRON_USER=${R_ENVIRON_USER-${HOME:+$HOME/.Renviron}} R_PROFILE_USER=${R_PROFILE_USER-${HOME:+$HOME/.Rprofile}} \
        Rscript -e 'm <- getOption("repos")["CRAN"]; if (isTRUE(grepl("^[a-z]+://", m))) cat("MIRROR", m, "\n")' 2>/dev/null |
        sed -n 's/^MIRROR \(.*[^ ]\) *$/\1/p'
}

scratch=$(mktemp -d) || exit 2
if [ -z "$place" ]; then place=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-$suite.XXXXXX") || exit 2; fi
case $place in /*) ;; *) place=$(pwd -P)/$place ;; esac
case ${base:-/} in /*) ;; *) base=$(pwd -P)/$base ;; esac
tree=$place/tree
running=

# A tree is removed only if this script made it, and never across a mount.
remove_tree() {
    [ -e "$1" ] || return 0
    [ -f "$1.made-by-fresh.sh" ] || { say "$1 was not made by this script: left there"; return 0; }
    if grep -q " $(realpath "$1")/" /proc/self/mounts; then
        say "something is mounted below $1: left there"
        return 0
    fi
    rm -rf --one-file-system "$1" && rm -f "$1.made-by-fresh.sh"
}
leave() {
    status=$?
    trap - EXIT INT TERM HUP
    # The death of unshare ends everything in its namespace (--kill-child), and with it the mounts.
    if [ -n "$running" ]; then kill -KILL "$running" 2>/dev/null && wait "$running" 2>/dev/null; fi
    if [ $keep = yes ]; then say "the tree is left in $tree"; else
        remove_tree "$tree"
        rmdir "$place" 2>/dev/null
    fi
    rm -rf "$scratch"
    exit $status
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Runs a command in mount and process namespaces of its own; what it prints goes to a file of the logs.
apart() {   # log file, command and its arguments
    apart_log=$1
    shift
    unshare --mount --propagation private --pid --fork --kill-child "$@" </dev/null >"$apart_log" 2>&1 &
    running=$!
    wait $running
    apart_status=$?
    running=
    return $apart_status
}
# The same inside the tree, in the checkout.
inside() { apart "$1" sh -c "$IN_THE_TREE" fresh "$tree" "$2"; }   # log file, command
# shellcheck disable=SC2016  # expanded there
IN_THE_TREE='
    mount -t proc proc "$1/proc" && mount -t tmpfs -o mode=1777 shm "$1/dev/shm" &&
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$1/dev/pts" || exit 2
    exec chroot "$1" /usr/bin/env -i /bin/sh -c ". /etc/fresh-environment && cd /srv/pairproof/main && exec /bin/sh -c \"\$1\"" fresh "$2"
'
must() {   # what it is, log file, command
    inside "$2" "$3" && return 0
    tail -n 20 "$2" | sed 's/^/        | /' >&2
    ! grep -q 'Release file .* is expired' "$2" || say "the mirror's release files are past their date: --expired takes them all the same"
    die "$1 failed (the end of $2 stands above)"
}

# ---- the tree ----------------------------------------------------------------------------------------------------------
configure() {   # the parts of this machine's configuration that say where packages come from
    cp -L /etc/resolv.conf /etc/hosts "$tree/etc/" 2>/dev/null
    apt-config dump 2>/dev/null | grep -E '^Acquire::([a-z]+::(Proxy|CaInfo|Verify|Timeout)|Retries|ForceIPv)' >"$tree/etc/apt/apt.conf.d/90-of-this-machine"
    [ $expired = no ] || echo 'Acquire::Check-Valid-Until "false";' >>"$tree/etc/apt/apt.conf.d/90-of-this-machine"
    mkdir -p "$tree/usr/local/share/ca-certificates" "$tree/root"
    for certificate in /usr/local/share/ca-certificates/*.crt; do
        [ ! -f "$certificate" ] || cp -L "$certificate" "$tree/usr/local/share/ca-certificates/"
    done
    for settings in /etc/pip.conf "${HOME:-/root}/.config/pip/pip.conf" "${HOME:-/root}/.pip/pip.conf"; do
        [ ! -f "$settings" ] || { cp -L "$settings" "$tree/etc/pip.conf" && break; }
    done
    cran=$(mirror_of_r)
    [ -z "$cran" ] || printf 'local({ r <- getOption("repos"); r["CRAN"] <- "%s"; options(repos = r) })\n' "$cran" >"$tree/root/.Rprofile"
    printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d" && chmod 755 "$tree/usr/sbin/policy-rc.d"
    printf '127.0.0.1 localhost\n' | { grep -q localhost "$tree/etc/hosts" 2>/dev/null || cat >>"$tree/etc/hosts"; }
}
environment() {   # threads: what a command in the tree sees of the environment, and nothing else
    {
        echo 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive'
        echo "export OMP_NUM_THREADS=$1 OPENBLAS_NUM_THREADS=$1 PAIRPROOF_REQUIRE_R=1"
        env | sed -n 's/^\([a-z]*_proxy\|[A-Z]*_PROXY\|PIP_[A-Z_]*\|SSL_CERT_[A-Z]*\|CURL_CA_BUNDLE\|REQUESTS_CA_BUNDLE\|PYTEST_ARGS\|PAIRPROOF_REQUIRE_R\)=.*/\1/p' |
            while read -r name; do eval "printf 'export %s=%s\n' \"\$name\" \"\$(quoted \"\$$name\")\""; done
    } >"$tree/etc/fresh-environment"
}
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }

mkdir -p "$place" "$logs" || die "cannot make $place and $logs"
logs=$(cd "$logs" && pwd -P)
[ ! -e "$tree" ] || die "$tree is there already: remove it, or choose another folder with --in"
label=$suite$([ $pandas3 = no ] || echo +pandas3)$(for package in $with; do printf '+%s' "$package"; done)
kept=${base:+$base/$label}
log() { echo "$logs/$label-$1.log"; }
: >"$tree.made-by-fresh.sh"

from=nothing
if [ -n "$kept" ] && [ -f "$kept.made-by-fresh.sh" ]; then
    from="the set-up tree of $(cat "$kept.made-by-fresh.sh")"
    say "$label: starting from $from"
    cp -a --reflink=auto "$kept" "$tree" || die "cannot copy $kept"
    configure
    environment 1
else
    mirror=${FRESH_MIRROR:-$(mirror_of_apt)}
    [ -n "$mirror" ] || die "apt on this machine names no mirror of Debian: say FRESH_MIRROR=http://... "
    say "$label: debootstrap"
    apart "$(log debootstrap)" debootstrap --variant=minbase --include=ca-certificates,make "$suite" "$tree" "$mirror" ||
        { tail -n 5 "$(log debootstrap)" >&2; die "debootstrap failed; see $(log debootstrap)"; }
    configure
    environment 1
    mkdir -p "$tree/srv/pairproof/main"
    must "update-ca-certificates" "$(log certificates)" "update-ca-certificates"
    if [ $pandas3 = yes ]; then
        echo "deb $mirror experimental main" >"$tree/etc/apt/sources.list.d/experimental.list"
        say "$label: python3-pandas from experimental"
        must "pandas of experimental" "$(log pandas3)" "apt-get update -qq && apt-get install -y -qq --no-install-recommends -t experimental python3-pandas"
    fi
    if [ -n "$with" ]; then
        say "$label: apt-get install$with"
        must "apt-get install$with" "$(log with)" "apt-get update -qq && apt-get install -y -qq --no-install-recommends$with"
    fi
fi

# ---- the checkout ------------------------------------------------------------------------------------------------------
commit=$(git -C "$repository" rev-parse --short HEAD) || die "$repository is no git checkout"
[ -z "$(git -C "$repository" status --porcelain)" ] || say "$label: the working tree has changes that are not committed: they are not run"
mkdir -p "$tree/srv/pairproof/main"
git -C "$repository" archive --format=tar HEAD | tar -x -f - -C "$tree/srv/pairproof/main" || die "cannot copy the checkout"
[ ! -d "$repository/../shared" ] || cp -rL "$repository/../shared" "$tree/srv/pairproof/shared" || die "cannot copy ../shared"

say "$label: make setup of $commit"
set_up_from=$(date +%s)
must "make setup" "$(log setup)" "make setup"
set_up_seconds=$(($(date +%s) - set_up_from))
if [ -n "$kept" ] && [ ! -f "$kept.made-by-fresh.sh" ]; then
    say "$label: keeping the tree, without the checkout, in $kept"
    mkdir -p "$base"
    rm -rf --one-file-system "$kept"
    cp -a --reflink=auto "$tree" "$kept" && rm -rf --one-file-system "$kept/srv/pairproof" && date -u +%Y-%m-%d >"$kept.made-by-fresh.sh" ||
        die "cannot keep the tree in $kept"
fi

# ---- the runs ----------------------------------------------------------------------------------------------------------
VERSIONS='
import importlib.metadata as m, os, platform
from pairproof.bridge.process.session import session
r = session().info()
rpy2 = next((m.version(n) for n in ("rpy2", "rpy2-rinterface") if list(m.distributions(name=n))), "none")
print("VERSIONS", "Python", platform.python_version(), *(f"{n} {m.version(n)}" for n in ("numpy", "pandas", "click")), "R", r.r_version,
      "rpy2", rpy2, "BLAS", os.path.basename(r.blas or "unknown"))
'
environment 1
printf %s "$VERSIONS" >"$tree/srv/pairproof/versions.py"
inside "$(log versions)" ".venv/bin/python ../versions.py"
versions=$(sed -n 's/^VERSIONS //p' "$(log versions)")

rows=$scratch/rows
failed=no
for number in $(echo "$threads" | tr , ' '); do
    environment "$number"
    for name in $only; do
        case $name in
            setup) continue ;;
            run) line=$command ;;
            *) line="make $name" ;;
        esac
        file=$(log "$name-$number")
        say "$label: $line, threads $number"
        from_second=$(date +%s)
        if inside "$file" "$line"; then outcome=passed; else outcome="FAILED ($apart_status)" failed=yes; fi
        # pytest's closing line, else the command's own last one.
        closing=$(grep -E '^=+ .*(passed|failed|error).* in ' "$file" | tail -n 1 | sed 's/=//g; s/^ *//; s/ *$//')
        [ -n "$closing" ] || closing=$(grep -v '^ *$' "$file" | tail -n 1 | cut -c 1-90)
        printf '  %-9s %-7s %-12s %6s s  %s\n' "$name" "$number" "$outcome" "$(($(date +%s) - from_second))" "$closing" >>"$rows"
    done
done

echo
echo "$label at $commit; ${versions:-versions unknown, see $(log versions)}"
echo "  started from $from; set-up $set_up_seconds s, in all $(($(date +%s) - started)) s; output in $logs"
printf '  %-9s %-7s %-12s %8s  %s\n' what threads outcome seconds "closing line"
[ ! -f "$rows" ] || cat "$rows"
[ $failed = no ]
