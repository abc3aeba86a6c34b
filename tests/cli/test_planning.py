"""compare-two by judges and clusters, sample-size and watch: their answers, their JSON, bad usage."""

from __future__ import annotations

import json

import pytest

from pairproof.cli import main
from pairproof.files.outputs import DOCUMENTS
from tests.places import DATA


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    return code, *capsys.readouterr()


def document(capsys, *arguments):
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    return json.loads(out)


@pytest.fixture
def vilar(tmp_path):
    """All seven pairs of Table 2."""
    lines = (DATA / "vilar_table2.csv").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "vilar.csv"
    path.write_text("\n".join(["first,second,judge,wins,losses,ties", *lines[1:]]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    rows = [f"A,B,{'first' if k % 3 else 'second'},j{k // 10:02}" for k in range(300)]
    path.write_text("\n".join(["first,second,outcome,judge", *rows]) + "\n", encoding="utf-8")
    return path


# -- compare-two ---------------------------------------------------------------------------------------------


def test_the_headline_of_each_pair_is_by_judges_and_corrected_for_seven(capsys, vilar):
    rows = [row for row in document(capsys, "compare-two", vilar) if row["judge"] is None]
    assert len(rows) == 7
    found = {row["first"] + row["second"]: row for row in rows}
    headline = found["AD"]["headline"]
    assert (headline["test"], headline["df"]) == ("judge means", 6.0)
    assert headline["t"] == pytest.approx(-4.34063607036, rel=1e-11)
    assert headline["p"] == pytest.approx(0.00487193174308, rel=1e-10)
    # B-D .00004, A-E .0018, C-D .0032, A-D .0049, A-B .0055: fourth and fifth of seven by Holm.
    assert headline["p_holm"] == pytest.approx(4 * 0.00487193174308, rel=1e-10)
    tests = found["AD"]["by_judge"]
    assert tests["judges_differ"]["statistic"] == pytest.approx(83.3196212215, rel=1e-11)
    assert set(tests) == {"n_judges", "sum", "judges_differ", "judges_differ_decisive", "judge_means", "sign_flips",
                          "by_judge_clusters", "beta_binomial", "random_effect"}  # fmt: skip
    assert found["AD"]["z"] == pytest.approx(-7.581, abs=5e-4)  # the paper's own z stays where it was


def test_the_page_says_which_test_holds_and_why(capsys, vilar):
    _, out, _ = run(capsys, "compare-two", vilar, "--pair", "A,D")
    assert (
        "A and D: judges differ (chi-square 83.3 on 12, p = 9.567e-13), so the mean of 7 judges is tested"
        in out
    )
    assert "the sum's z of -7.30 takes all answers as independent" in out
    _, out, _ = run(capsys, "compare-two", vilar, "--pair", "A,D", "--cluster", "judge")
    assert "standard error CR2 by judge (7 clusters), as asked" in out and "-0.6566" in out


def test_many_pairs_have_their_reasons_together(capsys, tmp_path):
    path = tmp_path / "many.csv"
    rows = [f"A,{b},{j},{4 + k},{5 - j}" for k, b in enumerate("BCDEFGHIJKLMN") for j in (1, 2, 3)]
    path.write_text("\n".join(["first,second,judge,wins,losses", *rows]) + "\n", encoding="utf-8")
    code, out, _ = run(capsys, "compare-two", path)
    assert (
        code == 0
        and "13 pairs, tested by judge means (13)" in out
        and "judges differ (p < .05) in 0 of 13" in out
    )


def test_a_p_value_that_one_judge_decides_is_said_to_mean_nothing(capsys, tmp_path):
    # One judge has 800 of 803 answers: CR2 gives p = .014 on 1.005 degrees of freedom.
    path = tmp_path / "one_busy.csv"
    rows = ["A,B,1,1,0", "A,B,2,0,1", "A,B,3,500,300", "A,B,4,1,0"]
    path.write_text("\n".join(["first,second,judge,wins,losses", *rows]) + "\n", encoding="utf-8")
    _, out, _ = run(capsys, "compare-two", path, "--cluster", "judge")
    assert "df 1.01, below 2: one or two clusters decide nearly all, and p means nothing" in out
    _, out, _ = run(capsys, "compare-two", path)
    assert "the clustered log-odds count answers, but on df 1.01: few judges decide it" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster", "source"], "no column 'source' to cluster by; its columns are judge"),
        (["--cluster", "judge,source,x"], "expected one column, or two different ones"),
        (["--cluster-kind", "CR1"], "--cluster-kind has no effect without --cluster"),
    ],
)
def test_clusters_of_two_systems_that_cannot_be_are_refused(capsys, vilar, arguments, said):
    code, out, err = run(capsys, "compare-two", vilar, *arguments)
    assert (code, out) == (3, "") and said in err and len(err.strip().splitlines()) <= 2


# -- sample-size ---------------------------------------------------------------------------------------------

ASSUMED = ("--margin", "0.1", "--tie-rate", "0.25", "--icc-judge", "0.05")


def test_a_plan_says_what_it_takes_and_what_cannot_be_reached(capsys):
    found = document(
        capsys, "sample-size", *ASSUMED, "--judges", "30", "--per-judge", "60", "--simulate", "300"
    )
    assert DOCUMENTS["sample-size"] <= found.keys()
    assert found["power"] == pytest.approx(0.6696, abs=5e-5) and found["answers_needed"] is None
    assert found["highest_power"] < 0.8 and any(
        "cannot be reached with 30 judges" in n for n in found["notes"]
    )
    assert {n["per_judge"]: n["judges"] for n in found["judges_needed"]}[60] == 41
    s = found["simulated"]
    assert s["studies"] == 300 and abs(s["power"] - found["power"]) < 4 * s["error"]
    again = document(
        capsys, "sample-size", *ASSUMED, "--judges", "30", "--per-judge", "60", "--simulate", "300"
    )
    assert again == found


def test_a_pilot_gives_what_is_not_stated(capsys, vilar):
    found = document(capsys, "sample-size", vilar, "--pair", "A,B", "--margin", "0.1", "--judges", "40")
    pilot = found["pilot"]
    assert pilot["answers"] == 700 and pilot["margin"] == pytest.approx(-0.238571428571)
    assert found["expected"]["tie_rate"] == pilot["tie_rate"] == pytest.approx(123 / 700)
    assert found["expected"]["judge_icc"] == pilot["judge_icc"]["icc"] > 0 and pilot["source_icc"] is None
    assert found["expected"]["margin"] == 0.1 and found["answers_needed"] == 25


@pytest.mark.parametrize("goal", ["contrast", "ranking", "top-k"])
def test_several_systems_are_planned_from_abilities_or_a_pilot(capsys, goal):
    pair = ("--pair", "A,B") if goal == "contrast" else ()
    stated = ("--abilities", "1,0.4,0", "--judge-sd", "0.2", "--judges", "30", "--per-judge", "60")
    found = document(capsys, "sample-size", "--goal", goal, *pair, *stated)
    assert DOCUMENTS["sample-size"] <= found.keys() and found["goal"] == goal
    assert 0 < found["power"] <= found["highest_power"] + 0.1 and found["judges_needed"] >= 2
    pilot = document(
        capsys, "sample-size", DATA / "inference_d24.csv", "--goal", goal, *pair, "--judges", "60"
    )
    assert pilot["design"] == {"judges": 60, "per_judge": 15.0, "sources": 30.0}
    assert pilot["expected"]["judge_sd"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give --margin"),
        (["--margin", "2"], "cannot exceed 1 - P"),
        (["--margin", "0.1", "--icc-judge", "1.2"], "together below 1"),
        (["--margin", "0.1", "--judges", "1"], "at least two of each"),
        (["--margin", "0.1", "--simulate", "9"], "--simulate needs a study"),
        (["--margin", "0.1", "--abilities", "1,0"], "--abilities has no effect with --goal two"),
        (["--margin", "0.1", "--top", "2"], "--top has no effect with --goal two"),
        (["--margin", "0.1", "--power", "1"], "0<x<1"),
        (["--goal", "ranking"], "give --abilities, --judges, --per-judge"),
        (["--goal", "ranking", "--margin", "0.1"], "--margin has no effect with --goal ranking"),
        (["--goal", "ranking", "--abilities", "1,x"], "expected log-odds separated by commas"),
        (
            ["--goal", "top-k", "--top", "2", "--abilities", "1,0", "--judges", "9", "--per-judge", "9"],
            "the top 2 of 2",
        ),
        (["--goal", "contrast", "--abilities", "1,0", "--judges", "9", "--per-judge", "9"], "--pair A,B"),
        (["nofile.csv", "--margin", "0.1"], "no such file"),
        (["--margin", "nan"], "cannot exceed 1 - P"),
        (["--margin", "0.1", "--tie-rate", "-1"], "P(tie) -1; expected at least 0 and below 1"),
        (["--margin", "0.1", "--pair", "A,B"], "--pair has no effect without a pilot FILE"),
        (["--margin", "0.1", "--judges", "10", "--sources", "1"], "a study of 10 judges and 1 sources"),
        (
            [
                "--goal",
                "ranking",
                "--abilities",
                "1,0",
                "--judges",
                "9",
                "--per-judge",
                "9",
                "--source-sd",
                "0.3",
            ],
            "--source-sd has no effect without --sources",
        ),
        (["--margin", "0.1", "--report", "x.xml"], "a sample size has none"),
    ],
)
def test_bad_usage_of_sample_size_ends_with_3(capsys, arguments, said):
    code, out, err = run(capsys, "sample-size", *arguments)
    assert (code, out) == (3, "") and said in err and len(err.strip().splitlines()) <= 2


@pytest.mark.parametrize("margin", ["0", "1", "1e-9"])
def test_a_margin_at_its_ends_is_planned(capsys, margin):
    found = document(capsys, "sample-size", "--margin", margin, "--judges", "4", "--per-judge", "5")
    assert found["power"] == pytest.approx(1.0 if margin == "1" else 0.05)
    reason = {"0": "a margin of 0 cannot be found", "1e-9": "more than 1,000,000 judges"}.get(
        margin, "4 judges"
    )
    assert any(reason in note for note in found["notes"])


def test_a_pilot_of_equal_answers_has_no_correlation_and_no_limits(capsys, tmp_path):
    path = tmp_path / "alike.csv"
    path.write_text("first,second,judge,wins,losses\nA,B,1,10,0\nA,B,2,7,0\n", encoding="utf-8")
    pilot = document(capsys, "sample-size", path, "--margin", "0.1")["pilot"]
    assert pilot["judge_icc"] is None and pilot["margin_conf_int"] is None
    assert "judge: all answers are the same, so that their correlation is not known" in pilot["notes"]
    _, out, _ = run(capsys, "sample-size", path)
    assert "nan" not in out


def test_sources_that_do_not_differ_are_said_to(capsys):
    found = document(capsys, "sample-size", "--margin", "0.1", "--icc-judge", "0.05", "--sources", "10")
    assert any(
        "correlation of 0 by source says that sources do not differ" in note for note in found["notes"]
    )


def test_a_pilot_of_several_pairs_asks_which(capsys, vilar):
    code, _, err = run(capsys, "sample-size", vilar)
    assert code == 3 and "7 pairs of systems are compared; name the two (--pair A,B)" in err
    code, _, err = run(capsys, "sample-size", vilar, "--goal", "ranking", "--sources", "50")
    assert code == 3 and "--sources needs a pilot with a source column" in err


# -- watch ---------------------------------------------------------------------------------------------------


def test_two_systems_are_watched_by_answers_judges_and_clusters(capsys, votes):
    found = document(capsys, "watch", votes, "--cluster", "judge")
    assert DOCUMENTS["watch"] <= found.keys()
    how = [(i["what"], i["how"].split(",")[0]) for i in found["intervals"]]
    assert how == [
        ("share of decisive answers", "beta mixture"),
        ("mean score, ties 1/2", "hedged capital"),
        ("mean of judges' mean scores", "hedged capital"),
        ("log-odds", "asymptotic"),
    ]
    assert all(i["low"] < i["estimate"] < i["high"] for i in found["intervals"])
    assert found["intervals"][0]["settled"] and found["intervals"][0]["settled_at"] < 300
    _, out, _ = run(capsys, "watch", votes)
    assert "equality is excluded since" in out and "answers came in the order of the rows" in out


def test_where_there_are_judges_an_interval_of_independent_answers_is_not_the_answer(capsys, tmp_path, vilar):
    # Seven judges who differ (p = 1e-12): their 530 answers alone exclude equality, the judges do not.
    found = document(capsys, "watch", vilar, "--pair", "A,D")
    judges, share, score = found["notes"]
    assert judges == "mean of judges' mean scores (hedged capital): nothing is settled yet"
    assert share.startswith("share of decisive answers (beta mixture), if judges do not differ: D is ahead")
    assert score.startswith("mean score, ties 1/2 (hedged capital), if judges do not differ: no interval")
    path = tmp_path / "no_judges.csv"
    path.write_text("first,second,wins,losses\nA,B,60,30\n", encoding="utf-8")
    assert not any("judges" in note for note in document(capsys, "watch", path)["notes"])


def test_equality_that_was_excluded_only_at_a_former_look_is_not_called_excluded(capsys, tmp_path):
    path = tmp_path / "turned.csv"
    outcomes = ["first"] * 8 + ["second"] * 8
    path.write_text("first,second,outcome\n" + "".join(f"A,B,{o}\n" for o in outcomes), encoding="utf-8")
    share = document(capsys, "watch", path)["notes"][0]
    assert "equality was excluded at 7 answers, but the interval now includes it again" in share


def test_all_pairs_of_a_table_with_judges_say_that_its_answers_are_taken_as_independent(capsys, vilar):
    d24 = DATA / "inference_d24.csv"
    caution = (
        "answers of one judge or about one source are taken as independent here: --cluster judge,source does"
    )
    assert document(capsys, "watch", d24)["notes"][1].startswith(caution)
    assert not any(
        "as independent" in note for note in document(capsys, "watch", d24, "--cluster", "judge")["notes"]
    )
    assert "--cluster judge does not" in document(capsys, "watch", vilar)["notes"][1]


def test_all_pairs_are_watched_together(capsys, vilar):
    found = document(capsys, "watch", vilar, "--planned", "5000")
    assert len(found["intervals"]) == 10 and found["planned"] == 5000
    assert found["notes"][0].startswith("6 of 10 pairs are settled")
    by_judge = document(capsys, "watch", vilar, "--cluster", "judge")
    assert all("starts at 20 clusters, here are 7" in i["why_not"] for i in by_judge["intervals"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--level", "2"], "0<x<1"),
        (["--pair", "A"], "names 1 systems"),
        (["--pair", "A,Z"], "no system 'Z'"),
        (["--planned", "9"], "--planned has no effect on two systems without --cluster"),
        (["--cluster", "source"], "no column 'source' to cluster by"),
        (["--cluster-kind", "CR0"], "--cluster-kind has no effect without --cluster"),
        (["--report", "x.xml"], "a look has none"),
    ],
)
def test_bad_usage_of_watch_ends_with_3(capsys, votes, arguments, said):
    code, out, err = run(capsys, "watch", votes, *arguments)
    assert (code, out) == (3, "") and said in err and len(err.strip().splitlines()) <= 2


# -- compare-models ------------------------------------------------------------------------------------------


def test_models_are_compared_by_clusters_of_the_test_set(capsys, votes):
    quick = (
        "--train-sizes",
        "60",
        "--trials",
        "2",
        "--models",
        "bradley-terry,uniform",
        "--workers",
        "1",
        "--quiet",
    )
    plain = document(capsys, "compare-models", votes, *quick)
    found = document(capsys, "compare-models", votes, *quick, "--cluster", "judge")
    assert set(found) - set(plain) == {"covariance", "differences"}
    assert found["perplexity"] == plain["perplexity"]
    assert found["covariance"]["kind"] == "CR2" and found["covariance"]["clusters"] == ["judge"]
    (row,) = found["differences"]
    assert row["se"] > 0 and row["low"] < row["mean"] < row["high"]
    _, out, _ = run(capsys, "compare-models", votes, *quick, "--cluster", "judge")
    assert "Differences from the best, CR2 by judge" in out
    code, _, err = run(capsys, "compare-models", votes, *quick, "--cluster", "source")
    assert code == 3 and "no column 'source' to cluster by" in err
