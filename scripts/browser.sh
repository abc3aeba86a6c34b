#!/bin/sh
# Brings what the tests of the annotator's page ask for: a browser that is driven, and the checker axe-core.
#
#   sh scripts/browser.sh     what is missing of chromium, chromedriver and axe-core
#
# chromium, chromedriver   what is installed -> apt, as root -> the tests of the page say that they did not run
# axe-core                 VENV/axe-core -> npm, into it -> the one test that asks it says so; our own checks run
#
# pairproof itself needs none of these.  Environment: VENV (.venv), NO_APT=1, AXE_VERSION (the one below).  Always ends
# with 0: what could not be had is named.  Registry, mirrors and proxies are the clients' own settings.
set -u
cd "$(dirname "$0")/.." || exit 1
VENV=${VENV:-.venv}
AXE_VERSION=${AXE_VERSION:-4.14.1}
axe=$VENV/axe-core
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
say() { printf 'browser: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }
# Runs a command silently, for ten minutes at most; on failure shows the end of what it printed.
quietly() {
    if have timeout; then set -- timeout 600 "$@"; fi
    "$@" >"$scratch/log" 2>&1 </dev/null && return 0
    tail -n 5 "$scratch/log" | sed 's/^/        | /' >&2
    return 1
}

# ---- the browser -----------------------------------------------------------------------------------------------------
browser_is_here() { { have chromium || have chromium-browser || have google-chrome; } && have chromedriver; }
may_install() { [ "${NO_APT:-}" != 1 ] && have apt-get && [ "$(id -u)" = 0 ]; }
if ! browser_is_here && may_install; then
    say "apt: chromium chromium-driver"
    quietly apt-get update -qq || say "apt-get update failed; going on with the lists at hand"
    # A font too: on a bare system a page would be all boxes, and its lines of no width.
    DEBIAN_FRONTEND=noninteractive quietly apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends \
        chromium chromium-driver fonts-dejavu-core || say "apt could not install them"
fi
if browser_is_here; then
    say "chromium and chromedriver are here"
else
    say "no chromium with chromedriver: the tests of the page in a browser do not run.  On Debian, as root: apt-get install chromium chromium-driver"
fi

# ---- axe-core --------------------------------------------------------------------------------------------------------
axe_is_here() { [ -s "$axe/axe.min.js" ] && [ "$(cat "$axe/version" 2>/dev/null)" = "$AXE_VERSION" ]; }
if ! axe_is_here && have npm && [ -d "$VENV" ]; then
    # `npm pack` fetches the one file and checks it; it installs and runs nothing of it.
    if (cd "$scratch" && quietly npm pack --silent --fetch-retries=1 --fetch-timeout=60000 "axe-core@$AXE_VERSION" && tar -xzf axe-core-*.tgz); then
        mkdir -p "$axe" && cp "$scratch/package/axe.min.js" "$scratch/package/LICENSE" "$axe/" && echo "$AXE_VERSION" >"$axe/version"
    fi
fi
if axe_is_here; then
    say "axe-core $AXE_VERSION is in $axe"
else
    say "no axe-core $AXE_VERSION: the test that asks it does not run.  With npm: run this again; or PAIRPROOF_AXE=axe.min.js make test"
fi
exit 0
