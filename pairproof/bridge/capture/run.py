"""Runs somebody's R script, unchanged, in a copy of its folder, and returns the calls of fitting functions in it.

    analysis.R -> text (scripts) -> R's parser (parsing) -> copy (copying) -> R with capture.R in front (running)
        -> records (reading) -> places in the script (placing) -> Captured

The script is somebody's code and does what it does, with the rights of whoever runs it; only a sandbox
(:mod:`.sandbox`) limits that.  Nothing here evaluates text from the script or from the records.

Keeps the machine's paths out of what is shown and recorded of a run.

Programs of R that a script started with an environment or options of their own, so that nothing of them is recorded.

The files that a script sources: found in its folder by the names that the records give, and parsed like it.

Where R is, and the environment that a script runs in.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ...errors import InputError, RUnavailable
from ...files.inputs import read_file
from ...files.r_startup import VARIABLES, of_home, own_files
from ...text import plural
from ..process.cures import r_package, start_cure
from ..process.process import StartFailed, find_r_home
from ..process.session import MOST_SECONDS
from .copying import COPY_LIMIT, LEVELS, Copied, changed, copy_folder, copy_neighbours, root_of
from .placing import ending_of, expression_place, placed_calls
from .recorded import Captured, RecordedCall, Records, ScriptText, read_records
from .running import FOLDER, OUTPUT_LIMIT, STILL_OPEN, Ran, RProgram, Sandbox, find_sandbox, run_program
from .scripts import Parsed, Places, Script, mapped, parse_files, parts_not_run, read_script, tangled

#: The R side: a site profile that decorates the fitting functions and writes the records.
PROFILE = Path(__file__).parent / "r" / "capture.R"
#: Tells it the site profile that the user's environment names, in place of R's own.
SITE = "PAIRPROOF_PROFILE"
_SETS_PROFILE = re.compile(rb"^[ \t]*R_PROFILE[ \t]*=", re.MULTILINE)
_MOST_ENVIRON = 2**20
_CATEGORIES = ("LC_COLLATE", "LC_CTYPE", "LC_TIME", "LC_NUMERIC", "LC_MONETARY")


def r_home() -> str:
    """R's home."""
    if os.name != "posix":
        why = "because its processes are ended as a group; on Windows use the Windows Subsystem for Linux"
        raise InputError(f"an R script can be recorded on Linux and macOS only, {why}")
    try:
        return find_r_home(os.environ)
    except StartFailed as error:
        raise RUnavailable(f"{error}\n  cure: {start_cure(error.kind, error.text)}") from None


def plain_environment(temporary: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment with one thread, English messages, text in UTF-8 and a temporary folder of its own.

    Sorting stays the user's: the order of factor levels, and so the baselines of the fits, depend on it.
    """
    child = dict(environment)
    given = child.pop("LC_ALL", "")
    if given:
        child.update(dict.fromkeys(_CATEGORIES, given))
    encoding = child.get("LC_CTYPE") or child.get("LANG") or ""
    if "utf" not in encoding.lower():
        child["LC_CTYPE"] = "C.UTF-8"
    child.update(LANGUAGE="en", TMPDIR=str(temporary))
    child.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    return child


def outputs_of(ran: Ran, process: str, clean: Callable[[str], str]) -> dict[int, str]:
    """Top-level expression -> its output, between the mark before and its own."""
    found: dict[int, str] = {}
    last, begin = 0, 0
    for task, end in ((task, end) for pid, task, end in ran.marks if pid == process):
        if task == last + 1:
            found[task] = clean(ran.output[begin:end].decode("utf-8", "replace"))
        last, begin = task, end
    return found


def recording(
    environment: Mapping[str, str], records: Path, folder: Path, home: str, place: Path
) -> dict[str, str]:
    """An environment in which an R that starts in a folder records its calls.

    R reads `.Renviron` before its site profile, and one that sets R_PROFILE would put another in the recorder's
    place.  Then R is given a copy of that file, at `place`, whose last lines name the recorder, and the other profile to it.
    """
    child = {**environment, "R_PROFILE": str(PROFILE), FOLDER: str(records)}
    if environment.get("R_PROFILE"):
        child[SITE] = environment["R_PROFILE"]
    site = environment.get("R_ENVIRON") or os.path.join(home, "etc", "Renviron.site")
    user = _content(_of_user(environment, folder))
    if _SETS_PROFILE.search(_content(site) + b"\n" + user):
        # R has no quote within quotes: a path with both kinds is left bare.
        quote = next((q for q in "'\"" if q not in str(PROFILE)), "")
        last = f"\n{SITE}=${{R_PROFILE-{os.devnull}}}\nR_PROFILE={quote}{PROFILE}{quote}\n"
        place.write_bytes(user + last.encode())
        child["R_ENVIRON_USER"] = str(place)
    return child


def _of_user(environment: Mapping[str, str], folder: Path) -> str:
    """The `.Renviron` that R reads when it starts in a folder; "" for none."""
    if "R_ENVIRON_USER" in environment:
        named = environment["R_ENVIRON_USER"]
        return str(folder / os.path.expanduser(named)) if named else ""
    own = folder / VARIABLES["R_ENVIRON_USER"]
    return str(own) if own.is_file() else of_home(own.name, environment)


def _content(path: str) -> bytes:
    try:
        return read_file(Path(path), "a file of R's environment", most=_MOST_ENVIRON) if path else b""
    except (InputError, OSError):  # R passes over what it cannot read
        return b""


#: Most sourced files that are parsed.
MOST_FILES = 100


def find_sourced(
    r: str,
    environment: Mapping[str, str],
    records: Records,
    script: Parsed,
    copied: Copied,
    prefix: Sequence[str] = (),
) -> dict[str, Parsed]:
    """What stands in the files that the script sources, by base name; their expressions are not the script's."""
    named = {os.path.basename(text) for text in script.strings if text.lower().endswith(".r")}
    wanted = sorted({call.source for call in records.calls if call.source} | named)[:MOST_FILES]
    found = {name: path for name in wanted if (path := _file(name, script, copied)) is not None}
    if not found:
        return {}
    parsed, _ = parse_files(r, list(found.values()), environment, prefix)
    return {name: _apart(text) for name, text in zip(found, parsed) if text.error is None}


def _apart(text: Parsed) -> Parsed:
    """Without the numbers of its expressions."""
    calls = [replace(call, mentioned=replace(call.mentioned, task=0)) for call in text.calls]
    return replace(text, calls=calls)


def _file(name: str, script: Parsed, copied: Copied) -> Path | None:
    """The user's own file of that name: as the script writes it, else the only one in the folder."""
    for text in script.strings:
        path = Path(os.path.normpath(copied.source / text))
        if os.path.basename(text) == name and path.is_file():
            return path
    below = [known for known in copied.digests if os.path.basename(known) == name]
    return copied.source / below[0] if len(below) == 1 else None


def script_text(script: Script, parsed: Parsed, sourced: Mapping[str, Parsed]) -> ScriptText:
    """The script's text, with what the sourced files mention, as of no expression of the script."""
    mentioned = [call.mentioned for call in parsed.calls]
    packages = dict(parsed.packages)
    for text in sourced.values():
        mentioned += [call.mentioned for call in text.calls]
        packages.update(text.packages)
    expressions, trees = tuple(parsed.expressions), tuple(parsed.trees)
    own = script.path.name, script.kind, script.lines
    return ScriptText(*own, expressions, tuple(mentioned), packages, trees)


_FROM_ELSEWHERE = re.compile(r"\b(?:source|sys\.source|readRDS|load|unserialize|parse|eval)\s*\(")


def unrecorded(ran: Ran, records: Records) -> list[RProgram]:
    """The programs without a start in the records, but forks, which go on with their parent's; [] if that is not known."""
    started = records.workers | {records.main}
    by_pid: dict[int, list[RProgram]] = {}
    for program in ran.r_programs:
        by_pid.setdefault(program.pid, []).append(program)
    found = []
    for program in ran.r_programs[1:]:  # the first is the script's own
        fork = any(p.command == program.command for p in by_pid.get(program.parent, ()))
        if program.inner and not fork and str(program.inner) not in started and _is_last(program, by_pid):
            found.append(program)
    return found


def _is_last(program: RProgram, by_pid: dict[int, list[RProgram]]) -> bool:
    """Whether the process became no other program of R: between a fork and what it starts it is still its parent."""
    return by_pid[program.pid][-1] is program


def may_have_fitted(program: RProgram, text: ScriptText, calls: Iterable[RecordedCall]) -> bool:
    """Whether its code mentions a fitting function; or, where that takes code from elsewhere, as callr's does, the
    script mentions one at a place where no call was recorded.
    """
    code = f"{program.code}\n{shown(program.command)}"
    if _fitting().search(code):
        return True
    if program.code and not _FROM_ELSEWHERE.search(code):
        return False
    known = [(call.name, call.place) for call in calls]
    return any(
        _fitting().fullmatch(f"{m.function}(")
        and not any(name == m.function and (not at.sure or at.meets(m.place)) for name, at in known)
        for m in text.mentioned
    )


def shown(command: Sequence[str]) -> str:
    """A command line for people: R's own encoding of spaces undone, and not too long."""
    text = " ".join(("R", *command[1:])).replace("~+~", " ")
    return text[:200] + ("..." if len(text) > 200 else "")


@lru_cache(maxsize=1)
def _fitting() -> re.Pattern[str]:
    """A call of a fitting function that is recorded, by the list that R has."""
    names = re.findall(r"([\w.]+) = fit\(", (PROFILE.parent / "functions.R").read_text(encoding="utf-8"))
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})\s*\(")


def cleaner(places: Places, copied: Copied, stage: Path) -> Callable[[str], str]:
    """What replaces the machine's paths by words, as the bridge's records do: `<wd>`, `<library>`, `<tmp>`, ..."""
    temporary = tempfile.gettempdir()
    words = {
        **dict.fromkeys((str(copied.target), str(copied.source), os.path.realpath(copied.source)), "<wd>"),
        **dict.fromkeys((str(stage), os.path.realpath(temporary), temporary), "<tmp>"),
        places.r_home: "<R_HOME>",
        places.home: "<home>",
        **dict.fromkeys(places.libraries, "<library>"),
    }
    # A path of one or no part is no path of this machine alone, and would spoil every text with a slash.
    pairs = [(path, word) for path, word in words.items() if len(path) > 1 and path.strip("/")]
    pairs.sort(key=lambda pair: -len(pair[0]))

    def clean(text: str) -> str:
        for path, word in pairs:
            text = text.replace(path, word)
        return text

    return clean


DEFAULT_SECONDS = 600.0
#: Functions by which a script brings packages itself.
_LIBRARIES = ".libPaths install.packages p_load load_all install_github pkg_install restore activate".split()


def capture(
    script: str | os.PathLike[str],
    *,
    arguments: Sequence[str] = (),
    seconds: float = DEFAULT_SECONDS,
    sandbox: bool = False,
    say: Callable[[str], None] | None = None,
    output: Callable[[bytes], None] | None = None,
    copy_limit: int = COPY_LIMIT,
    output_limit: int = OUTPUT_LIMIT,
) -> Captured:
    """Run an R script and record its calls of fitting functions.

    Parameters
    ----------
    script : path
        An .R, .Rmd, .qmd, .Rnw or .Snw file.  It runs in a copy of its folder.
    arguments : sequence of str
        What `commandArgs(TRUE)` gives.
    seconds : float
        Time limit of the run.
    sandbox : bool
        Run it without network and without the right to write outside the copy, or refuse.
    say : callable, optional
        Is given sentences for the user, before and after the run.
    output : callable, optional
        Is given what the script prints, while it runs.
    copy_limit : int
        Most bytes of the folder that are copied.
    output_limit : int
        Most bytes of output that are passed through and kept; what is beyond is dropped.

    Returns
    -------
    Captured

    Raises
    ------
    InputError
        The file is no script that can be run, or has a syntax error (nothing was run then); or there is no sandbox.
    TooLargeError
        Its folder is too large for a copy.
    RUnavailable
        R, or a package that the script cannot do without, is not installed.

    Examples
    --------
    >>> found = capture("analysis.R", seconds=60)  # doctest: +SKIP
    >>> [(call.function, str(call.place), call.variable) for call in found.calls]  # doctest: +SKIP
    [('BradleyTerry2::BTm', 'line 12', 'm')]
    """
    if not 0 < seconds <= MOST_SECONDS:
        raise InputError(f"seconds is {seconds!r}; expected a number above 0 and at most {MOST_SECONDS:.0e}")
    text = read_script(script)
    home = r_home()
    with _stage() as stage:
        limits = (seconds, copy_limit, output_limit)
        run = _Run(text, Path(stage).resolve(), home, say or (lambda text: None), tuple(arguments), *limits)
        if sandbox:
            run.sandbox = find_sandbox(run.stage, run.environment)
        return run.captured(output)


@contextlib.contextmanager
def _stage() -> Iterator[str]:
    """A folder of the run's own, deleted at its end."""
    try:
        stage = tempfile.TemporaryDirectory(prefix="pairproof-", ignore_cleanup_errors=True)
    except OSError as error:
        why = f"no folder for temporary files can be written to ({error.strerror})"
        cure = "set TMPDIR to one that exists, on a disk with space"
        raise InputError(f"the script cannot be copied: {why}; {cure}") from error
    try:
        yield stage.name
    finally:
        with contextlib.suppress(RecursionError):
            stage.cleanup()
        if os.path.lexists(stage.name):  # folders nested deeper than Python can follow, which the script made
            for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
                with contextlib.suppress(OSError):
                    whole = [*command, "--", stage.name]
                    subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True)


@dataclass
class _Run:
    """One run, in a sandbox if it has one; `stage` is a folder of its own for copy, records, code and R's temporary
    folder.
    """

    script: Script
    stage: Path
    home: str
    say: Callable[[str], None]
    arguments: tuple[str, ...]
    seconds: float
    copy_limit: int
    output_limit: int
    sandbox: Sandbox | None = None

    def __post_init__(self) -> None:
        self.rscript = os.path.join(self.home, "bin", "Rscript")
        self.r = os.path.join(self.home, "bin", "R")
        for name in ("records", "tmp", "code"):
            (self.stage / name).mkdir()
        self.records = self.stage / "records"
        self.code = self.stage / "code" / f"{self.script.path.stem}.R"
        self.environment = plain_environment(self.stage / "tmp", os.environ)

    def captured(self, output: Callable[[bytes], None] | None) -> Captured:
        """Do all of it."""
        if self.script.kind == "R":
            parsed, places = self._parsed(self.script.text, None)
            copied = self._copy(root_of(self.script.path, parsed.strings, Path.cwd()))
            self._check_packages(parsed, copied)
            self._announce(copied)
        else:
            copied = self._copy(self.script.path.parent)
            self._announce(copied)
            if not_run := parts_not_run(self.script):
                self.say(f"not run: {not_run}")
            name = self.script.path.name
            text, lines = tangled(self.script, name, self.code, lambda args: self._tangle(args, copied))
            parsed, places = self._parsed(text, lines)
            self._check_packages(parsed, copied)
        for what in copied.left_out + copy_neighbours(copied, parsed.strings, self.copy_limit):
            self.say(f"not copied: {what}")
        ran = self._run(parsed, copied, output)
        records = read_records(self.records, ran.pid)
        return self._result(parsed, places, copied, ran, records)

    def _parsed(self, text: str, lines: tuple[int, ...] | None) -> tuple[Parsed, Places]:
        """What stands in the code; refused before anything runs if it does not parse."""
        if lines is None:
            self.code.write_text(text, encoding="utf-8")
        (parsed,), places = parse_files(self.r, [self.code], self.environment, self._prefix())
        name = self.script.path.name
        own = tuple(range(1, text.count("\n") + 2)) if lines is None else lines
        parsed = mapped(parsed, own, name)
        if parsed.error is not None:
            line, column, message = parsed.error
            where = f", line {line}, column {column}" if line else ""
            stands = "".join(f" ({text.strip()[:80]!r})" for text in self.script.lines[line - 1 : line])
            said = f"R's parser says {message!r}{stands}"
            raise InputError(f"{self.script.name}{where}: {said}; nothing was run")
        return parsed, places

    def _copy(self, folder: Path) -> Copied:
        above = [part for part in folder.parent.parts if part.strip(os.sep)][-LEVELS:]
        above = [f"up{i}" for i in range(LEVELS - len(above))] + above
        target = self.stage.joinpath("copy", *above, folder.name or "folder")
        copied = copy_folder(folder, target, self.copy_limit)
        if self.script.kind == "R" and self.script.rewritten:  # R does not read a byte order mark
            (target / self.script.path.relative_to(folder)).write_text(self.script.text, encoding="utf-8")
        return copied

    def _announce(self, copied: Copied) -> None:
        if self.script.encoding:
            read = f"read as {self.script.encoding}, as R reads it on Windows"
            self.say(f"{self.script.name} is not in UTF-8: {read}")
        how = str(self.sandbox) if self.sandbox is not None else "with your rights"
        own = copied.source == self.script.path.parent
        folder = "its folder" if own else f"{copied.source.name}/, the folder you are in"
        size = f"{plural(len(copied.digests), 'file')}, {copied.size / 2**20:,.1f} MB"
        where = f"in a copy of {folder} ({size}), for at most {self.seconds:g} s"
        self.say(f"{self.script.name} is run by R, {how}, {where}")
        if self.sandbox is not None:
            self.say(STILL_OPEN)
        if started := own_files(copied.target):
            always = "as it does whenever this script is run there: code in them runs too"
            self.say(f"R also reads {' and '.join(started)} of that folder, {always}")

    def _check_packages(self, parsed: Parsed, copied: Copied) -> None:
        """Refuse, before the script runs, a package that it needs and that is not installed."""
        absent = [name for name in dict.fromkeys(parsed.needed) if not parsed.packages[name]]
        called = [call.mentioned for call in parsed.calls]
        brought = any(m.function in _LIBRARIES or "lib.loc" in m.text for m in called)
        # Where the script brings its packages, R itself says what it does not find.
        if absent and not brought and not own_files(copied.target):
            lost = f"R package {', '.join(absent)} is not installed; nothing was run"
            cure = "; ".join(map(r_package, absent))
            raise RUnavailable(f"{self.script.name}: {lost}\n  cure: {cure}")

    def _prefix(self) -> list[str]:
        return list(self.sandbox.prefix) if self.sandbox is not None else []

    def _tangle(self, arguments: list[str], copied: Copied) -> Ran:
        environment = {**self.environment, FOLDER: str(self.records)}
        command = [*self._prefix(), self.rscript, *arguments]
        return run_program(command, copied.target, environment, seconds=self.seconds)

    def _run(self, parsed: Parsed, copied: Copied, output: Callable[[bytes], None] | None) -> Ran:
        names = [name for name in dict.fromkeys(parsed.loops) if "\n" not in name]
        (self.records / "loops.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
        mark = secrets.token_hex(8)
        (self.records / "mark.txt").write_text(f"{mark}\n", encoding="utf-8")
        file = str(self.code)
        if self.script.kind == "R":
            file = str(self.script.path.relative_to(copied.source))
        file = f"./{file}" if file.startswith("-") else file
        command = [*self._prefix(), self.rscript, file, *self.arguments]
        seconds, most = self.seconds, self.output_limit
        place = self.stage / "code" / "environ"
        environment = recording(self.environment, self.records, copied.target, self.home, place)
        ran = run_program(
            command, copied.target, environment, seconds=seconds, output_limit=most, output=output, mark=mark
        )
        self._tell_after(copied, ran)
        return ran

    def _tell_after(self, copied: Copied, ran: Ran) -> None:
        if ran.output_bytes > self.output_limit:
            printed, kept = (f"{n / 2**20:,.1f} MB" for n in (ran.output_bytes, self.output_limit))
            self.say(f"the script printed {printed}; what is beyond {kept} was dropped")
        if names := changed(copied):
            more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
            found = f"changed in {copied.source} during the run: {', '.join(names[:5])}{more}"
            self.say(f"{found}; the script wrote there through a full path, or somebody else did")

    def _result(self, parsed: Parsed, places: Places, copied: Copied, ran: Ran, records: Records) -> Captured:
        clean = cleaner(places, copied, self.stage)
        ending, message = ending_of(ran, records, parsed, self.script, self.seconds)
        if not records.started and ran.code == 0:
            why = "its recorder was not loaded, or they were deleted"
            records.lose(f"R ended well, but no process began records: {why}")
        sourced = find_sourced(self.r, self.environment, records, parsed, copied, self._prefix())
        calls = placed_calls(records, parsed, sourced, self.script.path.name, clean)
        text = script_text(self.script, parsed, sourced)
        for program in unrecorded(ran, records):
            self.say(f"another R ran without a recorder: {clean(shown(program.command))}")
            if may_have_fitted(program, text, calls):
                own = f"an environment or options of its own ({shown(program.command)})"
                cure = "leave it R's environment (no --vanilla, no --no-site-file, R_PROFILE as it is)"
                records.lose(f"a program of R with {own} ran calls of fitting functions; {cure}")
        return Captured(
            text=text,
            calls=calls,
            ending=ending,
            message=clean(message),
            exit_code=None if ran.timed_out else ran.code,
            whole=records.whole,
            lost=records.lost,
            why_lost=clean(records.why_lost),
            r_version=records.r_version or places.r_version,
            platform=records.platform,
            packages=records.packages,
            kind=records.kind,
            seconds=ran.seconds,
            output_bytes=ran.output_bytes,
            output=clean(ran.output.decode("utf-8", "replace")),
            sandboxed=self.sandbox is not None,
            changed=tuple((name, expression_place(parsed, task)) for name, task in records.changed),
            values=records.values,
            outputs=outputs_of(ran, records.main, clean) if ran.output_bytes <= self.output_limit else {},
        )
