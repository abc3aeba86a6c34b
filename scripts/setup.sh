#!/bin/sh
# Makes this machine ready to run pairproof: R, its packages, and a Python environment.  `make` calls it; run it at will.
#
#   sh scripts/setup.sh            everything that is missing
#   sh scripts/setup.sh quick      nothing at all if the last run still holds, else everything
#   sh scripts/setup.sh system     only what the distribution's package manager gives (the part that needs root)
#   sh scripts/setup.sh r-packages only R's packages, and all of them: also those that are marked on-request in
#                                  r_requirements.txt.  What cannot be had is named; only without R it fails
#   sh scripts/setup.sh group NAME a dependency group of pyproject.toml (docs, format, package), into the environment
#                                  that is there
#
# R, R packages    what is installed -> apt, as root -> R_TARBALLS, CRAN, CRAN's archive -> recorded results stand in
# Python           what is in VENV -> PyPI in a plain venv -> Debian's python3-* in a venv that sees them -> this Python's own
#
# Environment: VENV (.venv), PYTHON (an interpreter to prefer), ROUTE (auto, pypi, installed), NO_APT=1, R_TARBALLS
# (source packages brought from elsewhere: a directory, or files).  Mirrors and proxies are the clients' own settings.
set -u
cd "$(dirname "$0")/.." || exit 1
verb=${1:-all}
VENV=${VENV:-.venv}
ROUTE=${ROUTE:-auto}
stamp=$VENV/.pairproof-setup
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

# The distribution's names of pyproject.toml's dependencies, of its extra r and of its group test.
DEBIAN_PYTHON="python3-numpy python3-pandas python3-scipy python3-click python3-jinja2 python3-matplotlib python3-rich
    python3-packaging python3-patsy python3-rpy2 python3-pytest python3-pytest-timeout python3-pytest-xdist python3-hypothesis
    python3-jsonschema python3-mpmath python3-mypy python3-setuptools python3-statsmodels python3-wheel"
CURE_R="R: on Debian or Ubuntu 'apt-get install r-base-core', with conda 'conda install -c conda-forge r-base', with Homebrew
        'brew install r', else the installer of the R project; then run this again"

started=$(date +%s)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
say() { printf '[%3ss] %s\n' "$(($(date +%s) - started))" "$*"; }
warn() { say "WARNING: $*" >&2; }
die() {
    say "ERROR: $*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
# Runs a command silently; on failure shows the end of what it printed.
quietly() {
    "$@" >"$scratch/log" 2>&1 </dev/null && return 0
    quietly_status=$?
    tail -n 15 "$scratch/log" | sed 's/^/        | /' >&2
    return $quietly_status
}

# ---- one set-up at a time ----------------------------------------------------------------------------------------------
# Two `make` at once would each build and remove the same environment.  The lock is the kernel's where there is flock, so
# that it ends with its holder however that ends, and with the apt or pip that it left running; else a folder that names
# its holder, which is taken over from a process that is no more.
lock=$VENV.lock
holder() { cat "$lock" "$lock.d/pid" 2>/dev/null | head -n 1; }
wait_for_it() { say "another set-up of this checkout is running (process $(holder)): waiting for it to end"; }
alone() {
    if have flock; then
        exec 9>>"$lock" || die "cannot write $lock"
        flock -n 9 || { wait_for_it && flock 9; } || die "cannot lock $lock"
        echo $$ >"$lock"
        return
    fi
    told=no
    until mkdir "$lock.d" 2>/dev/null; do
        [ -w "$(dirname "$lock")" ] || die "cannot write $lock.d"
        gone=$(cat "$lock.d/pid" 2>/dev/null)
        # One of those who wait may take it over, and only if it still names the process that is no more: that one may
        # have given it back before it ended, and another have it now.
        if [ -n "$gone" ] && ! kill -0 "$gone" 2>/dev/null && mkdir "$lock.d/taken" 2>/dev/null; then
            if [ "$(cat "$lock.d/pid" 2>/dev/null)" = "$gone" ]; then rm -rf "$lock.d"; else rm -rf "$lock.d/taken"; fi
            continue
        fi
        [ $told = yes ] || { wait_for_it && told=yes; }
        sleep 1
    done
    trap 'rm -rf "$scratch" "$lock.d"' EXIT
    echo $$ >"$lock.d/pid"
}
keyword() { sed -n "s/^$1 \\(.*[^ ]\\) *\$/\\1/p" "$2"; }

# ---- the last run, if it still holds ---------------------------------------------------------------------------------
# What the set-up depends on: the files that describe it, and where it was made.
fingerprint() { { cat scripts/setup.sh scripts/install_r_packages.R pyproject.toml r_requirements.txt && pwd -P; } | cksum; }

# One line for each thing that pairproof and its tests ask for and do not find; see pairproof/cli/.
diagnose() { "$VENV/bin/python" -m pairproof.cli.doctor --for-setup >"$1" 2>"$scratch/doctor.err"; }

tell_missing() {
    [ -s "$1" ] || return 0
    say "not found on this machine (recorded results stand in for R; 'make setup' tries again):"
    cut -f 2- "$1" | sed 's/	/: /; s/^/          /'
}

# Holds if nothing that set-up depends on has changed and nothing is missing now that was there then.
last_run_holds() {
    [ -x "$VENV/bin/python" ] && [ -x "$VENV/bin/pairproof" ] && [ -f "$stamp" ] && [ "$(head -n 1 "$stamp")" = "$(fingerprint)" ] || return 1
    diagnose "$scratch/now" || return 1
    cut -f 1-2 "$stamp" >"$scratch/then"
    cut -f 1-2 "$scratch/now" | while IFS= read -r line; do grep -qxF "$line" "$scratch/then" || exit 1; done || return 1
    tell_missing "$scratch/now"
}

alone
if [ "$verb" = quick ]; then
    last_run_holds && exit 0
    say "setting up (the first time takes minutes; see scripts/setup.sh)"
fi

# ---- apt -------------------------------------------------------------------------------------------------------------
apt_usable=no
[ "${NO_APT:-}" = 1 ] || { have apt-get && [ "$(id -u)" = 0 ] && apt_usable=yes; }
if [ $apt_usable = no ] && have apt-get && [ "${NO_APT:-}" != 1 ]; then
    say "not root: using what is installed; 'sudo sh scripts/setup.sh system' installs what apt has"
fi

apt_refresh() {
    [ ! -f "$scratch/refreshed" ] || return 0
    quietly apt-get update -qq || warn "apt-get update failed; going on with the lists at hand"
    : >"$scratch/refreshed"
}
installed() { dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }
# Installs those of its arguments that are not; fails without a word when apt is not ours to use.
apt_install() {
    absent=
    for package in "$@"; do installed "$package" || absent="$absent $package"; done
    [ -n "$absent" ] || return 0
    [ $apt_usable = yes ] || return 1
    apt_refresh
    # shellcheck disable=SC2086  # a list of names
    set -- $absent
    say "apt: $*"
    quietly apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends "$@"
}
apt_knows() { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }
[ $apt_usable = no ] || apt_install ca-certificates || warn "no CA certificates: secure mirrors may not be reached"

# ---- R ---------------------------------------------------------------------------------------------------------------
# R reads the site's start-up files and those of the home, as pairproof/files/r_startup.py says, not the folder's.
: "${R_ENVIRON_USER=${HOME:+$HOME/.Renviron}}" "${R_PROFILE_USER=${HOME:+$HOME/.Rprofile}}"
export R_ENVIRON_USER R_PROFILE_USER
r_version=
find_r() { r_version=$(Rscript --no-init-file -e 'cat(format(getRversion()))' 2>/dev/null) || r_version=; }
find_r
if [ -z "$r_version" ]; then
    apt_install r-base-core || warn "R is not installed, and could not be: its recorded results stand in.  To have $CURE_R"
    find_r
fi
which_packages=asked
[ "$verb" != r-packages ] || which_packages=all
find_lacking() {   # sets lacking: what of r_requirements.txt this R cannot load, or has too old
    quietly Rscript --no-init-file scripts/install_r_packages.R lacking r_requirements.txt $which_packages || die "R could not look for its packages"
    cp "$scratch/log" "$scratch/lacking"
    lacking=$(keyword LACKING "$scratch/lacking")
}
# A distribution's r-cran-* packages are seen by the distribution's R only, not by one from conda or /opt.
r_is_distributions() { case $(R RHOME) in /usr/lib/R | /usr/lib64/R) return 0 ;; *) return 1 ;; esac; }

r_packages_from_apt() {
    [ $apt_usable = yes ] && r_is_distributions || return 0
    apt_refresh
    debian=
    for name in "$@"; do
        package=r-cran-$(printf %s "$name" | tr '[:upper:]' '[:lower:]')
        apt_knows "$package" && debian="$debian $package"
    done
    # shellcheck disable=SC2086
    apt_install $debian || warn "apt could not install$debian"
}

r_packages_from_cran() {
    library=$(keyword LIBRARY "$scratch/lacking")
    say "CRAN or R_TARBALLS: $*"
    Rscript scripts/install_r_packages.R plan "$@" >"$scratch/plan"
    if grep -q '^CRAN yes' "$scratch/plan" || [ -n "${R_TARBALLS:-}" ]; then
        # What they need in turn comes built from the distribution where it can.
        # shellcheck disable=SC2046
        r_packages_from_apt $(keyword PLAN "$scratch/plan")
        apt_install r-base-dev || have gfortran || warn "no compilers found: building R packages may fail"
    fi
    quietly Rscript scripts/install_r_packages.R install "$library" "$@" || warn "R could not install $*"
    standin=$(keyword STANDIN "$scratch/log")
    [ -z "$standin" ] || say "$standin"
}

if [ -n "$r_version" ]; then
    say "R $r_version"
    find_lacking
    # shellcheck disable=SC2086
    [ -z "$lacking" ] || { r_packages_from_apt $lacking && find_lacking; }
    # shellcheck disable=SC2086
    [ -z "$lacking" ] || [ "$verb" = system ] || { r_packages_from_cran $lacking && find_lacking; }
    [ "$verb" != system ] || lacking=
    [ "$verb" != r-packages ] || [ -n "$lacking" ] || say "all of R's packages in r_requirements.txt are here"
    for name in $lacking; do
        warn "R package $name is missing or too old: neither apt nor CRAN gave it.  With ${name}_*.tar.gz from a machine that reaches CRAN: R_TARBALLS=folder make $([ "$verb" = r-packages ] && echo r-packages || echo setup)"
    done
fi
if [ "$verb" = r-packages ]; then
    [ -n "$r_version" ] || die "no R here to give packages to"
    [ -z "$lacking" ] || say "recorded results stand in for what is missing"
    exit 0
fi

# ---- Python ----------------------------------------------------------------------------------------------------------
# rpy2's C layer follows R's C API, which its metadata cannot say: 3.6.6 asks for R 4.5, R 4.6 asks for 3.6.7.
rpy2_constraint() {
    case $r_version in
        3.* | 4.[0-4].*) echo 'rpy2-rinterface<3.6.6' ;;
        4.5.*) ;;
        *) echo 'rpy2-rinterface>=3.6.7' ;;
    esac
}
fit_for_us() { "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; }
first_fit_python() {
    for candidate in ${PYTHON:-} python3 /usr/bin/python3 python3.13 python3.12 python3.11 python3.10; do
        fit_for_us "$candidate" && command -v "$candidate" && return 0
    done
    return 1
}
make_venv() {   # interpreter, then options of venv
    if [ -e "$VENV" ] && [ ! -f "$VENV/pyvenv.cfg" ] && [ ! -f "$VENV.unfinished" ]; then
        die "$VENV is there and is no Python environment: move it away"
    fi
    : >"$VENV.unfinished"   # what is there from here on is ours, though this be interrupted
    rm -rf "$VENV" || die "cannot remove $VENV"
    interpreter=$1
    shift
    quietly "$interpreter" -m venv "$@" "$VENV" || die "$interpreter could not make $VENV"
    rm -f "$VENV.unfinished"
}
pip() { quietly "$VENV/bin/python" -m pip --disable-pip-version-check "$@"; }
pip_runs() { "$VENV/bin/python" -m pip --version >/dev/null 2>&1 </dev/null; }
sees_system() { grep -qi '^include-system-site-packages *= *true' "$VENV/pyvenv.cfg" 2>/dev/null; }
install_checkout() { pip install -q --no-index --no-build-isolation --no-deps -e .; }
python_complete() {
    diagnose "$scratch/now" && ! grep -q '^python' "$scratch/now" || return 1
    [ -z "$r_version" ] || ! grep -q '^rpy2' "$scratch/now"
}
pypi_answers() { "$VENV/bin/python" -m pip --retries 0 --timeout 8 download -q --no-deps -d "$scratch/probe" click >/dev/null 2>&1 </dev/null; }

group() { "$VENV/bin/python" scripts/group.py "$1" >"$scratch/group"; }   # name; pip reads groups from 25.1 on only

from_pypi() {
    rpy2_constraint >"$scratch/constraint"
    group test || return 1
    pip install -q -c "$scratch/constraint" -e . -r "$scratch/group" || return 1
    [ -n "$r_version" ] || return 0
    apt_install r-base-dev python3-dev
    pip install -q -c "$scratch/constraint" -e '.[r]' && return 0
    warn "rpy2 was not installed; trying again without a compiler"
    RPY2_CFFI_MODE=ABI pip install -q -c "$scratch/constraint" -e '.[r]' || warn "no rpy2: R's numbers come from the recorded results"
}
from_this_machine() {   # no index: what the distribution, conda or the user has put there
    # shellcheck disable=SC2086
    if apt_install python3 python3-venv $DEBIAN_PYTHON; then
        make_venv /usr/bin/python3 --system-site-packages   # Debian's modules belong to it alone, whatever PATH says
    else
        complete=
        for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
            fit_for_us "$candidate" && "$candidate" -c 'import numpy, pandas, scipy, click, jinja2, matplotlib, patsy, rich' 2>/dev/null && complete=$candidate && break
        done
        [ -n "$complete" ] || die "no PyPI, and no Python here has numpy, pandas, scipy, click, jinja2, matplotlib, patsy and rich.  On Debian or Ubuntu: 'sudo sh scripts/setup.sh system'; with conda: 'conda install -c conda-forge' these; else connect to PyPI"
        make_venv "$(command -v "$complete")" --system-site-packages
    fi
    install_checkout || die "pairproof could not be installed into $VENV (see above)"
}
set_up_python() {
    if [ -x "$VENV/bin/python" ]; then
        # Not a word of pip's here: an interrupted set-up leaves a pip that is half there, or half of a package, and what
        # is wrong beyond that comes up again below.
        if install_checkout 2>/dev/null && python_complete; then
            say "$VENV has what is needed"
            return 0
        fi
        say "$VENV is not complete (its set-up was interrupted, or asks for more than is there): mending it"
    fi
    if [ "$ROUTE" != installed ]; then
        first=$(first_fit_python) || { apt_install python3 python3-venv && first=$(first_fit_python); } ||
            die "no Python of version 3.10 or later with venv.  On Debian or Ubuntu: apt-get install python3-venv"
        # Debian's rpy2 beside one from PyPI breaks both, so an environment that sees the system's is made anew.
        # And so is one whose own pip was left half there.
        if [ ! -x "$VENV/bin/python" ] || sees_system || ! pip_runs; then make_venv "$first"; fi
        if pypi_answers; then
            say "PyPI answers: installing into $VENV with $first"
            if from_pypi && diagnose "$scratch/now" && ! grep '^python' "$scratch/now" >&2; then return 0; fi
            [ "$ROUTE" = auto ] || die "the PyPI route failed (see above)"
            warn "PyPI gave not all; going on with what this machine has"
        elif [ "$ROUTE" = pypi ]; then
            die "PyPI does not answer"
        fi
    fi
    say "not PyPI: using this machine's own Python packages"
    from_this_machine
}
if [ "$verb" = group ]; then
    [ -x "$VENV/bin/python" ] || die "no environment in $VENV yet: make setup"
    group "${2:-}" || exit 1
    pip install -q -r "$scratch/group" && exit 0
    die "pip could not install the group $2: $(tr '\n' ' ' <"$scratch/group")- without PyPI they are the distribution's python3-* packages"
fi
if [ "$verb" = system ]; then
    # shellcheck disable=SC2086
    apt_install python3 python3-venv r-base-dev python3-dev $DEBIAN_PYTHON || die "apt could not install everything (are you root?)"
    exit 0
fi
set_up_python

# ---- what came of it -------------------------------------------------------------------------------------------------
diagnose "$scratch/now" || die "pairproof does not start: $(tail -n 1 "$scratch/doctor.err")"
{ fingerprint && cat "$scratch/now"; } >"$stamp"
tell_missing "$scratch/now"
if grep -q '^python' "$scratch/now"; then
    rm -f "$stamp"
    die "the Python environment is not complete"
fi
say "ready: $VENV"
