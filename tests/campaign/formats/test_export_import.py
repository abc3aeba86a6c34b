"""Files of the older tools, and that export followed by import is the identity."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given, settings, strategies as st

from pairproof.campaign import create, export, open_batch, status, take_in, take_over
from pairproof.errors import InputError
from pairproof.files.outputs import guard, unguard
from tests.campaign.helpers import answers, batch_rows, campaign, run_batches, scores, write

#: As the older tools' README shows a fresh project.
OLD_START = "id,sent,alpha,beta,mode,var\n" + "".join(
    f"{k},statement {k},1,1,0.5,0.0833\n" for k in range(1, 11)
)


def judgments(path):
    file = path.parent / f"{path.stem}-history.csv"
    export(path, file, "history")
    return file.read_bytes()


@pytest.mark.parametrize("what", ["scores", "model"])
@pytest.mark.parametrize("method", ["easl", "ra", "trueskill", "random"])
def test_export_then_import_is_the_identity(tmp_path, method, what):
    path = campaign(tmp_path, method=method)
    run_batches(path, 3)
    history = judgments(path)
    export(path, tmp_path / "out.csv", what)
    new = tmp_path / "new.db"
    found = take_over(new, tmp_path / "out.csv", [tmp_path / "C-history.csv"], method=method)
    assert found.model_is == "after" and not found.recomputed and found.about.per_hit == 5
    assert scores(new) == scores(path)
    assert judgments(new) == history
    for kind in ("scores", "model", "comparisons"):
        export(path, tmp_path / "a.csv", kind)
        export(new, tmp_path / "b.csv", kind)
        assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize("method", ["easl", "ra", "trueskill", "random"])
def test_a_model_file_alone_keeps_every_bit_of_the_state(tmp_path, method):
    path = campaign(tmp_path, method=method)
    run_batches(path, 2)
    export(path, tmp_path / "m.csv", "model")
    take_over(tmp_path / "new.db", tmp_path / "m.csv", method=method)
    keep = ("id", "score", "alpha", "beta", "var") + (("n",) if method in ("easl", "random") else ())
    assert [[r[k] for k in keep] for r in scores(tmp_path / "new.db")] == [
        [r[k] for k in keep] for r in scores(path)
    ]
    export(tmp_path / "new.db", tmp_path / "again.csv", "model")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "m.csv").read_bytes()


def test_pages_and_batches_that_are_out_stay_valid_in_the_campaign_that_took_over(tmp_path):
    path = campaign(tmp_path)
    rows = answers(batch_rows(path))
    take_in(path, write(tmp_path / "r.csv", rows[:1]))
    export(path, tmp_path / "s.csv")
    judgments(path)
    new = tmp_path / "new.db"
    take_over(new, tmp_path / "s.csv", [tmp_path / "C-history.csv"])
    assert status(new).about.id == status(path).about.id
    bob = answers(
        [{k.removeprefix("Input."): v for k, v in r.items() if k.startswith("Input.")} for r in rows[:1]],
        5,
        "bob",
    )
    assert take_in(new, write(tmp_path / "late.csv", bob)).new == 1
    assert take_in(new, tmp_path / "r.csv").known == 1


def test_a_project_of_the_older_tools_is_taken_over_before_its_first_result(tmp_path):
    (tmp_path / "political_0.csv").write_text(OLD_START, encoding="utf-8")
    path = tmp_path / "C.db"
    found = take_over(path, tmp_path / "political_0.csv")
    assert (found.about.method, found.about.columns, found.recomputed) == ("easl", ("sent",), False)
    # Nothing is known yet, so the first batch shows every item once, as in the older tools.
    rows = batch_rows(path)
    assert sorted(r[f"id{k}"] for r in rows for k in range(1, 6)) == sorted(map(str, range(1, 11)))


def old_results(tmp_path, name, n, seed):
    """Results as Mechanical Turk returns the older tools' batches: no campaign, batch or hit; the model's
    columns too.
    """
    rows = [
        {f"id{k}": str((5 * h + k - 1) % 10 + 1) for k in range(1, 6)}
        | {f"alpha{k}": "1" for k in range(1, 6)}
        | {"batch": "", "hit": ""}
        for h in range(n)
    ]
    for r in rows:
        r.update({f"sent{k}": "s" for k in range(1, 6)})
    found = answers(rows, seed)
    for k, r in enumerate(found):
        r["HITId"] = f"H{seed}{k}"
        r["AssignmentId"] = f"A{seed}{k}"
        del r["Input.batch"], r["Input.hit"]
    return write(tmp_path / name, found)


def test_a_running_project_with_its_results_is_taken_over_with_its_history(tmp_path):
    start = tmp_path / "political_0.csv"
    start.write_text(OLD_START, encoding="utf-8")
    results = [old_results(tmp_path, f"political_result_{k}.csv", 2, k) for k in (1, 2)]
    before = take_over(tmp_path / "before.db", start, results)
    assert before.model_is == "before" and [t.new for t in before.taken] == [2, 2]
    # What the older tools would have written after these results: sums, printed as Python prints them.
    sums = {}
    for file in results:
        for row in csv.DictReader(file.open(encoding="utf-8")):
            for k in range(1, 6):
                a, b = sums.get(row[f"Input.id{k}"], (1.0, 1.0))
                s = float(row[f"Answer.range{k}"]) / 100
                sums[row[f"Input.id{k}"]] = (a + s, b + (1 - s))
    model = tmp_path / "political_2.csv"
    model.write_text(
        "id,sent,alpha,beta,mode,var\n"
        + "".join(
            f"{k},statement {k},{a},{b},{(a - 1) / (a + b - 2)},{a * b / (a + b) ** 2 / (a + b + 1)}\n"
            for k, (a, b) in sorted(sums.items(), key=lambda x: int(x[0]))
        ),
        encoding="utf-8",
    )
    after = take_over(tmp_path / "after.db", model, results)
    assert after.model_is == "after" and scores(tmp_path / "after.db") == scores(tmp_path / "before.db")
    # A running project goes on: its next batch anchors the largest variances, and late results of old HITs
    # come in.
    batch_rows(tmp_path / "after.db")
    assert take_in(tmp_path / "after.db", old_results(tmp_path, "political_result_3.csv", 1, 3)).new == 1
    # Counted on top of the model where that is said.
    top = take_over(tmp_path / "top.db", model, results[:1], model_is="before")
    assert top.model_is == "before" and sum(r["n"] for r in scores(tmp_path / "top.db")) == 30


def test_the_later_tools_own_columns_are_taken_off_and_other_variances_are_said(tmp_path):
    file = tmp_path / "m_1.csv"
    file.write_text(
        (
            "id,premise,hypothesis,alpha,beta,mode,var,na_count,scores\n"
            "1,p,h,1.8,1.2,0.8,0.06,0, 0.80\n2,q,i,1.25,1.75,0.25,0.75,1, 0.25\n3,r,j,1,1,0.5,0.0833,0,\n"
        ),
        encoding="utf-8",
    )
    found = take_over(tmp_path / "C.db", file, per_hit=2)
    assert found.about.columns == ("premise", "hypothesis") and found.recomputed
    assert [r["n"] for r in scores(tmp_path / "C.db")] == [1, 1, 0]


def test_the_older_mu_and_sigma_become_trueskill(tmp_path):
    file = tmp_path / "m.csv"
    file.write_text("id,sent,mu,sigma\n1,a,25.5,8.1\n2,b,-3,7\n3,c,25,8.333\n", encoding="utf-8")
    assert take_over(tmp_path / "C.db", file, per_hit=2).about.method == "trueskill"
    export(tmp_path / "C.db", tmp_path / "out.csv", "model")
    back = list(csv.DictReader((tmp_path / "out.csv").open(encoding="utf-8")))
    assert [(float(r["mu"]), float(r["sigma"])) for r in back] == [(25.5, 8.1), (-3.0, 7.0), (25.0, 8.333)]


def test_results_of_two_campaigns_are_not_taken_over_together(tmp_path):
    one, other = campaign(tmp_path, name="one.db"), campaign(tmp_path, name="other.db")
    for k, path in enumerate((one, other)):
        write(tmp_path / f"r{k}.csv", answers(batch_rows(path)))
    export(one, tmp_path / "m.csv", "model")
    with pytest.raises(InputError, match="results of 2 campaigns"):
        take_over(tmp_path / "new.db", tmp_path / "m.csv", [tmp_path / "r0.csv", tmp_path / "r1.csv"])


# -- item text is data ---------------------------------------------------------------------------------------

NASTY = [
    '=HYPERLINK("http://x","y")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "'=1",
    "''@x",
    "-12",
    "<script>alert(1)</script>",
    "</script>",
    'a "quoted", text',
    "line\nbreak",
    "日本語 ✓ مرحبا",
    "&amp;",
    "${sent1}",
    "'plain",
    "\u2028",
    "x|y `z`",
]


@given(st.text(max_size=8))
@settings(max_examples=300)
def test_guarding_a_cell_can_be_undone_exactly(cell):
    safe = guard(cell)
    assert (unguard(safe) == cell) or safe == cell
    if safe != cell:
        assert unguard(safe) == cell


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1", "-cmd|' /C calc'!A0"]
)
def test_no_guarded_cell_begins_as_a_formula_does(cell):
    assert guard(cell)[0] == "'" and unguard(guard(cell)) == cell


@pytest.mark.parametrize("cell", ["-12", "+3.5", "-1e-5", "plain", "'quoted", "", "1=1"])
def test_numbers_and_plain_text_stay(cell):
    assert guard(cell) == cell


CELLS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\r"), max_size=6)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(CELLS.filter(str.strip), CELLS), min_size=4, max_size=9, unique_by=lambda r: r[0]))
def test_items_of_any_text_survive_batch_results_export_and_import(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("any")
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, quoting=csv.QUOTE_ALL).writerows([["id", "sent"], *rows])
    path = folder / "C.db"
    create(path, folder / "items.csv", per_hit=3, seed=1)
    assert [(name, [text]) for name, text in rows] == stored(path)
    open_batch(path, folder / "b.csv", without_texts=True)
    with (folder / "b.csv").open(encoding="utf-8", newline="") as file:
        batch = list(csv.DictReader(file))
    judged = [
        {f"Input.{k}": v for k, v in r.items()}
        | {f"Answer.range{k}": str(10 * k) for k in (1, 2, 3)}
        | {"WorkerId": "=w"}
        for r in batch
    ]
    with (folder / "r.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(judged[0]), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(judged)
    assert take_in(path, folder / "r.csv").new == len(batch)
    export(path, folder / "s.csv")
    history = judgments(path)
    take_over(folder / "new.db", folder / "s.csv", [folder / "C-history.csv"])
    assert scores(folder / "new.db") == scores(path) and stored(folder / "new.db") == stored(path)
    assert judgments(folder / "new.db") == history


def stored(path):
    import json
    import sqlite3

    db = sqlite3.connect(path)
    found = [
        (name, json.loads(fields))
        for name, fields in db.execute("SELECT id, fields FROM item ORDER BY position")
    ]
    db.close()
    return found


def nasty_campaign(tmp_path):
    items = tmp_path / "nasty.csv"
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [["id", "sent"], *([f"={k}" if k % 2 else str(k), text] for k, text in enumerate(NASTY))]
        )
    path = tmp_path / "N.db"
    create(path, items, per_hit=3, seed=2)
    return path


def test_formula_like_cells_are_harmless_in_every_csv_file_and_come_back_as_they_were(tmp_path):
    path = nasty_campaign(tmp_path)
    rows = batch_rows(path)
    assert not [c for r in rows for c in r.values() if c[:1] in ("=", "+", "@", "\t")]
    take_in(
        path,
        write(
            tmp_path / "r.csv",
            answers([{k: v for k, v in r.items() if k != "guarded"} for r in rows], per_hit=3),
        ),
    )
    for what in ("scores", "model", "history"):
        export(path, tmp_path / f"{what}.csv", what)
        cells = [
            c
            for row in csv.reader((tmp_path / f"{what}.csv").open(encoding="utf-8", newline=""))
            for c in row
        ]
        assert not [
            c for c in cells if c[:1] in ("=", "@", "\t", "+") or (c[:1] == "-" and not c[1:2].isdigit())
        ]
    take_over(tmp_path / "new.db", tmp_path / "scores.csv", [tmp_path / "history.csv"])
    assert scores(tmp_path / "new.db") == scores(path)
    open_batch(path, tmp_path / "one.jsonl", again=True)
    with_text = (tmp_path / "one.jsonl").read_text(encoding="utf-8")
    assert "=HYPERLINK" in with_text and "'=HYPERLINK" not in with_text
    export(tmp_path / "new.db", tmp_path / "back.csv")
    assert (tmp_path / "back.csv").read_bytes() == (tmp_path / "scores.csv").read_bytes()


def test_markup_in_an_item_is_no_markup_in_the_page_or_the_report(tmp_path):
    from pairproof.campaign.watch.status_report import page as page_of
    from pairproof.report.output import render_html, render_markdown

    items = tmp_path / "m.csv"
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [
                ["id", "<b>sent"],
                ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>"],
                ["a|b", "<!--"],
                ["c", "*/ x"],
            ]
        )
    path = tmp_path / "M.db"
    create(path, items, per_hit=3)
    open_batch(path, tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert (
        page.count("<script") == 2
        and page.count("</script>") == 2
        and "<img" not in page
        and "<!--" not in page.replace("<!DOCTYPE", "")
    )
    found = status(path)
    html, text = render_html(page_of(found, 0.95)), render_markdown(page_of(found, 0.95))
    assert "<img" not in html and "&lt;img src=x" in html
    assert "<img" not in text.replace("\\<", "") and r"a\|b" in text
