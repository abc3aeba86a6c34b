"""compare-models, compare-two and rank-by-comparing: their JSON to the letter, their words, their files."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as ET
from contextlib import closing

import numpy as np
import pytest

import pairproof
from pairproof.cli import main
from pairproof.cli.commands import compare_models
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.native.competitions.experiment.competition_plots import (
    plot_abilities,
    plot_learning_curves,
    plot_preferences,
)
from pairproof.native.competitions.experiment.curve_summaries import Result
from pairproof.native.competitions.experiment.held_out import split_table
from pairproof.native.competitions.experiment.preference_models import MODELS
from pairproof.native.competitions.ranking.merge_insertion import worst_case
from tests.native.translation import random_table

QUICK = ["--chains", "2", "--warmup", "20", "--draws", "40"]
RUN = ["--train-sizes", "40,160", "--trials", "2", *QUICK, "--seed", "4"]
#: Vilar et al. (2007), Table 2, A against C and A against D, judges E1 to E7: better, worse, same.
TABLE_2 = {
    "C": [(32, 37, 31), (31, 29, 40), (31, 32, 37), (31, 22, 47), (47, 39, 14), (38, 45, 17), (40, 43, 17)],
    "D": [(36, 34, 30), (14, 50, 36), (27, 40, 33), (9, 50, 41), (31, 57, 12), (30, 61, 9), (34, 57, 9)],
}


def write_table(path, table):
    source = table.columns["source"]
    rows = ["source,first,second,outcome"]
    for k in range(table.n_rows):
        outcome = "first" if table.wins[k] else "tie" if table.ties[k] else "second"
        rows.append(
            f"{source.levels[source.codes[k]]},{table.items[table.first[k]]},{table.items[table.second[k]]},{outcome}"
        )
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def a_terminal():
    """Both ends of a pseudo-terminal."""
    try:
        return pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo-terminal can be had here ({error})")


@pytest.fixture(scope="module")
def table():
    return random_table(3, n=400, n_systems=4, n_segments=40)


@pytest.fixture(scope="module")
def judgments(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("competition") / "judgments.csv"
    write_table(path, table)
    return path


@pytest.fixture(scope="module")
def vilar(tmp_path_factory):
    path = tmp_path_factory.mktemp("vilar") / "counts.csv"
    rows = [
        f"A,{other},E{k},{w},{t},{l}"
        for other, judges in TABLE_2.items()
        for k, (w, l, t) in enumerate(judges, 1)
    ]
    path.write_text("first,second,judge,wins,ties,losses\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


# -- compare-models ------------------------------------------------------------------------------------------


def test_compare_models_prints_a_row_for_every_track_model_size_and_trial(capsys, judgments):
    found = document(capsys, "compare-models", judgments, *RUN)
    rows = found["perplexity"]
    assert {(r["model"], r["train_size"], r["trial"]) for r in rows} == set(
        itertools.product(MODELS, (40, 160), (1, 2))
    ) and len(rows) == 48
    assert all(list(r)[:5] == ["track", "model", "train_size", "trial", "perplexity"] for r in rows)
    assert (found["test_size"], found["seed"]) == (80, 4) and {r["track"] for r in rows} == {"all"}
    by_model = {r["model"]: r["perplexity"] for r in rows if r["train_size"] == 160 and r["trial"] == 1}
    assert (
        by_model["uniform"] == pytest.approx(3)
        and by_model["irt-gaussian"] < by_model["adjusted-uniform"] < 3
    )
    assert by_model["llbt"] == pytest.approx(by_model["davidson"], rel=1e-7)
    assert all(
        r["test_size"] == found["tracks"][0]["test"] >= 80 and r["n_train"] == r["train_size"] for r in rows
    )


def test_without_a_tie_no_knowledge_is_a_perplexity_of_two(capsys, tmp_path):
    path = tmp_path / "no_ties.csv"
    write_table(path, random_table(3, n=200, n_systems=4, ties=False))
    rows = document(
        capsys,
        "compare-models",
        path,
        "--train-sizes",
        "40",
        "--trials",
        "1",
        "--models",
        "uniform,adjusted-uniform",
    )["perplexity"]
    assert {r["model"]: r["perplexity"] for r in rows} == {
        "uniform": pytest.approx(2),
        "adjusted-uniform": pytest.approx(2),
    }
    assert "guessing gives 3, or 2 if ties cannot happen" in " ".join(
        run(capsys, "compare-models", "--help")[1].split()
    )


def test_every_model_of_the_package_can_be_asked_for():
    assert compare_models.MODELS == MODELS


def test_the_numbers_are_the_same_again_and_an_interrupted_run_goes_on_to_them(capsys, judgments, tmp_path):
    state = tmp_path / "state.db"
    asked = ["compare-models", judgments, *RUN, "--models", "pairs,irt-gaussian,davidson"]
    whole = document(capsys, *asked)
    assert document(capsys, *asked, "--resume", state) == whole
    with closing(sqlite3.connect(state)) as db, db:
        db.execute("DELETE FROM result WHERE rowid > 5")  # as a run leaves it that was stopped after five
    assert document(capsys, *asked, "--resume", state) == whole
    with closing(sqlite3.connect(state)) as db:
        assert db.execute("SELECT count(*) FROM result").fetchone() == (len(whole["perplexity"]),)


def test_a_state_of_another_seed_is_refused(capsys, judgments, tmp_path):
    state = tmp_path / "state.db"
    asked = [
        "compare-models",
        judgments,
        "--train-sizes",
        "40",
        "--trials",
        "1",
        "--models",
        "pairs",
        "--resume",
        state,
    ]
    assert run(capsys, *asked, "--seed", "1")[0] == 0
    code, out, err = run(capsys, *asked, "--seed", "2")
    assert code == 3 and out == "" and "seed" in err and len(err.strip().splitlines()) <= 2


def test_tracks_never_mix(capsys, tmp_path, table):
    path = tmp_path / "tracks.csv"
    write_table(path, table)
    lines = path.read_text("utf-8").splitlines()
    path.write_text(
        "\n".join(["track," + lines[0], *(f"{'xy'[k % 2]},{line}" for k, line in enumerate(lines[1:]))])
        + "\n",
        encoding="utf-8",
    )
    asked = ["--train-sizes", "40", "--trials", "1", "--models", "pairs", "--test-size", "40"]
    both = document(capsys, "compare-models", path, *asked)
    assert [r["track"] for r in both["perplexity"]] == ["x", "y"] and [
        t["train"] + t["test"] for t in both["tracks"]
    ] == [200, 200]
    only = tmp_path / "x.csv"
    only.write_text(
        "\n".join(["track," + lines[0], *(f"x,{line}" for line in lines[1::2])]) + "\n", encoding="utf-8"
    )
    assert document(capsys, "compare-models", only, *asked)["perplexity"] == both["perplexity"][:1]


def test_the_words_say_who_is_best_how_many_are_enough_and_what_to_doubt(capsys, judgments):
    code, out, err = run(
        capsys,
        "compare-models",
        judgments,
        "--train-sizes",
        "40,900",
        "--trials",
        "2",
        *QUICK,
        "--models",
        "adjusted-uniform,pairs,irt-gaussian",
    )
    assert code == 0 and "for size 900 every trial uses all of them" in err
    assert (
        "are not distinguished)\n  40: " in out
        and "Enough judgments (within 1.0% of the perplexity at 267)\n" in out
    )
    assert (
        "pairs: 267, all the training data: more may help" in out
        and "chains not mixed well enough to interpret abilities" in out
    )


def test_one_trial_tells_nothing_apart_and_says_so(capsys, judgments):
    _, out, _ = run(
        capsys,
        "compare-models",
        judgments,
        "--train-sizes",
        "100",
        "--trials",
        "1",
        "--models",
        "adjusted-uniform,pairs",
    )
    assert (
        "100: pairs; not distinguishable from it: adjusted-uniform (one trial: no interval, no comparison)"
        in out
    )


def test_every_track_has_a_test_set_of_its_own_size_and_a_small_one_is_named(capsys, tmp_path):
    rows = ["track,source,first,second,outcome"]
    rng = np.random.default_rng(2)
    for track, n in (("big", 500), ("small", 10)):
        rows += [
            f"{track},{k},s{a},s{b},{rng.choice(['first', 'tie', 'second'])}"
            for k in range(n)
            for a, b in [rng.choice(4, 2, replace=False)]
        ]
    path = tmp_path / "tracks.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    code, out, err = run(
        capsys, "compare-models", path, "--train-sizes", "5", "--trials", "2", "--models", "pairs", "--json"
    )
    found = json.loads(out)
    assert (
        code == 0
        and [(t["track"], t["test"]) for t in found["tracks"]] == [("big", 100), ("small", 2)]
        and found["test_size"] == 100
    )
    assert (
        "track small has 2 test comparisons; perplexities from so few are imprecise" in err
        and "track big has" not in err
    )


def test_training_judges_without_a_tie_category_are_refused_where_ties_are_tested(
    capsys, judgments, tmp_path
):
    train = tmp_path / "train.csv"
    train.write_text(
        "source,first,second,outcome\n"
        + "".join(f"t{k},s0,s{1 + k % 3},{'first' if k % 2 else 'second'}\n" for k in range(60)),
        encoding="utf-8",
    )
    arguments = (
        "compare-models",
        judgments,
        "--train",
        train,
        "--train-sizes",
        "30",
        "--trials",
        "2",
        "--models",
        "pairs",
        "--json",
    )
    code, out, err = run(capsys, *arguments)
    assert code == 3 and out == "" and "no tie category, but" in err and "--tie-category yes" in err
    assert run(capsys, *arguments, "--tie-category", "yes")[0] == 0


def test_chains_and_draws_are_those_asked_for_abilities_too(capsys, judgments):
    found = document(
        capsys,
        "compare-models",
        judgments,
        "--train-sizes",
        "40",
        "--trials",
        "1",
        "--models",
        "pairs",
        "--abilities",
        "--chains",
        "5",
        "--draws",
        "1100",
    )
    assert (found["abilities"]["all"]["chains"], found["abilities"]["all"]["draws"]) == (5, 1100)


def test_an_infinite_perplexity_is_null_with_its_reason(capsys, tmp_path):
    path = tmp_path / "few-ties.csv"
    rows = [f"s{k},A,B,{'tie' if k < 2 else 'first' if k % 3 else 'second'}" for k in range(60)]
    path.write_text("source,first,second,outcome\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = document(
        capsys,
        "compare-models",
        path,
        "--train-sizes",
        "1",
        "--trials",
        "3",
        "--models",
        "adjusted-uniform",
        "--test-size",
        "50",
    )
    infinite = [r for r in found["perplexity"] if r["perplexity"] is None]
    assert (
        infinite
        and all(r["impossible"] > 0 for r in infinite)
        and found["enough"] == {"adjusted-uniform": None}
    )


def test_reports_are_one_page_with_curves_abilities_and_heat_map_or_markdown_or_json(
    capsys, judgments, tmp_path
):
    files = [tmp_path / f"report.{suffix}" for suffix in ("html", "md", "json")]
    found = document(
        capsys,
        "compare-models",
        judgments,
        "--train-sizes",
        "40,160",
        "--trials",
        "2",
        *QUICK,
        "--models",
        "pairs,irt-gaussian",
        "--abilities",
        *(x for f in files for x in ("--report", f)),
    )
    page = files[0].read_text("utf-8")
    pictures = page.split("<svg")[1:]
    assert len(pictures) == 6 and "http-equiv" in page and "<script" not in page
    for picture in pictures:
        ET.fromstring("<svg" + picture[: picture.index("</svg>") + 6])
    assert (
        "Best (models that differ by less than" in files[1].read_text("utf-8")
        and json.loads(files[2].read_text("utf-8")) == found
    )
    systems = found["abilities"]["all"]["systems"]
    assert (
        len(systems) == 4
        and sum(s["p_best"] for s in systems) == pytest.approx(1)
        and systems[0]["low"] < systems[0]["mean"] < systems[0]["high"]
    )


def test_abilities_over_the_trials_and_rankings_stand_in_words_json_and_pictures(capsys, judgments, tmp_path):
    page = tmp_path / "report.html"
    arguments = (
        "compare-models",
        judgments,
        "--train-sizes",
        "40,160",
        "--trials",
        "3",
        *QUICK,
        "--models",
        "pairs",
        "--abilities-at",
        "160",
        "--rankings",
    )
    found = document(capsys, *arguments, "--report", page)
    assert page.read_text("utf-8").count("<svg") == 6  # three pictures, each in two widths
    trials, rankings = found["trial_abilities"]["all"], found["rankings"]["all"]
    assert (
        trials["train_size"] == trials["n_train"] == 160
        and trials["trials"] == 3
        and len(trials["systems"]) == 4
    )
    assert sum(s["mean"] for s in trials["systems"]) == pytest.approx(0, abs=1e-12) and all(
        s["sd"] > 0 for s in trials["systems"]
    )
    assert [r["rule"] for r in rankings] == [
        "origwmt",
        "bojar",
        "lopez",
        "most-probable",
        "playoffs",
        "expected-wins",
    ]
    assert all(sorted(r["ranking"]) == ["s0", "s1", "s2", "s3"] for r in rankings)
    _, out, _ = run(capsys, *arguments)
    best = trials["ranking"][0]
    assert (
        f"over 3 trials of 160 training comparisons\nitem    mean     sd  trials\n{best} " in out
        and "  bojar: " in out
    )


def test_tracks_can_be_left_out_and_others_judgments_trained_on(capsys, tmp_path, table):
    files = {}
    for name, seed in (("experts", 1), ("crowd", 2)):
        rng = np.random.default_rng(seed)
        rows = ["track,source,first,second,outcome"]
        for track in ("x", "y"):
            for k in range(200):
                a, b = rng.choice(4, 2, replace=False)
                rows.append(f"{track},{k // 2},s{a},s{b},{rng.choice(['first', 'tie', 'second'])}")
        files[name] = tmp_path / f"{name}.csv"
        files[name].write_text("\n".join(rows) + "\n", encoding="utf-8")
    base = (
        "compare-models",
        files["experts"],
        "--train-sizes",
        "50",
        "--trials",
        "2",
        "--models",
        "pairs",
        "--test-size",
        "40",
    )
    both = document(capsys, *base)
    one = document(capsys, *base, "--leave-out", "y")
    assert {r["track"] for r in one["perplexity"]} == {"x"}
    assert one["perplexity"] == [r for r in both["perplexity"] if r["track"] == "x"]
    crowd = document(capsys, *base, "--train", files["crowd"])
    assert [t["train"] for t in crowd["tracks"]] == [200, 200] and [t["test"] for t in crowd["tracks"]] == [
        t["test"] for t in both["tracks"]
    ]
    assert crowd["perplexity"] != both["perplexity"] and all(
        "trained on" in t["rule"] for t in crowd["tracks"]
    )
    for arguments, said in (
        (["--leave-out", "z"], "no track 'z' to leave out; the tracks are x, y"),
        (["--leave-out", "x,y"], "at least one must be left"),
        (["--train", tmp_path / "none.csv"], "no such file"),
    ):
        code, out, err = run(capsys, *base, *arguments)
        assert code == 3 and out == "" and said in err
    part = tmp_path / "part.csv"
    part.write_text(
        "\n".join(r for r in files["crowd"].read_text().splitlines() if not r.startswith("y")) + "\n",
        encoding="utf-8",
    )
    assert "nothing to train on for track y; its tracks are x" in run(capsys, *base, "--train", part)[2]
    part.write_text(re.sub(r",s(\d)", r",t\1", files["crowd"].read_text()), encoding="utf-8")
    assert (
        "none of the systems of track x (t0, t1, t2, t3, ...) is in its test set (s0"
        in run(capsys, *base, "--train", part)[2]
    )


@pytest.mark.parametrize(("arguments", "said"), [
    (["--abilities-at", "0"], "--abilities-at"), (["--workers", "0"], "--workers"),
    (["--models", "pairs,foo"], "no model 'foo'"), (["--train-sizes", "10,10"], "distinct"), (["--train-sizes", "ten"], "whole numbers"),
    (["--test-size", "5000"], "of 400 comparisons leaves no training set"), (["--track", "nowhere"], "'nowhere' is missing"),
    (["--report", "out.xml"], "has none"), (["--trials", "0"], "--trials"),
])  # fmt: skip
def test_bad_usage_of_compare_models_ends_with_3_and_says_what_is_wrong(capsys, judgments, arguments, said):
    code, out, err = run(capsys, "compare-models", judgments, *arguments)
    assert code == 3 and out == "" and said in err and "Traceback" not in err


def test_a_progress_bar_is_shown_on_a_terminal_only(judgments):
    asked = [
        sys.executable,
        "-c",
        "import sys; from pairproof.cli import main; sys.exit(main())",
        "compare-models",
        str(judgments),
        "--train-sizes",
        "40",
        "--trials",
        "1",
        "--models",
        "uniform,pairs",
    ]
    piped = subprocess.run(asked, capture_output=True, text=True, timeout=120)
    assert piped.returncode == 0 and piped.stderr == ""
    leader, follower = a_terminal()
    environment = {**os.environ, "TERM": "xterm"}  # a terminal that calls itself dumb gets no bar
    with subprocess.Popen(
        asked, stdout=subprocess.PIPE, stderr=follower, text=True, env=environment
    ) as process:
        os.close(follower)
        seen = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # the terminal is closed when the process ends
                break
            if not part:
                break
            seen += part
        assert process.stdout.read() == piped.stdout and process.wait(60) == 0
    os.close(leader)
    assert b"2/2" in seen


# -- test sets -----------------------------------------------------------------------------------------------


def test_where_all_sources_are_compared_equally_often_whole_sources_are_drawn(table):
    even = random_table(5, n=120)
    codes = np.repeat(np.arange(12), 10)
    even = Comparisons.build(
        even.items,
        even.first,
        even.second,
        even.wins,
        even.ties,
        even.losses,
        columns={"source": Factor(codes, tuple(f"x{k}" for k in range(12)))},
        source="even",
    )
    (split,) = split_table(even, test_size=25, seed=1).values()
    inside = [set(part.columns["source"].codes.tolist()) for part in (split.train, split.test)]
    assert split.test.n_rows == 30 and not inside[0] & inside[1] and "3 of 12 sources at random" in split.rule
    (paper,) = split_table(table, test_size=50).values()
    assert paper.k is not None and paper.test.n_rows >= 50


@pytest.mark.parametrize(
    "edition",
    ["wmt10.RNK_results.csv", "wmt11-maneval-indivsystems.RNK_results.csv", "wmt12.RNK_results.csv"],
)
def test_left_to_itself_the_experiment_has_the_papers_48_training_and_test_sets(shared, edition):
    """Hopkins and May (2013), Table 3."""
    with open(shared / "data" / "hm2013_table3.csv", encoding="utf-8") as file:
        printed = sorted(
            (int(r["train"]), int(r["test"]), int(r["k"]))
            for r in csv.DictReader(file)
            if r["edition"] == edition[:5]
        )
    tracks = split_table(pairproof.read(shared / "data" / "wmt" / edition))
    assert (
        len(printed) == 8 and sorted((s.train.n_rows, s.test.n_rows, s.k) for s in tracks.values()) == printed
    )


def test_a_test_set_that_takes_every_source_is_refused(table):
    with pytest.raises(pairproof.InputError, match="takes all [0-9]+ sources"):
        split_table(table, test_size=399, rule="sources")


# -- compare-two ---------------------------------------------------------------------------------------------


def test_compare_two_prints_vilars_rows_and_the_merged_one_with_its_votes(capsys, vilar):
    rows = document(capsys, "compare-two", vilar)
    keys = [
        "first",
        "second",
        "judge",
        "wins",
        "ties",
        "losses",
        "m",
        "R",
        "se_vilar",
        "se_mean",
        "z",
        "significant",
        "p_sign",
        "log10_p_sign",
    ]
    assert isinstance(rows, list) and len(rows) == 16 and all(list(r)[:14] == keys for r in rows)
    merged = {r["second"]: r for r in rows if r["judge"] is None}
    assert all(("votes" in r) == (r["judge"] is None) for r in rows)
    # seed-methods, section 3: R, eq. 6, z, sign test, judges.
    for other, R, se, z, significant, p, votes in (
        ("C", 0.004286, 0.031893, 0.134, False, 0.929, [3, 4]),
        ("D", -0.24, 0.031658, -7.581, True, 2.6e-13, [1, 6]),
    ):
        row = merged[other]
        assert (
            round(row["R"], 6),
            round(row["se_vilar"], 6),
            round(row["z"], 3),
            row["significant"],
            row["votes"],
        ) == (R, se, z, significant, votes)
        assert row["p_sign"] == pytest.approx(p, rel=0.02) and row["m"] == 700
        assert row["se_mean"] == pytest.approx(row["se_vilar"] * np.sqrt(699 / 700), rel=1e-13)


def test_a_reversal_of_sum_and_vote_is_said_plainly(capsys, vilar):
    code, out, _ = run(capsys, "compare-two", vilar, "--pair", "C,A")
    assert (
        code == 0
        and "REVERSED: C and A: the sum of comparisons (247-250) puts A first, the majority vote of the judges (4-3) puts C first"
        in out
    )


def test_where_all_judgments_agree_there_is_no_z_and_no_verdict(capsys, tmp_path):
    path = tmp_path / "same.csv"
    path.write_text("first,second,wins,ties,losses\nA,B,7,0,0\n", encoding="utf-8")
    (row,) = document(capsys, "compare-two", path)
    assert row["se_vilar"] == 0 and row["z"] is None and row["significant"] is None and row["votes"] is None
    assert "no z, since all judgments agree" in run(capsys, "compare-two", path)[1]


def test_pairs_in_a_circle_are_said_to_give_no_ranking_and_the_circle_is_shown(capsys, tmp_path):
    path = tmp_path / "circle.csv"
    path.write_text("first,second,wins,ties,losses\nA,B,7,0,2\nB,C,6,1,2\nA,C,3,0,4\n", encoding="utf-8")
    files = [tmp_path / f"two.{suffix}" for suffix in ("html", "md", "json")]
    code, out, _ = run(capsys, "compare-two", path, *(x for f in files for x in ("--report", f)))
    assert (
        code == 0
        and "NO RANKING by sum of comparisons: the pairs form a circle, A > B > C > A (> is better)\n" in out
        and "Best first" not in out
    )
    assert "A &gt; B &gt; C &gt; A" in files[0].read_text("utf-8") and "A \\> B \\> C \\> A" in files[
        1
    ].read_text("utf-8")
    assert [row["judge"] for row in json.loads(files[2].read_text("utf-8"))] == [
        None
    ] * 3  # rows and nothing else, as before


def test_of_several_pairs_the_same_reason_stands_once(capsys, tmp_path):
    rows = [f"{a},{b},j{j},{3 + j},1,2" for a, b in ("AB", "AC", "AD", "BC") for j in range(3)]
    (tmp_path / "four.csv").write_text("\n".join(["first,second,judge,wins,ties,losses", *rows]) + "\n")
    _, out, _ = run(capsys, "compare-two", tmp_path / "four.csv")
    assert (
        "4 pairs, tested by judge means (4)" in out
        and "judges differ (p < .05) in 0 of 4 pairs; where" in out
    )
    assert "4 pairs: few answers in some cells" in out and "the sum's z of" not in out
    _, out, _ = run(capsys, "compare-two", tmp_path / "four.csv", "--pair", "A,D")
    assert out.count("the sum's z of") == 1


def test_pairs_that_were_left_out_or_are_even_are_named_where_no_ranking_follows(capsys, tmp_path, vilar):
    _, out, _ = run(
        capsys, "compare-two", vilar
    )  # by votes C and D both beat A and were never compared; by sums D > A > C
    assert "Best first, by sum of comparisons: D > A > C" in out
    assert "NO RANKING by majority vote: these pairs are not ordered: C and D (never compared)" in out
    path = tmp_path / "even.csv"
    path.write_text(
        "first,second,wins,ties,losses\nA,B,3,1,3\nB,C,6,1,2\nA,C,5,0,4\n"
        + "".join(f"A,Z{k},5,0,4\n" for k in range(9)),
        encoding="utf-8",
    )
    _, out, _ = run(capsys, "compare-two", path)
    assert "these pairs are not ordered: A and B (even), B and Z0 (never compared), " in out
    assert " and 45 more\n" in out  # 1 + 2 * 9 + 36 - 10


def test_compare_two_writes_reports_in_which_names_stay_text(capsys, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("first,second,wins,ties,losses\n<b>A</b>,B|C,7,1,2\n", encoding="utf-8")
    files = [tmp_path / f"two.{suffix}" for suffix in ("html", "md", "json")]
    assert run(capsys, "compare-two", path, *(x for f in files for x in ("--report", f)))[0] == 0
    assert "&lt;b&gt;A" in files[0].read_text("utf-8") and "B\\|C" in files[1].read_text("utf-8")
    assert json.loads(files[2].read_text("utf-8"))[0]["first"] == "<b>A</b>"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pair", "A"], "names 1 systems"),
        (["--pair", "A,Z"], "no system 'Z'"),
        (["--pair", "C,D"], "never compared"),
        (["--report", "x.xml"], "has none"),
    ],
)
def test_bad_usage_of_compare_two_ends_with_3(capsys, vilar, arguments, said):
    code, out, err = run(capsys, "compare-two", vilar, *arguments)
    assert code == 3 and out == "" and said in err


# -- rank-by-comparing ---------------------------------------------------------------------------------------


def test_the_planner_asks_what_the_paper_asked_and_ends_in_its_ranking(capsys, tmp_path):
    """Vilar's Table 2 is a run of it: AC BD AB EA EB DC DA, worst case 7, E B D A C by the sum."""
    order, plan = "EBDAC", tmp_path / "plan.json"
    asked, now = [], document(capsys, "rank-by-comparing", "A,C,B,D,E", "--resume", plan)
    assert now == {"next": ["A", "C"], "asked": 0, "at_most": 7, "ranking": None}
    while now["next"]:
        asked.append("".join(now["next"]))
        now = document(
            capsys, "rank-by-comparing", "--resume", plan, "--answer", min(now["next"], key=order.index)
        )
    assert [set(q) for q in asked] == [set(q) for q in ("AC", "BD", "AB", "EA", "EB", "DC", "DA")]
    assert now == {"next": None, "asked": 7, "at_most": 7, "ranking": list(order)}


def test_answers_are_read_from_standard_input_and_saved_one_by_one(tmp_path, capsys, monkeypatch):
    import io

    plan = tmp_path / "plan.json"
    monkeypatch.setattr("sys.stdin", io.StringIO("A\n\nsecond\n"))
    code, out, _ = run(capsys, "rank-by-comparing", "A,B,C,D", "--resume", plan)
    assert code == 0 and out.startswith("Compare next: ") and "(2 comparisons done, at most 5 in all)" in out
    back = document(capsys, "rank-by-comparing", "--resume", plan, "--undo")
    assert back["asked"] == 1 and len(json.loads(plan.read_text("utf-8"))["answers"]) == 1


def test_a_wrong_answer_changes_nothing_that_was_saved(capsys, tmp_path):
    plan = tmp_path / "plan.json"
    document(capsys, "rank-by-comparing", "A,B,C", "--resume", plan, "--answer", "B")
    before = plan.read_bytes()
    for wrong, said in (("Z", "answer 'Z'"), ("tie", "--tie-rule listed")):
        code, out, err = run(capsys, "rank-by-comparing", "--resume", plan, "--answer", wrong, "--json")
        assert code == 3 and out == "" and said in err and plan.read_bytes() == before


def test_a_tie_counts_for_the_one_listed_first_if_that_is_the_rule_and_the_rule_stays(capsys, tmp_path):
    plan = tmp_path / "plan.json"
    found = document(
        capsys, "rank-by-comparing", "B,A", "--resume", plan, "--tie-rule", "listed", "--answer", "tie"
    )
    assert found["ranking"] == ["B", "A"]
    assert (
        "tied and were decided by list order"
        in run(capsys, "rank-by-comparing", "--resume", plan, "--answer", "tie")[1]
        + run(capsys, "rank-by-comparing", "--resume", plan)[1]
    )
    code, _, err = run(capsys, "rank-by-comparing", "--resume", plan, "--tie-rule", "refuse", "--json")
    assert code == 3 and "change answers already given" in err


def test_systems_come_from_a_file_too_and_other_systems_than_the_plans_are_refused(capsys, tmp_path):
    names, plan = tmp_path / "systems.txt", tmp_path / "plan.json"
    names.write_text("one\ntwo\n\nthree\n", encoding="utf-8")
    assert document(capsys, "rank-by-comparing", names, "--resume", plan)["at_most"] == worst_case(3)
    assert run(capsys, "rank-by-comparing", "one,two", "--resume", plan, "--json")[0] == 3
    for systems, said in (
        (["lonely"], "is a single name, not a file"),
        ([], "SYSTEMS is missing"),
        (["A,B,A"], "more than once"),
    ):
        code, _, err = run(capsys, "rank-by-comparing", *systems, "--json")
        assert code == 3 and said in err


def test_a_plan_is_reported_with_its_questions_and_answers(capsys, tmp_path):
    files = [tmp_path / f"plan.{suffix}" for suffix in ("html", "md", "json")]
    found = document(
        capsys,
        "rank-by-comparing",
        "A,B|<i>",
        "--answer",
        "B|<i>",
        *(x for f in files for x in ("--report", f)),
    )
    page = files[0].read_text("utf-8")
    assert (
        "<title>Ranking by comparing</title>" in page and "B|&lt;i&gt;" in page and "<td>second</td>" in page
    )
    assert "| 1 | A | B\\|\\<i\\> | second |" in files[1].read_text("utf-8")
    assert (
        json.loads(files[2].read_text("utf-8"))
        == found
        == {"next": None, "asked": 1, "at_most": 1, "ranking": ["B|<i>", "A"]}
    )


def test_a_person_at_a_terminal_is_asked_again_after_a_slip(tmp_path):
    leader, follower = a_terminal()
    command = [
        sys.executable,
        "-c",
        "import sys; from pairproof.cli import main; sys.exit(main())",
        "rank-by-comparing",
        "A,B",
    ]
    with subprocess.Popen(
        command, stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        os.write(leader, b"Z\nB\n")
        out, err = process.communicate(timeout=60)
    os.close(follower), os.close(leader)
    assert process.returncode == 0 and out == "Best first, after 1 comparisons (at most 1): B > A\n"
    assert err.count("1 of at most 1: A or B?") == 2 and "answer 'Z'" in err


# -- pictures ------------------------------------------------------------------------------------------------


@pytest.fixture()
def ax():
    from matplotlib.figure import Figure

    return Figure().subplots()


def test_learning_curves_have_a_point_a_size_and_say_where_a_mean_is_infinite(ax):
    results = [
        Result("x", model, size, trial, value + trial / 100, size, 50)
        for model, values in (("pairs", (2.9, 2.7)), ("adjusted-uniform", (np.inf, 2.8)))
        for size, value in zip((10, 20), values)
        for trial in (1, 2)
    ]
    plot_learning_curves(results, ax)
    curves = {bar.get_label(): bar.lines[0].get_xydata().tolist() for bar in ax.containers}
    assert curves == {
        "pairs": [[10, pytest.approx(2.915)], [20, pytest.approx(2.715)]],
        "adjusted-uniform (infinite at 10)": [[20, pytest.approx(2.815)]],
    }
    with pytest.raises(pairproof.InputError, match="no result"):
        plot_learning_curves([], ax)


def test_abilities_are_drawn_best_on_top_and_the_heat_map_in_the_order_asked(ax, table):
    from matplotlib.figure import Figure

    model = pairproof.fit_preference_model(table, "irt-gaussian", warn=False)
    plot_abilities(model.fitted, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == list(reversed(model.fitted.ranking))
    heat = plot_preferences(model, Figure().subplots(), order=list(table.items))
    np.testing.assert_array_equal(heat.images[0].get_array(), model.advantage())
    assert np.allclose(model.advantage(), -model.advantage().T)
    with pytest.raises(pairproof.InputError, match="each of"):
        plot_preferences(model, order=["s0"])
    with pytest.raises(pairproof.InputError, match="expected matplotlib Axes"):
        plot_abilities(model.fitted, "here")


# -- nasty input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("A\nB\n".encode("utf-16"), "byte 1: 0xff is not UTF-8"),
        (b"\xef\xbb\xbfA\n\xc4\n", "byte 6: 0xc4 is not UTF-8"),
        (b"A\nB\0\n", "byte 4: a zero byte"),
        (b"", "no systems to rank"),
        (b"\n \r\n", "no systems to rank"),
    ],
)
def test_a_list_of_systems_that_is_no_text_is_refused_with_the_byte(capsys, tmp_path, content, said):
    path = tmp_path / "systems.txt"
    path.write_bytes(content)
    code, out, err = run(capsys, "rank-by-comparing", path, "--json")
    assert code == 3 and out == "" and said in err and "defect" not in err


@pytest.mark.parametrize("content", ["\ufeffA\r\nB\r\n", "A\rB\r", " A \n\n\tB"])
def test_line_ends_and_a_byte_order_mark_are_no_part_of_a_system(capsys, tmp_path, content):
    path = tmp_path / "systems.txt"
    path.write_bytes(content.encode())
    assert document(capsys, "rank-by-comparing", path)["next"] == ["A", "B"]


def test_a_form_feed_or_a_line_separator_ends_no_name(capsys, tmp_path):
    path = tmp_path / "systems.txt"
    path.write_bytes("A\u2028x\nB\x0cx\n".encode())
    assert document(capsys, "rank-by-comparing", path)["next"] == ["A\u2028x", "B\x0cx"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 100_000, "nested too deeply"),
        ("{}".encode("utf-16"), "0xff is not UTF-8"),
        (b"\xef\xbb\xbf{}", "not a saved ranking"),
        (b"", "not a saved ranking"),
    ],
)
def test_a_plan_that_is_none_is_refused_and_left_as_it_is(capsys, tmp_path, content, said):
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    code, out, err = run(capsys, "rank-by-comparing", "--resume", path, "--json")
    assert code == 3 and out == "" and said in err and str(path) in err and path.read_bytes() == content


def test_a_plan_in_a_directory_that_is_not_there_is_refused_with_its_name(capsys, tmp_path):
    code, _, err = run(
        capsys, "rank-by-comparing", "A,B", "--resume", tmp_path / "no" / "plan.json", "--json"
    )
    assert code == 3 and f"there is no directory {tmp_path / 'no'}" in err and ".part" not in err


def test_answers_may_begin_with_a_byte_order_mark(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("\ufeffB\r\n"))
    assert "Best first, after 1 comparisons (at most 1): B > A" in run(capsys, "rank-by-comparing", "A,B")[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare-two", "{vilar}", "--pair", '"A,C'],
        ["rank-by-comparing", '"A"x,B'],
        ["compare-models", "{vilar}", "--leave-out", '"A'],
    ],
)
def test_a_quote_that_does_not_end_is_bad_usage(capsys, vilar, arguments):
    code, out, err = run(capsys, *(a.replace("{vilar}", str(vilar)) for a in arguments))
    assert code == 3 and out == "" and "as in a CSV file" in err


def test_a_name_that_no_encoding_has_is_refused_before_it_is_saved(capsys, tmp_path):
    code, _, err = run(capsys, "rank-by-comparing", "\udcff,B", "--resume", tmp_path / "plan.json", "--json")
    assert code == 3 and "is not text" in err and not (tmp_path / "plan.json").exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no file names but in UTF-8")
@pytest.mark.parametrize("command", ["compare-two", "fit", "error-rates", "compare-models"])
def test_a_table_whose_file_name_is_no_utf_8_is_reported_on_all_the_same(capsys, tmp_path, command):
    path = tmp_path / "\udcff.csv"
    rows = [
        "first,second,outcome",
        *(f"{a},{b},{o}" for a, b in ("AB", "BC", "CA") for o in ("first", "second", "first", "first")),
    ]
    rates = ["system,sentence,errors,length", *(f"{s},{k},{k % 3},9" for s in "AB" for k in range(5))]
    path.write_text("\n".join(rates if command == "error-rates" else rows) + "\n", encoding="utf-8")
    more = (
        ["--train-sizes", "4", "--trials", "1", "--models", "pairs", "--test-size", "4"]
        if command == "compare-models"
        else []
    )
    reports = [tmp_path / f"out.{suffix}" for suffix in ("html", "md", "json")]
    code, _, err = run(capsys, command, path, *more, *(x for r in reports for x in ("--report", r)))
    assert code == 0, err
    assert all(r.stat().st_size for r in reports) and "\\udcff.csv" in reports[0].read_text("utf-8")
