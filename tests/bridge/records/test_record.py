"""Recorded answers: written, replayed without R, compared with live ones; nothing of this machine in them."""

from __future__ import annotations

import getpass
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from pairproof.bridge import Backend, Records, backend, using
from pairproof.bridge.process.policy import DRIFT_FLOOR, versions_of
from pairproof.bridge.process.session import session
from pairproof.bridge.records.calls import make_call
from pairproof.bridge.records.drift import drift, matters, said_of_words
from pairproof.bridge.records.record_files import PACKAGED, read_record, without_places
from pairproof.bridge.values.nodes import pretty
from pairproof.errors import InputError, RDrift, RecordMissing, RError, RUnavailable
from tests.places import RECORDS, ROOT

MESSY = """{ print(1:2); cat('end'); warning('wé'); message('m'); attr(x, 'k') <- 'v'
  list(x = x, s = c(a = NA, b = NaN, c = -Inf, d = 1e-308), i = c(1L, NA), f = factor(c('u', NA)), t = c('é', NA), l = c(NA, TRUE),
       m = matrix(c(0.1, -0), 1, dimnames = list('r', c('p', 'q'))), z = 1i, n = NULL, q = quote(a + b), e = list(),
       df = data.frame(a = 1:2), r = as.raw(7), u = list(1, 'b')) }"""


@pytest.fixture
def records(tmp_path):
    return Records([tmp_path / "records"])


@pytest.fixture
def messy(records):
    """A recorded call: the recorder, the call's arguments and the live result."""
    recorder = Backend("live", record="all", records=records)
    arguments = {
        "code": MESSY,
        "args": {"x": np.random.default_rng(3).standard_normal(40)},
        "needs": ("gnm",),
    }
    return arguments, recorder.call(**arguments)


def one_file(records):
    files = list(records.directories[0].glob("*.json"))
    assert len(files) == 1
    return files[0]


@pytest.mark.r
def test_a_replayed_answer_is_the_live_one_to_the_bit(records, messy):
    arguments, live = messy
    replayed = Backend("recorded", records=records).call(**arguments)
    assert (live.source, replayed.source) == ("live", "recorded")
    call = make_call(**arguments)
    record = records.get(call)
    mine = read_record(one_file(records)).answer
    assert drift(record.answer, mine) == []
    from tests.bridge.values.test_round_trip import same

    same(replayed.node, live.node)
    assert (replayed.output, replayed.messages, replayed.warnings) == (
        live.output,
        live.messages,
        live.warnings,
    )
    assert replayed.session.r_version == live.session.r_version
    assert replayed.session.packages == {"gnm": live.session.packages["gnm"]}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", replayed.when)
    assert "recorded" in replayed.engine() and "gnm" in replayed.engine()


@pytest.mark.r
def test_an_r_error_is_replayed_as_the_same_error(records):
    call = {"code": "cat('so far'); warning('w'); f <- function() stop('boom é'); f()"}
    with pytest.raises(RError) as live:
        Backend("live", record="once", records=records).call(**call)
    with pytest.raises(RError) as replayed:
        Backend("recorded", records=records).call(**call)
    for name in ("r_message", "r_call", "r_class", "stack", "output", "warnings"):
        assert getattr(replayed.value, name) == getattr(live.value, name), name
    assert (live.value.source, replayed.value.source) == ("live", "recorded")
    assert "boom é in f()" in str(replayed.value) and "(recorded)" in str(replayed.value)


@pytest.mark.r
def test_a_record_says_how_it_was_made_and_names_no_place_and_no_person(records):
    code = (
        "{ warning(tempfile('x')); print(.libPaths()); message(R.home()); cat(path.expand('~/file'),"
        " getwd()); list(tempdir(), d) }"
    )
    folder = str(Path.home() / "somewhere" / "data.csv")
    r_home = session().call(code="R.home()").value.scalar()
    Backend("live", record="all", records=records).call(code=code, args={"d": folder}, needs=("gnm",))
    text = one_file(records).read_text("utf-8")
    content = json.loads(text)
    for place in {
        str(Path.home()),
        os.getcwd(),
        str(ROOT),
        tempfile.gettempdir() + "/Rtmp",
        r_home,
        "site-library",
    }:
        assert place not in text, place
    assert not re.search(rf"/{re.escape(getpass.getuser())}\b", text)
    assert content["answer"]["value"]["list"][0] == {"chr": ["<tmp>"]}
    assert content["call"]["arguments"]["d"] == {"chr": ["<home>/somewhere/data.csv"]}
    assert set(content["session"]) >= {
        "r_version",
        "platform",
        "blas",
        "lapack_version",
        "os",
        "locale",
        "rng",
        "packages",
    }
    assert content["session"]["packages"]["gnm"]
    assert content["call"]["code"] == [code]


@pytest.mark.r
def test_one_changed_digit_is_found_and_named_and_stops_the_comparison(records, messy):
    arguments, live = messy
    assert Backend("both", records=records).call(**arguments).drift == ()
    path = one_file(records)
    content = json.loads(path.read_text("utf-8"))
    number = content["answer"]["value"]["named"]["m"]["dbl"][0]
    assert number == 0.1
    content["answer"]["value"]["named"]["m"]["dbl"][0] = 0.1000001
    path.write_text(pretty(content), "utf-8")
    with pytest.raises(
        RDrift, match=r"value/m\[0\]: number; 1 of 2 differ, recorded 0.1000001, live 0.1 \(6.0 digits"
    ):
        Backend("both", records=records).call(**arguments)
    content["answer"]["value"]["named"]["m"]["dbl"][0] = 0.1000000000001
    path.write_text(pretty(content), "utf-8")
    found = Backend("both", records=records).call(**arguments).drift
    assert [d.field for d in found] == ["value/m[0]"] and found[0].digits == pytest.approx(12, abs=0.1)
    with pytest.raises(RDrift):
        Backend("both", records=records, drift_floor=13).call(**arguments)


def changed(content, path, value):
    *way, last = path
    inner = content
    for step in way:
        inner = inner[step]
    assert inner[last] != value
    inner[last] = value


@pytest.mark.r
@pytest.mark.parametrize(("path", "value", "field"), [
    (["output", 0], "[1] 1 3", "output[0]"), (["value", "named", "i", "int", 1], 2, "value/i[1]"), (["value", "named", "t", "chr", 0], "e", "value/t[0]"),
    (["value", "named", "s", "dbl", 0], "NaN", "value/s[a]"), (["value", "named", "s", "dbl", 2], "Inf", "value/s[c]"),
    (["value", "named", "s", "attr", "names"], ["a", "b", "c", "e"], "value/s@names[3]"),
    (["value", "named", "n"], {"dbl": []}, "value/n"),
    (["value", "named", "u", "list"], [{"dbl": [1.0]}], "value/u"), (["value", "named", "z", "cplx", 0, 1], 2.0, "value/z[0]"),
    (["error"], {"message": "e", "call": "", "class": [], "stack": []}, "error/message"),
])  # fmt: skip
def test_every_other_number_label_and_error_is_drift_in_its_field(records, messy, path, value, field):
    arguments, _ = messy
    file = one_file(records)
    content = json.loads(file.read_text("utf-8"))
    changed(content["answer"], path, value)
    file.write_text(pretty(content), "utf-8")
    with pytest.raises(RDrift, match=re.escape(field)):
        Backend("both", records=records).call(**arguments)


@pytest.mark.r
@pytest.mark.parametrize(("path", "value", "field"), [
    (["warnings", 0, "message"], "other", "warnings/message[0]"), (["warnings", 0, "call"], "f(x)", "warnings/call[0]"),
    (["warnings"], [], "warnings/message"), (["messages"], [], "messages"), (["output", 1], "END", "output[1]"),
    (["visible"], False, "visible"), (["stderr"], "In f : x", "stderr[0]"), (["value", "named", "q", "lang"], "a - b", "value/q[0]"),
])  # fmt: skip
def test_other_words_are_found_in_their_field_and_told_and_are_no_drift(records, messy, path, value, field):
    arguments, _ = messy
    file = one_file(records)
    content = json.loads(file.read_text("utf-8"))
    changed(content["answer"], path, value)
    file.write_text(pretty(content), "utf-8")
    found = Backend("both", records=records).call(**arguments).drift
    assert [d.field for d in found] == [field]
    told = said_of_words(found)
    assert told.startswith("R's wording differs from the record: ") and field.partition("/")[2] in told


@pytest.mark.r
def test_a_live_error_in_other_words_names_those_of_its_record(records):
    call = {"code": "stop('boom')"}
    with pytest.raises(RError):
        Backend("live", record="once", records=records).call(**call)
    file = one_file(records)
    file.write_text(file.read_text("utf-8").replace('"boom"', '"bang"'), "utf-8")
    with pytest.raises(RError) as caught:
        Backend("both", records=records).call(**call)
    assert not isinstance(caught.value, RDrift) and caught.value.r_message == "boom"
    assert "R's wording differs from the record: error/message[0] boom, recorded bang" in str(caught.value)


@pytest.mark.r
def test_asked_both_ways_other_steps_pass_and_stand_in_the_answer(records):
    from pairproof.validation.r_answers.ask import remarks

    code = {"code": "list(deviance = 30.5, iterations = n, converged = n < 100L)"}
    first = Backend("live", record="all", records=records).call(**code, args={"n": 8})
    path = one_file(records)
    content = json.loads(path.read_text("utf-8"))
    content["answer"]["value"]["named"]["iterations"]["int"] = [500]
    content["answer"]["value"]["named"]["converged"]["lgl"] = [False]
    path.write_text(pretty(content), "utf-8")
    again = Backend("both", records=records).call(**code, args={"n": 8})
    assert first.drift == () and [d.field for d in again.drift] == [
        "value/iterations[0]",
        "value/converged[0]",
    ]
    assert remarks(again) == [
        "R stopped differently than in the record: iterations 8, recorded 500; converged True, recorded"
        " False"
    ]


def test_paths_are_replaced_only_where_they_are_paths():
    places = (("/opt/R/library", "<library>"), ("/opt/R", "<R_HOME>"), ("/Users/me", "<home>"))
    said = without_places(
        "in /opt/R/library/gnm and /opt/R: /Users/merry /Users/me/x /var/folders/RtmpAb12/f", places
    )
    assert said == "in <library>/gnm and <R_HOME>: /Users/merry <home>/x <tmp>/f"


@pytest.mark.r
def test_recording_once_asks_once_and_again_when_versions_change(records):
    recorder = Backend("live", record="once", records=records)
    call = {"code": "as.numeric(Sys.time())", "needs": ("gnm",)}
    first = recorder.call(**call)
    second = recorder.call(**call)
    assert second.source == "recorded" and second.value.scalar() == first.value.scalar()
    path = one_file(records)
    path.write_text(path.read_text("utf-8").replace('"gnm": "', '"gnm": "0.'), "utf-8")
    third = recorder.call(**call)
    assert third.source == "live" and third.value.scalar() != first.value.scalar()
    assert [d.field for d in third.drift] == [
        "value[0]"
    ], "another version is compared, not reused in silence"
    assert recorder.call(**call).value.scalar() == third.value.scalar()
    assert Backend("live", record="all", records=records).call(**call).source == "live"


@pytest.mark.r
def test_a_large_argument_is_recorded_as_its_digest(records):
    recorder = Backend("live", record="all", records=records)
    recorder.call(code="sum(x)", args={"x": np.arange(5000.0) / 3, "y": [1, 2]})
    arguments = json.loads(one_file(records).read_text("utf-8"))["call"]["arguments"]
    assert (
        re.fullmatch("[0-9a-f]{64}", arguments["x"]["sha256"]) and "5000 values" in arguments["x"]["abridged"]
    )
    assert arguments["y"] == {"int": [1, 2]}
    replay = Backend("recorded", records=records)
    assert replay.call(
        code="sum(x)", args={"x": np.arange(5000.0) / 3, "y": [1, 2]}
    ).value.scalar() == pytest.approx(12497500 / 3)
    with pytest.raises(RecordMissing):
        replay.call(code="sum(x)", args={"x": np.arange(5000.0) / 3 + 1e-12, "y": [1, 2]})


def test_a_missing_record_names_the_call_and_how_to_record_it(records):
    with pytest.raises(RecordMissing) as caught:
        Backend("recorded", records=records).call("gnm::gnm", {"x": [1.5]}, needs=("gnm",))
    said = str(caught.value)
    assert (
        "gnm::gnm(x = 1.5)" in said
        and "pairproof record" in said
        and "R and gnm" in said
        and "mode is" in said
    )


@pytest.mark.r
def test_comparing_without_a_record_is_an_error(records):
    with pytest.raises(RecordMissing, match="nothing to compare it with"):
        Backend("both", records=records).call(code="1")


def test_a_damaged_record_is_named(records, tmp_path):
    call = make_call(code="1")
    records.directories[0].mkdir()
    from pairproof.bridge.records.record_files import file_name

    path = records.directories[0] / file_name(call)
    for text in ("{", "[]", '{"format": 99}', '{"format": 1, "key": "k"}'):
        path.write_text(text, "utf-8")
        with pytest.raises(RecordMissing, match=f"{re.escape(path.name)} cannot be read.*record again"):
            records.find(call)


@pytest.mark.r
def test_a_replaced_record_leaves_no_other_file(records, messy):
    arguments, _ = messy
    Backend("live", record="all", records=records).call(**arguments)
    assert [p.name for p in records.directories[0].iterdir()] == [one_file(records).name]


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="a folder cannot be closed to its owner here (root)"
)
@pytest.mark.r
def test_a_folder_that_cannot_be_written_is_named_with_the_way_out(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="PAIRPROOF_RECORDS"):
        Backend("live", record="all", records=Records([tmp_path])).call(code="1")


def test_the_r_of_every_record_is_told_and_of_a_file_that_changed_anew(tmp_path):
    one = kept()[0]
    path = tmp_path / one.name
    path.write_text(one.read_text(encoding="utf-8"), encoding="utf-8")
    records = Records([tmp_path])
    assert records.sessions() == records.sessions() == [record.session for record in records.all()]
    content = json.loads(path.read_text(encoding="utf-8"))
    content["session"]["r_version"] = "9.9.9"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert [session.r_version for session in records.sessions()] == ["9.9.9"]


def test_other_files_in_a_folder_of_records_are_no_records(tmp_path):
    (tmp_path / "fit.json").write_text('{"model": "LLBT"}', "utf-8")
    assert Records([tmp_path]).all() == []


@pytest.mark.r
def test_a_records_path_that_is_a_file_is_named_with_the_way_out(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(PermissionError, match="PAIRPROOF_RECORDS"):
        Backend("live", record="all", records=Records([tmp_path / "file"])).call(code="1")


def test_folders_of_ones_own_are_searched_first(tmp_path, monkeypatch):
    kept = (PACKAGED, RECORDS)
    monkeypatch.delenv("PAIRPROOF_RECORDS", raising=False)
    assert Records().directories == kept
    monkeypatch.setenv("PAIRPROOF_RECORDS", str(tmp_path))
    assert Records().directories == (tmp_path, *kept)
    monkeypatch.setenv("PAIRPROOF_RECORDS", os.pathsep.join(["first", "", str(tmp_path)]))
    assert Records().directories == (Path("first"), tmp_path, *kept)
    (tmp_path / f"one{os.pathsep}folder").mkdir()
    monkeypatch.setenv("PAIRPROOF_RECORDS", str(tmp_path / f"one{os.pathsep}folder"))
    assert Records().directories == (tmp_path / f"one{os.pathsep}folder", *kept)
    monkeypatch.setenv("PAIRPROOF_RECORDS", str(RECORDS))
    assert Records().directories == (RECORDS, PACKAGED), "what is new in a run of the tests stands with them"


def test_an_installed_package_is_never_written_to(tmp_path, monkeypatch):
    """Its folder may well be writable: pip installs for the user who then asks."""
    from pairproof.bridge.records import record_files as module

    installed = tmp_path / "site-packages" / "pairproof" / "bridge" / "records" / "answers"
    installed.mkdir(parents=True)
    monkeypatch.setattr(module, "PACKAGED", installed)
    monkeypatch.delenv("PAIRPROOF_RECORDS", raising=False)
    with pytest.raises(InputError, match="installed package.*--into FOLDER.*PAIRPROOF_RECORDS=FOLDER"):
        Records().writable()
    assert Records([tmp_path, installed]).writable() == tmp_path
    monkeypatch.setenv("PAIRPROOF_RECORDS", str(tmp_path))
    assert Records().writable() == tmp_path
    (tmp_path / "site-packages" / "pyproject.toml").write_text('[project]\nname = "pairproof"\n', "utf-8")
    assert Records([installed]).writable() == installed, "a checkout's own records are written there"


@pytest.mark.r
def test_an_answer_is_not_written_into_an_installed_package(tmp_path, monkeypatch):
    from pairproof.bridge.records import record_files as module

    installed = tmp_path / "pairproof" / "bridge" / "records" / "answers"
    installed.mkdir(parents=True)
    monkeypatch.setattr(module, "PACKAGED", installed)
    with pytest.raises(InputError, match="installed package"):
        Backend("live", record="all", records=Records([installed])).call(code="1")
    assert list(installed.iterdir()) == []


@pytest.mark.parametrize(
    ("mode", "record"), [("sometimes", None), ("recorded", "all"), ("none", "once"), (None, "twice")]
)
def test_a_wrong_mode_is_refused(mode, record):
    with pytest.raises(ValueError, match="mode|record"):
        Backend(mode, record=record)


def test_r_that_was_not_to_be_asked_is_not_asked():
    with pytest.raises(RUnavailable, match="R is not asked"):
        backend("none").call(code="1")


def test_the_environment_decides_where_nothing_is_said(monkeypatch):
    monkeypatch.setenv("PAIRPROOF_R", "recorded")
    assert backend().mode == "recorded" and backend("live").mode == "live"
    monkeypatch.setenv("PAIRPROOF_R", "both")
    monkeypatch.setenv("PAIRPROOF_RECORD", "once")
    assert (backend().mode, backend().record) == ("both", "once")
    monkeypatch.setenv("PAIRPROOF_R", "perhaps")
    with pytest.raises(ValueError, match="PAIRPROOF_R is 'perhaps'"):
        backend()


@pytest.mark.r
def test_a_record_can_be_asked_again_from_its_file_alone(records, messy):
    _, live = messy
    record = read_record(one_file(records))
    assert record.call is not None and record.call.key == live.call.key
    from tests.bridge.values.test_round_trip import same

    again = live.call.request()
    same(record.call.request()["args"], again["args"])
    content = json.loads(record.path.read_text("utf-8"))
    content["call"]["arguments"]["x"]["dbl"][0] += 1.0
    record.path.write_text(pretty(content), "utf-8")
    assert read_record(record.path).call is None, "an argument that does not fit the key is not the call"


def test_calls_follow_the_nearest_policy(monkeypatch):
    monkeypatch.delenv("PAIRPROOF_R", raising=False)
    with using("recorded"):
        assert backend().mode == "recorded"
        with using(Backend("none")):
            assert backend(None).mode == "none" and backend("live").mode == "live"
        assert backend().mode == "recorded"
    assert backend().mode is None


WITHOUT_R = """
import sys
from pairproof.bridge.process.policy import Backend; from pairproof.bridge.process.session import probe; from pairproof.bridge.records.record_files import Records
from pairproof.bridge.process.cures import no_r_cure
from pairproof.errors import RecordMissing, RUnavailable
status = probe()
assert not status.usable and "R is not installed" in status.why_not and status.cure == no_r_cure(), status
call = dict(code="x + 1", args={"x": [0.1, None]}, needs=("gnm",))
found = Backend(None, records=Records([sys.argv[1]])).call(**call)
assert found.source == "recorded" and "R is not installed" in found.note, found.note
print(found.value.values[0].hex(), found.value.na.tolist())
try:
    Backend(None, records=Records([sys.argv[1]])).call(code="2")
except RecordMissing as error:
    assert "R is not installed" in str(error) and no_r_cure() in str(error)
else:
    raise SystemExit("a call without record and without R gave a value")
try:
    Backend("live", records=Records([sys.argv[1]])).call(**call)
except RUnavailable as error:
    assert no_r_cure() in str(error)
else:
    raise SystemExit("live R without R gave a value")
"""


@pytest.mark.r
def test_a_machine_without_r_replays_and_says_so(records):
    live = Backend("live", record="all", records=records).call(
        code="x + 1", args={"x": [0.1, None]}, needs=("gnm",)
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("PATH", "R_HOME", "LD_LIBRARY_PATH")}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_R, str(records.directories[0])],
        capture_output=True,
        text=True,
        env={**environment, "PATH": "", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [live.value.values[0].hex(), "[False,", "True]"]


@pytest.mark.r("prefmod")
def test_with_one_package_absent_only_its_calls_are_replayed_and_say_why(records, fresh):
    recorder = Backend("live", record="all", records=records)
    recorder.call(code="'from prefmod'", needs=("prefmod",))
    fresh.info().packages["prefmod"] = None
    mixed = Backend(None, records=records, live=fresh)
    replayed, live = mixed.call(code="'from prefmod'", needs=("prefmod",)), mixed.call(
        code="'from gnm'", needs=("gnm",)
    )
    assert (replayed.source, live.source) == ("recorded", "live")
    assert "prefmod is not installed" in replayed.note


@pytest.mark.r
def test_a_package_whose_installation_is_broken_counts_as_absent(tmp_path):
    from pairproof.bridge.process.process import PACKAGES
    from pairproof.bridge.process.session import RSession, probe

    # Debian's R always searches its site library, so prefmod is hidden by a broken one in a folder searched
    # before.
    (tmp_path / "prefmod").mkdir()
    (tmp_path / "prefmod" / "DESCRIPTION").write_text("", "utf-8")
    environment = {**os.environ, "R_LIBS": str(tmp_path)}
    status = probe(environment)
    assert status.usable and set(status.packages) == set(PACKAGES)
    assert status.packages["prefmod"] is None and status.packages["MASS"]
    assert "install.packages" in status.package_cures["prefmod"]
    with RSession(environment) as bare:
        assert "prefmod is not installed" in bare.missing(["prefmod"])


def kept():
    return sorted(path for folder in (PACKAGED, RECORDS) for path in folder.glob("*.json"))


def test_no_answer_is_kept_both_in_the_package_and_with_the_tests():
    names = [path.name for path in kept()]
    assert len(set(names)) == len(names)


def test_every_kept_record_can_be_read_and_names_no_machine():
    assert kept()
    for path in kept():
        record = read_record(path)
        text = path.read_text("utf-8")
        assert record.path.name.endswith(f"-{record.key[:16]}.json")
        assert record.session.r_version and record.session.platform
        for word in ("home", "root", "work", "tmp", "usr", "opt", "Users", "var"):
            assert f"/{word}/" not in text and f'"/{word}' not in text, f"{path.name} holds a path of /{word}"


def askable():
    """Records with the whole call, not the digest of an argument; what is in them is read by its test alone."""
    return [path for path in kept() if '"sha256"' not in path.read_text(encoding="utf-8")]


@pytest.mark.nightly
@pytest.mark.r
@pytest.mark.parametrize("path", askable(), ids=lambda path: path.stem)
def test_live_r_still_answers_as_each_kept_record_says(path, r):
    from pairproof.bridge.records.record_files import scrubbed

    record = read_record(path)
    assert record.call is not None, "its key is not that of its call"
    if r.missing(record.call.needs):
        pytest.skip(r.missing(record.call.needs))
    found = drift(record.answer, scrubbed(r.answer(record.call), r.places()), record.name)
    left = matters(found, DRIFT_FLOOR, record.name, versions_of(r.info()), record.key)
    assert not left, "\n".join(map(str, found))
