"""Runs somebody's R script, unchanged, in a copy of its folder, and returns the calls of fitting functions in it.

    analysis.R -> text (scripts) -> R's parser (parsing) -> copy (copying) -> R with capture.R in front (running)
        -> records (reading) -> places in the script (placing) -> Captured

The script is somebody's code and does what it does, with the rights of whoever runs it; only a sandbox
(:mod:`.sandbox`) limits that.  Nothing here evaluates text from the script or from the records.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from ...errors import InputError, RUnavailable
from ..process.process import StartFailed, find_r_home
from ..process.session import MOST_SECONDS, cure_for, cure_for_package
from .copying import COPY_LIMIT, Copied, changed, copy_folder
from .endings import ending_of
from .parsing import Parsed, Places, parse_files
from .places import Cleaner
from .placing import placed_calls
from .reading import Records, read_records
from .recorded import Captured, ScriptText
from .running import FOLDER, OUTPUT_LIMIT, Ran, run_program
from .scripts import Script, read_script

#: The R side: a site profile that decorates the fitting functions and writes the records.
PROFILE = Path(__file__).parent / "r" / "capture.R"
DEFAULT_SECONDS = 600.0


def capture(
    script: str | os.PathLike[str],
    *,
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
    seconds : float
        Time limit of the run.
    sandbox : bool
        Run it without network, and without the right to write outside the copy, or refuse.
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
        The file is no script that can be run, or has a syntax error (nothing was run then).
    TooLargeError
        Its folder is too large for a copy.
    RUnavailable
        R, or a package that the script cannot do without, is not installed.
    """
    tell = say or (lambda text: None)
    if not 0 < seconds <= MOST_SECONDS:
        raise InputError(f"seconds is {seconds!r}; expected a number above 0 and at most {MOST_SECONDS:.0e}")
    text = read_script(script)
    home = r_home()
    with tempfile.TemporaryDirectory(prefix="pairproof-", ignore_cleanup_errors=True) as stage:
        return _Run(text, Path(stage).resolve(), home, tell, seconds).captured(
            output, copy_limit, output_limit
        )


def r_home() -> str:
    """R's home.

    Raises
    ------
    RUnavailable
        R is not installed; with the cure.
    """
    if os.name != "posix":
        raise InputError(
            "an R script can be recorded on Linux and macOS only, because its processes are ended as a group;"
            " on Windows use the Windows Subsystem for Linux"
        )
    try:
        return find_r_home(os.environ)
    except StartFailed as error:
        raise RUnavailable(f"{error}\n  cure: {cure_for(error.kind, error.text)}") from None


def run_environment(stage: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The script's environment: the user's, with our profile, one thread, English messages and text in UTF-8.

    Sorting and number formats stay the user's: factor levels, and so the baselines of the fits, depend on them.
    """
    child = dict(environment)
    given = child.pop("LC_ALL", "")
    if given:
        child.update(
            {name: given for name in ("LC_COLLATE", "LC_CTYPE", "LC_TIME", "LC_NUMERIC", "LC_MONETARY")}
        )
    encoding = child.get("LC_CTYPE") or child.get("LANG", "")
    if "utf" not in encoding.lower():
        child["LC_CTYPE"] = "C.UTF-8"
    child.update(
        LANGUAGE="en",
        R_PROFILE=str(PROFILE),
        TMPDIR=str(stage / "tmp"),
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
        MKL_NUM_THREADS="1",
    )
    if environment.get("R_PROFILE"):
        child["PAIRPROOF_SITE_PROFILE"] = environment["R_PROFILE"]
    child[FOLDER] = str(stage / "records")
    return child


class _Run:
    """One run; `stage` is a folder of its own: copy, records and R's temporary folder."""

    def __init__(
        self, script: Script, stage: Path, home: str, say: Callable[[str], None], seconds: float
    ) -> None:
        self.script, self.stage, self.home, self.say, self.seconds = script, stage, home, say, seconds
        self.program = os.path.join(home, "bin", "Rscript")
        self.records = stage / "records"
        for name in ("records", "tmp"):
            (stage / name).mkdir()
        self.environment = run_environment(stage, os.environ)

    def captured(
        self, output: Callable[[bytes], None] | None, copy_limit: int, output_limit: int
    ) -> Captured:
        """Do all of it."""
        folder = self.script.path.parent
        copied = copy_folder(folder, self.stage / "copy" / (folder.name or "folder"), copy_limit)
        for what in copied.left_out:
            self.say(f"not copied: {what}")
        parsed, places = self._parsed()
        self._check(parsed, copied)
        self._write_loops(parsed)
        self.say(
            f"{self.script.name} runs now, with your rights, in a copy of its folder ({len(copied.digests):,} files,"
            f" {copied.size / 2**20:,.1f} MB), for at most {self.seconds:g} s"
        )
        name = self.script.path.name
        ran = run_program(
            [self.program, f"./{name}" if name.startswith("-") else name],
            copied.target,
            self.environment,
            seconds=self.seconds,
            output_limit=output_limit,
            output=output,
        )
        self._tell_after(copied, ran, output_limit)
        records = read_records(self.records, ran.pid)
        return self._result(parsed, places, copied, ran, records)

    def _parsed(self) -> tuple[Parsed, Places]:
        code = self.stage / self.script.path.name
        code.write_text(self.script.text, encoding="utf-8")
        plain = {k: v for k, v in self.environment.items() if k not in ("R_PROFILE", FOLDER)}
        plain.update({"R_PROFILE": v for k, v in plain.items() if k == "PAIRPROOF_SITE_PROFILE"})
        (parsed,), places = parse_files(os.path.join(self.home, "bin", "R"), [code], plain)
        return parsed, places

    def _check(self, parsed: Parsed, copied: Copied) -> None:
        """Refuse, before anything runs, a syntax error and a package that is missing."""
        if parsed.error is not None:
            line, column, message = parsed.error
            where = f", line {line}, column {column}" if line else ""
            raise InputError(f"{self.script.name}{where}: R cannot parse it: {message}; nothing was run")
        absent = [name for name in parsed.needed if not parsed.packages[name]]
        own_profile = any((copied.target / name).exists() for name in (".Rprofile", ".Renviron"))
        if absent and not own_profile:  # which may name another library
            raise RUnavailable(
                f"{self.script.name}: R package {', '.join(absent)} is not installed; nothing was run"
                f"\n  cure: {'; '.join(map(cure_for_package, absent))}"
            )

    def _write_loops(self, parsed: Parsed) -> None:
        names = [name for name in dict.fromkeys(parsed.loops) if "\n" not in name]
        (self.records / "loops.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")

    def _tell_after(self, copied: Copied, ran: Ran, output_limit: int) -> None:
        if ran.output_bytes > output_limit:
            self.say(
                f"the script printed {ran.output_bytes / 2**20:,.1f} MB; what is beyond {output_limit / 2**20:,.1f} MB was"
                " dropped"
            )
        if names := changed(copied):
            more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
            self.say(
                f"changed in {copied.source} during the run: {', '.join(names[:5])}{more}; the script wrote there"
                " through a full path, or somebody else did"
            )

    def _result(self, parsed: Parsed, places: Places, copied: Copied, ran: Ran, records: Records) -> Captured:
        clean = Cleaner(places, copied, self.stage).clean
        ending, message = ending_of(ran, records, parsed, self.script, self.seconds)
        calls = placed_calls(records, parsed, {}, self.script.path.name, clean)
        return Captured(
            text=ScriptText(
                name=self.script.path.name,
                kind=self.script.kind,
                lines=self.script.lines,
                expressions=tuple(parsed.expressions),
                shown=tuple(parsed.shown),
                mentioned=tuple(call.mentioned for call in parsed.calls),
                packages=parsed.packages,
                loop_variables=tuple(dict.fromkeys(parsed.loops)),
            ),
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
            sandboxed=False,
        )
