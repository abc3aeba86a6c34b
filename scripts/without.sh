#!/bin/sh
# Runs a command as on a machine that lacks something, whatever is installed here.  Nothing is removed, and nobody else
# notices: the command gets a PATH, and an R home, of links to the rest.
#
#   sh scripts/without.sh r-packages -- make suite         without R's optional packages
#   sh scripts/without.sh r browser -- make suite          without R, and without a browser
#
#   r-packages   keeps base R's own packages, those that r_requirements.txt marks as required, and what these need in turn
#   r            hides R and Rscript
#   browser      hides chromium, google-chrome and chromedriver
#
# It says what it hides, and proves it: if something hidden can still be found, the command is not run (exit 2).  The
# command gets the names in PAIRPROOF_HIDDEN, and the suite asks for each of them once more, by its own ways to R: it
# does not begin if one answers.  What an environment of Python holds is not hidden: make one without it.
set -u
repository=$(cd "$(dirname "$0")/.." && pwd -P) || exit 2
say() { printf 'without: %s\n' "$*"; }
die() {
    printf 'without.sh: %s\n' "$*" >&2
    exit 2
}

[ $# -gt 0 ] || set -- --help
what=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p;}' "$0"
            exit 0
            ;;
        --) shift && break ;;
        r | r-packages | browser) what="$what $1" ;;
        *) die "$1: expected r-packages, r, browser, then -- and a command; see --help" ;;
    esac
    shift
done
[ -n "$what" ] || die "what is to be hidden? r-packages, r, browser; see --help"
[ $# -gt 0 ] || die "no command after --; see --help"

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$scratch/nothing" "$scratch/bin" || exit 2
hidden=${PAIRPROOF_HIDDEN:-}

# ---- programs --------------------------------------------------------------------------------------------------------
# A folder of PATH that has one of them is replaced by a folder of links to everything else in it.
hide_programs() {   # their names
    new=
    place=0
    old_ifs=$IFS
    IFS=:
    for folder in $PATH; do
        IFS=$old_ifs
        for program in "$@"; do
            [ -e "$folder/$program" ] || continue
            place=$((place + 1))
            mkdir "$scratch/path-$1-$place" && ln -s "$folder"/* "$scratch/path-$1-$place/" || die "cannot link $folder"
            folder=$scratch/path-$1-$place
            (cd "$folder" && rm -f "$@")
            break
        done
        new=${new:+$new:}$folder
        IFS=:
    done
    IFS=$old_ifs
    PATH=$new
    for program in "$@"; do
        ! command -v "$program" >/dev/null 2>&1 || die "$program is still found: $(command -v "$program")"
    done
}

# ---- R's packages ----------------------------------------------------------------------------------------------------
# R's own folder of packages cannot be taken from its search path, and holds more than base R on most systems.  So R gets
# a home of links, whose library has links to what is kept.
hide_r_packages() {
    home=$(R RHOME 2>/dev/null) && [ -x "$home/bin/R" ] || die "no R here; without it, hide r"
    Rscript --no-init-file "$repository/scripts/install_r_packages.R" kept "$repository/r_requirements.txt" >"$scratch/kept" ||
        die "R could not say which packages it has"
    copy=$scratch/R
    mkdir "$copy" "$copy/bin" "$copy/etc" "$copy/library" || exit 2
    for part in "$home"/*; do
        case ${part##*/} in bin | etc | library | site-library) ;; *) ln -s "$part" "$copy/" ;; esac
    done
    ln -s "$home"/bin/* "$copy/bin/" && ln -s "$home"/etc/* "$copy/etc/" || die "cannot link $home"
    rm -f "$copy/bin/R" "$copy"/etc/Renviron*
    sed "s|^R_HOME_DIR=.*|R_HOME_DIR=$copy|" "$home/bin/R" >"$copy/bin/R" && chmod +x "$copy/bin/R"
    # No other library, also where a program starts R in an environment of its own.
    for file in "$home"/etc/Renviron "$home"/etc/Renviron.site; do
        if [ -f "$file" ]; then sed '/^R_LIBS/d' "$file" >"$copy/etc/${file##*/}"; fi
    done
    printf 'R_LIBS_SITE=%s\nR_LIBS_USER=%s\n' "$scratch/nothing" "$scratch/nothing" >>"$copy/etc/Renviron"
    sed -n 's/^KEPT //p' "$scratch/kept" | while IFS= read -r package; do ln -s "$package" "$copy/library/"; done
    rscript=$(command -v Rscript)
    # Rscript knows its R from when it was built, so it is told, also where a program calls that of R's own folder.
    rm -f "$copy/bin/Rscript"
    printf '#!/bin/sh\nRHOME=%s exec %s "$@"\n' "$copy" "$rscript" >"$copy/bin/Rscript" && chmod +x "$copy/bin/Rscript"
    ln -s "$copy/bin/R" "$copy/bin/Rscript" "$scratch/bin/"
    PATH=$scratch/bin:$PATH
    R_LIBS_SITE=$scratch/nothing R_LIBS_USER=$scratch/nothing
    export R_LIBS_SITE R_LIBS_USER
    unset R_LIBS R_HOME

    gone=$(sed -n 's/^OPTIONAL //p' "$scratch/kept")
    # shellcheck disable=SC2046  # lists of names
    say "R packages kept:" $(sed -n 's/^STAYS //p' "$scratch/kept")
    # shellcheck disable=SC2046
    say "R packages hidden:" $(sed -n 's/^HIDDEN //p' "$scratch/kept" | grep . || echo none was there)
    hidden="$hidden $(echo $gone)"
    for how in --vanilla --no-init-file; do
        # shellcheck disable=SC2086
        Rscript $how -e 'for (name in commandArgs(TRUE)) if (requireNamespace(name, quietly = TRUE)) cat("FOUND", name, "\n")' \
            $gone >"$scratch/proof" 2>&1 || die "R does not start without them: $(tail -n 1 "$scratch/proof")"
        ! grep '^FOUND' "$scratch/proof" || die "R ($how) still loads what was to be hidden (see above)"
    done
}

for part in $what; do
    case $part in
        r)
            hide_programs R Rscript
            unset R_HOME
            hidden="$hidden R"
            say "R hidden"
            ;;
        browser)
            hide_programs chromium chromium-browser google-chrome chromedriver
            hidden="$hidden chromium"
            say "browser hidden"
            ;;
        r-packages) hide_r_packages ;;
    esac
done
PAIRPROOF_HIDDEN=$(echo $hidden)
export PATH PAIRPROOF_HIDDEN
"$@"
