"""Hopkins and May's whole experiment on the rankings of WMT, where they are, and what is said where they are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from markupsafe import escape

from pairproof.errors import InputError
from pairproof.validation import run
from pairproof.validation.report.rendering import ReportContext, render
from tests.places import ROOT
from tests.validation.runs import said

#: Statement -> verdict, name under which it is accepted ("" for none), a part of what is said.
STATEMENTS = {
    "duplicated-system": ("agrees", "", "two: A 0.6667, B 0.8333"),
    "sizes-of-competitions-wmt10": ("agrees", "", "from 5,174 to 13,694"),
    "sizes-of-competitions-wmt11": ("differs-conclusion", "false", "outside: ce 4,922"),
    "sizes-of-competitions-wmt12": ("differs-conclusion", "false", "outside: ec 22,882"),
    "comparisons-on-a-segment-wmt10": ("differs-conclusion", "false", "ce 3"),
    "comparisons-on-a-segment-wmt11": ("differs-conclusion", "false", "ce 6"),
    "comparisons-on-a-segment-wmt12": ("differs-conclusion", "false", "eg 1"),
    "five-rankings": ("agrees", "", "5 different rankings by 6 rules"),
    "four-systems": ("agrees", "", "(1) 0.40, (2) 0.80"),
    "agreement-in-wmt12": ("agrees", "", "11,382 of 19,771 pairs of judgments by 207 judges agree, 57.6 %"),
    "figure-1": ("agrees", "", "they differ by 0.77, radius 0.5: preference 2"),
    "lower-than-the-radius": ("differs", "erratum", "0 of the 64 differences are smaller"),
    "gibbs-converged": (
        "agrees",
        "",
        "between 3 runs of 200 iterations and one of 4 x 2000: irt-gaussian 0.0",
    ),
    "best-models-wmt10": ("agrees", "", "irt-gaussian 2.466, irt-categorical 2.48"),
    "gaussian-lowest-wmt10": ("agrees", "", "irt-gaussian is below irt-categorical by 0.01"),
    "gaussian-converges-first-wmt10": (
        "explained",
        "lowest-throughout",
        "there the closest are students-arithmetic at 100",
    ),
    "gaussian-converges-first-wmt11": ("explained", "lowest-throughout", "at 100 not clearly below "),
    "best-models-wmt11": (
        "explained",
        "not-told-apart",
        "irt-categorical is below students-geometric by 0.00",
    ),
    "gaussian-lowest-wmt11": ("agrees", "", "irt-gaussian is below irt-categorical by 0.02"),
    "indistinguishable-wmt12": ("explained", "larger-samples", "holds from 1600 training comparisons on"),
    "crowd-degrades-geometric": ("agrees", "", "students-geometric +0.14"),
    "crowd-irt-robust": ("agrees", "", "2.51"),
    "bands": ("explained", "other-training-sets", "20 have the same systems in places 1, 2-7, 8-10 and 11"),
    "arbitrary-order": ("explained", "smaller-sample", "from 1600, 0.99"),
    "arbitrary-order-by-cluster": ("agrees", "", "holds only under clustering"),
    "first-band-by-cluster": ("agrees", "", "CR2 by judge (19 clusters) 6"),
    "second-band-by-cluster": (
        "explained",
        "independent-answers",
        "CR2 by judge (19 clusters) 15 (not uedin",
    ),
    "last-band-by-cluster": ("agrees", "", "CR2 by source (480 clusters) 3"),
    "a-thousand-comparisons-wmt10": ("agrees", "", "irt-gaussian 6."),
    "a-thousand-comparisons-wmt11": ("agrees", "", "irt-gaussian 5."),
    "a-thousand-comparisons-wmt12": ("agrees", "", "irt-gaussian 5."),
}
#: Mean perplexities at 3200 comparisons that the specification's own program found with other random training
#: sets.
AT_3200 = {
    "wmt10": {
        "irt-gaussian": 2.466,
        "irt-categorical": 2.479,
        "students-geometric": 2.507,
        "students-arithmetic": 2.536,
        "pairs": 2.522,
        "adjusted-uniform": 2.816,
    },
    "wmt11": {"irt-gaussian": 2.579, "irt-categorical": 2.604, "students-geometric": 2.606, "pairs": 2.642},
    "wmt12": {
        "irt-gaussian": 2.737,
        "irt-categorical": 2.734,
        "students-geometric": 2.727,
        "students-arithmetic": 2.729,
        "pairs": 2.761,
    },
}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(1200)  # a minute on an idle machine
def test_hopkins_and_mays_table_3_verdicts_and_figures_come_out_of_the_rankings(shared: Path) -> None:
    rows = run("hopkins-may-2013", r="none", data=shared / "data" / "wmt")
    assert rows.exit_code == 0
    table = [a for a in rows if a.claim.startswith("table-3-")]
    assert len(table) == 48 and {a.verdict for a in table} == {"agrees"}
    rates = {a.claim: (a.printed, a.verdict) for a in rows if a.claim.startswith("agreement-of-")}
    assert rates == {"agreement-of-experts": ("65.8", "agrees"), "agreement-of-the-crowd": ("46.6", "agrees")}
    said(rows, STATEMENTS)
    assert isinstance(rows.context, ReportContext)
    figures_of_hopkins_and_may(rows.context)
    html = render(list(rows), rows.context, ".html")
    figures = [figure for story in rows.context.story for figure in story.figures]
    assert len(figures) == 6 and all(f"<figcaption>{escape(figure.caption)}" in html for figure in figures)


def perplexities_of_the_page() -> dict[str, dict[str, list[float]]]:
    """Year -> model -> mean perplexities by training size, as docs/hopkins-may-2013.md has them."""
    text = (ROOT / "docs" / "hopkins-may-2013.md").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[float]]] = {}
    for year in AT_3200:
        table = (
            text.partition(f": {year.upper()}\n")[2].partition("| mean perplexity |")[2].partition("\n\n")[0]
        )
        cells = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
        found[year] = {row[0]: [float(cell.replace("\\*", "")) for cell in row[1:]] for row in cells}
    return found


def figures_of_hopkins_and_may(context: ReportContext) -> None:
    """All drawn, and their perplexities those of another program with other random training sets."""
    stories = {story.title.partition(":")[0]: story for story in context.story}
    on_the_page = perplexities_of_the_page()
    assert [len(stories[f"Figure {k}"].figures) for k in (2, 3, 4, 5, 6)] == [1, 1, 1, 1, 2]
    for k, (year, expected) in zip((2, 3, 4), AT_3200.items()):
        table = stories[f"Figure {k}"].table
        assert table is not None and table.header[-1] == "3200"
        found = {row[0]: float(row[-1].rstrip("*")) for row in table.rows}
        assert [row[0] for row in table.rows] == list(on_the_page[year])
        # The page was made with one version of numpy; with another, chains may part: then as above.
        assert all(
            abs(float(cell.rstrip("*")) - shown) < 0.006
            for row in table.rows
            for cell, shown in zip(row[3:], on_the_page[year][row[0]][2:])
        )
        # Standard errors of these means over the training sets are 0.001 on either side; observed at most
        # 0.004.
        assert all(abs(found[model] - value) < 0.006 for model, value in expected.items()), (year, found)
        assert found["rao-kupper"] < min(
            found[model] for model in expected
        )  # better than anything the paper had


def test_claims_on_data_that_are_not_here_are_not_run_and_say_where_they_were_looked_for(
    tmp_path: Path,
) -> None:
    rows = run("hopkins-may-2013", r="none", data=tmp_path)
    assert rows.exit_code == 2
    missing = [a for a in rows if a.verdict == "not-run"]
    assert len(missing) == 48 + 2 + 27 and not any(a.accepted for a in missing)
    assert all(
        f"may not be distributed with pairproof; it is expected in {tmp_path}" in a.explanation
        for a in missing
    )
    assert {a.verdict for a in rows if a not in missing and a.about != "native-r"} == {"agrees", "differs"}
    assert isinstance(rows.context, ReportContext)
    (story,) = rows.context.story
    assert story.title == "Figures and tables that could not be made"
    assert [p.partition(":")[0] for p in story.paragraphs] == [
        *(f"Figure {k}" for k in (2, 3, 4, 5, 6)),
        "Three systems under clustering",
        "Every track under clustering",
    ]


def test_data_with_another_hash_are_refused(tmp_path: Path) -> None:
    (tmp_path / "wmt10.RNK_results.csv").write_text("srclang\n", encoding="utf-8")
    with pytest.raises(InputError, match="the data have changed"):
        run("hopkins-may-2013", r="none", data=tmp_path)
