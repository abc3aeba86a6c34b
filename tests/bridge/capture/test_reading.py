"""Records as R writes them, and as nobody should: cut off, damaged, hostile.  No R is needed."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given, settings, strategies as st

from pairproof.bridge.capture import recorded as reading
from pairproof.bridge.capture.recorded import read_records

START = {"type": "start", "pid": "7", "r_version": "4.2.2", "platform": "x86_64", "kind": ["a", "b", "c"]}
END = {
    "type": "end",
    "calls": 1,
    "tasks": 3,
    "lost": 0,
    "packages": {"stats": "4.2.2"},
    "kind": ["a", "b", "c"],
}


def call(number: int = 1, **more: object) -> dict[str, object]:
    return {"type": "call", "id": number, "time": float(number), "function": "stats::glm", "text": "glm(y ~ x)",
            "task": 2, "nth": 1, **more}  # fmt: skip


def lines(folder, *items, process: int = 7) -> None:
    with open(folder / f"{process}.jsonl", "ab") as file:
        for item in items:
            file.write(item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n")


def test_a_run_is_read_whole(tmp_path):
    node = {"dbl": [1.5, "NA"], "attr": {"names": ["x", "y"]}}
    lines(
        tmp_path,
        START,
        call(values={"n": {"int": [1]}}, result={"coef": node}, keys={"r": "north", "i": 2}),
        END,
    )
    found = read_records(tmp_path, 7)
    assert (found.main, found.whole, found.tasks, found.lost, found.r_version) == ("7", True, 3, 0, "4.2.2")
    assert found.packages == {"stats": "4.2.2"}
    (one,) = found.calls
    assert one.result["coef"].names == ("x", "y") and one.result["coef"].na.tolist() == [False, True]
    assert one.keys == {"r": "north", "i": 2}


def test_the_last_line_of_a_call_counts(tmp_path):
    lines(tmp_path, START, call(provisional=True, error="not found"), call(result={"aic": {"dbl": [1]}}), END)
    (one,) = read_records(tmp_path, 7).calls
    assert one.error == "" and set(one.result) == {"aic"}
    lines(tmp_path, call(2, provisional=True, error=["not found", "f(x)"]))
    assert read_records(tmp_path, 7).calls[1].error == "not found"


def test_the_line_that_r_was_killed_in_is_left_out(tmp_path):
    lines(tmp_path, START, call(), json.dumps(call(2)).encode()[:-9])
    found = read_records(tmp_path, 7)
    assert [one.id for one in found.calls] == [1] and not found.whole and found.lost == 0


def test_processes_are_put_in_the_order_in_which_their_calls_began(tmp_path):
    lines(tmp_path, START, call(1, time=10.0), call(2, time=30.0), END)
    lines(tmp_path, call(2, time=20.0), END, process=9)
    lines(tmp_path, START, call(1, time=25.0), END, process=8)
    found = read_records(tmp_path, 7)
    assert [(one.process, one.id) for one in found.calls] == [("7", 1), ("9", 2), ("8", 1), ("7", 2)]
    assert found.workers == {"8"}


def test_in_a_sandbox_the_first_process_is_the_scripts(tmp_path):
    lines(tmp_path, START, call(), END, process=2)
    lines(tmp_path, call(2), process=14)
    assert read_records(tmp_path, 4711).main == "2"


@pytest.mark.parametrize(
    "values",
    [
        {"x": {"dbl": ["Infinite"]}},
        {"x": {"dbl": [1], "attr": {"dim": {"int": [2, 2]}}}},
        {"x": {"dbl": {"a": 1}}},
        {"x": {"strange": [1]}},
        {"x": {"int": [10**15]}},
        {"x": {"named": [1]}},
        {"x": 3},
        {"x": {"chr": 5, "attr": 3}},
        [1],
    ],
)
def test_what_is_no_value_of_r_makes_its_call_a_lost_one_with_the_reason(tmp_path, values):
    lines(tmp_path, START, call(values=values, result={"a": {"dbl": [1]}}), call(2), END)
    found = read_records(tmp_path, 7)
    assert found.lost == 1
    assert found.why_lost.startswith("the record of stats::glm holds something that is no value of R")
    assert [(one.id, one.kept) for one in found.calls] == [(1, False), (2, True)]
    assert found.calls[0].result == {} and found.calls[0].values == {}


def test_fields_of_another_kind_are_left_out(tmp_path):
    strange = dict(text=5, task="x", nth=-3, via=[1], args=[1], keys={"a": [1], "b": True, "c": 1}, seed=["x", 1, True],
                   warnings=[[], "w", [1, 2], ["m", "f()"]], inner="x", fits=3, seconds="x", contrasts=[1, "c"], error={})  # fmt: skip
    lines(tmp_path, START, call(**strange), END)
    (one,) = read_records(tmp_path, 7).calls
    assert (one.text, one.task, one.nth, one.via, one.error, one.seconds) == ("", 0, 1, "", "", 0.0)
    assert (one.args, one.keys, one.seed, one.contrasts) == ({}, {"c": 1}, (1,), ("c",))
    assert one.warnings == (("w", ""), ("", ""), ("m", "f()"))


def test_what_is_no_record_is_left_out(tmp_path):
    hostile = [b"\xff\xfe\n", b"[1]\n", b"{}\n", b"null\n", b"1e999\n", b'{"type": "call"}\n', b'{"type": "call", "id": 1e400}\n',
               b"[" * 200_000 + b"\n", b'{"a":' * 100_000 + b"\n", b'{"type": "call", "id": ' + b"9" * 100_000 + b"}\n"]  # fmt: skip
    lines(tmp_path, START, *hostile, call(), END)
    found = read_records(tmp_path, 7)
    assert [one.id for one in found.calls] == [1] and found.whole


def test_a_value_nested_without_end_is_lost_and_not_fatal(tmp_path):
    deep: object = {"dbl": [1]}
    text = '{"list": [' * 700 + json.dumps(deep) + "]}" * 700
    lines(
        tmp_path,
        START,
        json.dumps(call()).encode()[:-1] + b', "values": {"x": ' + text.encode() + b"}}\n",
        call(2),
        END,
    )
    assert [one.id for one in read_records(tmp_path, 7).calls][-1] == 2


def test_links_pipes_and_other_names_are_not_read(tmp_path):
    (tmp_path / "outside").write_text(json.dumps(call()) + "\n")
    (tmp_path / "8.jsonl").symlink_to(tmp_path / "outside")
    os.mkfifo(tmp_path / "9.jsonl")
    (tmp_path / "10.jsonl").mkdir()
    (tmp_path / "x.jsonl").write_text(json.dumps(call()) + "\n")
    assert read_records(tmp_path, 7).calls == []


def test_a_folder_that_the_script_deleted_is_told(tmp_path):
    found = read_records(tmp_path / "gone", 7)
    assert (
        found.calls == []
        and found.why_lost == "the folder of the records was deleted or closed by the script"
    )


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "other").mkdir()
    lines(tmp_path / "other", START, call(), END)
    (tmp_path / "records").symlink_to(tmp_path / "other")
    found = read_records(tmp_path / "records", 7)
    assert (found.calls, found.lost) == ([], 1) and "deleted or closed" in found.why_lost


def test_calls_that_r_counted_and_whose_lines_the_script_took_away_are_lost_ones(tmp_path):
    lines(tmp_path, START, call(2), {**END, "calls": 3})
    found = read_records(tmp_path, 7)
    assert (len(found.calls), found.lost) == (1, 2) and "no longer in the records" in found.why_lost


def test_a_count_of_lost_calls_below_zero_is_no_count(tmp_path):
    lines(tmp_path, START, call(), {**END, "lost": -7})
    assert read_records(tmp_path, 7).lost == 0


def test_sizes_are_bounded_and_what_is_beyond_is_told(tmp_path, monkeypatch):
    lines(tmp_path, START, *(call(n) for n in range(1, 50)), END)
    monkeypatch.setattr(reading, "MOST_CALLS", 10)
    found = read_records(tmp_path, 7)
    assert len(found.calls) == 10 and found.lost == 39 and "more than 10 calls" in found.why_lost
    monkeypatch.setattr(reading, "MOST_BYTES", 1000)
    found = read_records(tmp_path, 7)
    assert len(found.calls) < 10 and "larger than 1,000 bytes" in found.why_lost


def test_calls_that_r_could_not_record_are_counted_with_its_reason(tmp_path):
    lines(tmp_path, START, {**END, "lost": 2, "why": "no space"})
    found = read_records(tmp_path, 7)
    assert (found.lost, found.why_lost) == (2, "no space")


@settings(max_examples=40)  # each writes a file
@given(st.binary(max_size=200))
def test_no_bytes_are_fatal(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("records")
    (folder / "7.jsonl").write_bytes(content + b"\n")
    assert read_records(folder, 7).calls == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["dbl", "int", "chr", "list", "named", "attr", "dim", "names", "x"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=40)  # each writes a file
@given(
    st.dictionaries(
        st.sampled_from(sorted({*call(), "values", "result", "keys", "fits", "seed", "warnings", "args"})),
        JSON,
    )
)
def test_no_json_is_fatal(tmp_path_factory, fields):
    folder = tmp_path_factory.mktemp("records")
    lines(folder, START, {**call(), **fields, "type": "call"}, call(5), END)
    assert 5 in [one.id for one in read_records(folder, 7).calls]
