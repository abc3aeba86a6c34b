"""The pages say what the program does: every snippet is run, every table is made again, every file named is
there.
"""

from __future__ import annotations

import functools
import re

import pytest

import pairproof
from pairproof.bridge import Backend, Records
from tools import addresses
from tools.addresses import definitions
from tools.pages.pages import BLOCK, PAGES, blocks, make, missing, read
from tools.pages.sameness import differences
from tools.pages.snippets import OWN_RECORDS, ROOT, SnippetError, fences, records, with_output

#: Pages without snippets or blocks that `python -m tools.pages` makes.
NOT_MADE = (
    "docs/from-r.md",
    "docs/hopkins-may-2013.md",
    "docs/index.md",
    "docs/installing.md",
    "docs/licences.md",
    "docs/limits.md",
    "docs/speed.md",
    "docs/versions.md",
    "docs/what-a-fit-answers.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    "tests/certified/README.md",
)

#: Pages that take several seconds: campaigns and experiments simulated, commands, R's records by the hundred.
LONG = (
    *(
        f"docs/{name}.md"
        for name in (
            *("scalar-annotation", "does-it-match-r", "translation-competitions", "errors", "answers"),
            *("inference", "latent-classes", "sakaguchi-vandurme-2018", "tutorials/regression-tests"),
        )
    ),
)

#: Commands of `sh` fences, which are shown and not run: they change the machine.
SETS_UP = re.compile(r"(sudo )?(make|pip install|pairproof doctor|sh scripts/setup\.sh)\b")


@functools.lru_cache(maxsize=None)
def made_from_records(page: str) -> tuple[str, frozenset[str]]:
    """The page, and the files of docs/records that it asked for; made once."""
    used: set[str] = set()
    find = Records.find

    def watched(self, call):
        record = find(self, call)
        if record is not None and record.path.parent == OWN_RECORDS:
            used.add(record.path.name)
        return record

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Records, "find", watched)
        return make(page), frozenset(used)


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.nightly) if p in LONG else p for p in PAGES]
)
def test_a_page_made_again_from_records_is_the_committed_one(page):
    if missing(page):
        pytest.skip(f"{', '.join(missing(page))} not installed; {page} was not made")
    found = differences(read(page), made_from_records(page)[0])
    assert (
        not found
    ), f"{page} is not what is made now; `python -m tools.pages` writes it anew:\n" + "\n".join(found)


@pytest.mark.nightly
def test_every_record_of_the_documentation_is_used_by_its_page():
    asking = (
        *("does-it-match-r", "from-r-examples", "prefmod-classes", "prefmod-defects", "prefmod-to-pairproof"),
        *("bradleyterry2-to-pairproof", "bradleyterry2-defects", "bradleyterry2-silent", "trees"),
    )
    used = set().union(*(made_from_records(f"docs/{name}.md")[1] for name in asking))
    assert {path.name for path in OWN_RECORDS.glob("*.json")} == used


@pytest.mark.r("prefmod")
@pytest.mark.parametrize("page", ["docs/does-it-match-r.md"])
def test_the_page_made_live_is_the_committed_one_where_the_versions_are_those_it_names(page):
    from pairproof.validation.report.context import ASKED, versions

    live = Backend("live", records=records())
    here = versions(live)
    named = {name: re.search(rf"\b{name} ([\d.-]+\d)", read(page))[1] for name in ("R", *ASKED)}
    other = {name: (here[name], version) for name, version in named.items() if here[name] != version}
    if other:
        pytest.skip(f"the page was made with other versions (here, there): {other}")
    found = differences(read(page), make(page, live))
    assert not found, "\n".join(found)


# -- the rule by which two makings are the same --------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [
    ("| 13.9 | 5.4 |", "| 15.2 | 5.0 |"), ("A (live)", "A  (recorded)"), ("\u2500\u2500\u2500\u2500 a", "\u2500\u2500\u2500\u2500\u2500\u2500 a"),
    ("numpy 1.24.2, R 4.2.2", "numpy 2.4.6, R 4.2.2"), ("in 4 steps (at 1.8e-29)", "in 3 steps (at 3e-21)"), ("tie -0.000 0.10", "tie 0.000 0.10"), ("16.0,", "12.0,"), ("0.3503572642811198", "0.3503572642811191"),
])  # fmt: skip
def test_what_only_the_machine_changes_is_no_difference(a, b):
    assert differences(a, b) == []


@pytest.mark.parametrize(("a", "b"), [
    ("deviance 30.455 on 8", "deviance 30.456 on 8"), ("| 5.4 |", "| 6.4 |"), ("| 13.9 |", "| 11.2 |"), ("| 12.0 |", "| 3.0 |"),
    ("all agree", "all agree, one"), ("all agree, one", "all agree"), ("R 4.2.2", "R 4.5.0"), ("1,811 agree", "1,810 agree"),
    ("-1.098", "1.098"), ("0.3503572642811198", "0.3503572642911198"), ("p = 1.2e-32", "p = 1.3e-32"), ("47.0", "48.0"),
    ("reached in 4 steps", "reached in 3 steps"), ("-0.001", "0.001"),
])  # fmt: skip
def test_what_a_reader_would_notice_is_a_difference(a, b):
    assert len(differences(a, b)) == 1


def test_a_difference_is_shown_with_the_words_around_it():
    (found,) = differences("deviance 30.455 on 8 df here", "deviance 30.646 on 8 df here")
    assert "deviance [30.455] on 8 df" in found and "made now: [30.646]" in found


# -- snippets ------------------------------------------------------------------------------------------------


def page_of(code: str, output: str = "```text\n```\n") -> str:
    return f"```python\n{code}\n```\n\n{output}"


def test_what_a_snippet_prints_stands_under_it():
    assert "```text\n5\n```" in with_output(page_of("print(2 + 3)"))


def test_names_live_on_through_a_page():
    assert "```text\n7\n```" in with_output(page_of("x = 7", "") + page_of("print(x)"))


def test_an_output_that_changed_is_replaced():
    assert "old" not in with_output(page_of("print('new')", "```text\nold\n```\n"))


def test_a_file_of_a_page_is_there_for_its_snippets():
    csv = "```csv votes.csv\nfirst,second,outcome\nA,B,first\n```\n"
    assert "1 comparisons of 2 items" in with_output(
        csv + page_of("import pairproof; print(pairproof.read('votes.csv'))")
    )


def test_a_command_is_run_and_its_exit_code_can_be_shown():
    made = with_output('```console\n$ pairproof fit absent.csv; echo "exit code $?"\n```\n')
    assert "absent.csv" in made.splitlines()[2] and "exit code 3" in made


@pytest.mark.parametrize(("page", "said"), [
    (page_of("print(1)", ""), "has no text fence"), (page_of("1 / 0"), "ZeroDivisionError"),
    ("```python raises\nx = 1\n```\n", "no error was raised"), ("```yaml\na: 1\n```\n", "'yaml'"),
    ("```console\n$ no-such-command-here\n```\n", "not found"),
    (page_of("import pairproof; pairproof.read('absent.csv')"), "InputError"),
])  # fmt: skip
def test_a_snippet_that_does_not_do_what_the_page_says_is_an_error(page, said):
    with pytest.raises(SnippetError, match=re.escape(said)):
        with_output(page)


# -- what pages name -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_shell_fences_hold_only_commands_that_set_up(page):
    lines = [
        line for f in fences(read(page)) if f.language == "sh" for line in f.body.splitlines() if line.strip()
    ]
    assert [line for line in lines if not SETS_UP.match(line)] == []


def anchors(text: str) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", [*PAGES, *NOT_MADE])
def test_every_link_leads_somewhere(page):
    here = (ROOT / page).parent
    lost = []
    defined = [addresses.file_of(target, addresses.source()) for target in definitions(read(page)).values()]
    for target in [*re.findall(r"\]\(([^)]+)\)", read(page)), *defined]:
        path, _, anchor = target.partition("#")
        file = (here / path).resolve() if path else ROOT / page
        if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
            lost.append(target)
    assert lost == []


def test_every_page_has_its_links_tried_and_is_linked_from_the_index():
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert here <= {*PAGES, *NOT_MADE}
    index = read("docs/index.md")
    assert [page for page in sorted(here) if f"({page.removeprefix('docs/')}" not in index] == [
        "docs/index.md"
    ]


# -- the front door ------------------------------------------------------------------------------------------


def test_the_readme_is_short_and_every_tutorial_is_linked_from_it_and_takes_ten_minutes():
    lines = read("README.md").splitlines()
    assert len(lines) <= 150 and max(map(len, lines)) <= 110
    tutorials = [page for page in PAGES if page.startswith("docs/tutorials/")]
    assert len(tutorials) >= 4
    files = [addresses.file_of(t, addresses.source()) for t in definitions(read("README.md")).values()]
    assert [page for page in tutorials if page not in files] == []
    assert [page for page in tutorials if len(read(page).splitlines()) > 150] == []


def test_the_readme_has_its_links_at_its_end_and_under_the_address_of_the_project_if_it_has_one():
    text = read("README.md")
    assert re.findall(r"\]\([^)]*\)", text) == []
    defined = definitions(text)
    assert set(re.findall(r"\]\[([\w-]+)\]", text)) == set(defined)
    assert text == addresses.absolute(text, addresses.source()), "`python -m tools.addresses` writes them"


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("docs/data.md", "https://host.example/x/blob/main/docs/data.md"),
        ("https://host.example/x/blob/main/LICENSE", "https://host.example/x/blob/main/LICENSE"),
        ("docs/figures/first-fit.png", "https://host.example/x/raw/main/docs/figures/first-fit.png"),
    ],
)
def test_a_link_of_the_readme_is_written_absolute_once_there_is_an_address(target, written):
    address = "https://host.example/x"
    made = addresses.absolute(f"[a]\n\n[a]: {target}\n", address)
    assert definitions(made) == {"a": written}
    assert addresses.file_of(written, address) == addresses.file_of(target, address)


@pytest.mark.parametrize("page", ["README.md", *(p for p in PAGES if p.startswith("docs/tutorials/"))])
def test_what_is_run_first_needs_nothing_but_the_package(page):
    assert [f.body for f in fences(read(page)) if "tests/data" in f.body] == []


def test_every_file_that_is_named_to_contributors_is_there():
    text = read("CONTRIBUTING.md") + read("README.md")
    named = re.findall(
        r"`((?:pairproof|tests|docs|tools|benchmarks|scripts|\.ci)/[\w./-]*|Makefile|LICENSE|CITATION\.cff|r_requirements\.txt)`",
        text,
    )
    assert len(named) > 40
    # NAME stands for a name the reader gives; X for a page.
    assert [name for name in named if not re.search(r"NAME|\bX\b", name) and not (ROOT / name).exists()] == []


def test_the_readme_and_the_pages_name_everything_of_the_face():
    text = " ".join(read(page) for page in PAGES)
    hidden = {"__version__"}
    assert [
        name for name in pairproof.__all__ if name not in hidden and not re.search(rf"\b{name}\b", text)
    ] == []


def test_the_changelog_has_this_version_and_names_commands_that_are_there():
    from pairproof.cli.app import COMMANDS

    text = read("CHANGELOG.md")
    assert f"## {pairproof.__version__}\n" in text
    named = re.findall(r"`(\w+)`", re.search(r"^- \*\*Command\*\*: (.*)$", text, re.MULTILINE)[1])
    assert len(named) >= 5 and set(named) <= set(COMMANDS)


def test_every_block_has_a_place_and_a_maker():
    placed = [m["name"] for page in PAGES for m in BLOCK.finditer(read(page))]
    assert set(placed) == set(blocks())
