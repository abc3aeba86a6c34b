"""Errors on the command line name its options, not the arguments of Python's functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pairproof.cli.app import COMMANDS, app, run
from pairproof.cli.naming import flag, in_options
from tests.places import ROOT

FILES = {
    "t.csv": "first,second,wins,losses,judge,x\nA,B,9,3,j1,1\nB,C,4,6,j2,2\nA,C,5,5,j1,1\n",
    "votes.csv": "first,second,outcome\nA,B,first\nB,C,tie\nA,C,second\n",
    "blank.csv": "first,second,outcome\nA,B,first\nB,NA,second\nA,C,second\n",
    "padded.csv": 'first,second,outcome\nA,B,first\n"A ",B,second\n',
    "names.csv": "left,right,what\nA,B,first\nB,A,second\n",
    "coded.csv": "first,second,outcome\nA,B,1\nB,A,-1\nA,B,9\n",
    "both.csv": "first,second,outcome,wins,losses\nA,B,first,1,0\n",
    "tie.csv": "first,second,outcome\ntie,B,first\n",
    "wide.csv": "v1,v2,v3,sex\n1,-1,1,f\n-1,1,1,m\n1,1,-1,f\n",
    "codes.csv": "v1,v2,v3\n1,-1,1\n-1,1,1\n1,1,-1\n",
    "gone.csv": "first,second,wins,losses,sex\nA,B,3,1,f\nB,C,2,2,\nA,C,1,4,m\n",
    "crossed.csv": "A:C,A:B,B:C,sex\n1,-1,1,f\n-1,1,1,m\n1,1,-1,f\n",
    "matrix.csv": ",A,B\nA,0,3\nB,2,0\n",
    "own.csv": ",A,B\nA,7,3\nB,2,\n",
    "records.csv": ",A,B\nA,,3-2-1\nB,,\n",
    "matches.csv": "home,away,home_goals,away_goals,home_wins,away_wins\nA,B,3,1,1,0\n",
    "beaten.csv": "winner,loser,n,count\nA,B,3,1\n",
    "ranks.csv": "A,B,C,sex\n1,2,3,f\n2,1,3,m\n3,1,2,f\n1,3,2,m\n",
    "gaps.csv": "A,B,C\n1,2,\n2,1,3\n",
    "tied.csv": "A,B,C\n1,1,2\n2,1,3\n",
    "text.csv": "r\nA > B\nB > A\n",
    "orders.csv": "p1,p2\n1,2\n2,1\n",
    "ratings.csv": "A,B,C\n1,2,7\n3,1,2\n",
    "degrees.csv": 'pc\n"{A >> B, A < C, B > C}"\n"{A > B, A < C, B > C}"\n',
    "latin.csv": "first,second,outcome,who\nA,B,first,Jos\udce9\n",
    "systems.csv": "system,rank\nA,1\nB,2\n",
    "items.csv": "item,size\nA,1\nB,2\nC,4\n",
    "new.csv": "first,second\nA,Z\n",
    "rates.csv": "sentence,errors,length\ns1,1,5\ns2,2,6\n",
    "two.csv": "system,errors,length\nA,1,5\nA,2,6\nB,1,5\nB,3,6\n",
    "lost.csv": "model_a,model_b,winner\n" + "A,B,model_a\nB,A,model_a\nD,A,model_b\n",
    "source.csv": "first,second,outcome\n" + "A,B,first\nB,A,first\nA,B,tie\n" * 20,
}
#: Commands that read a table of comparisons.
COMPARISONS = (
    "fit",
    "predict --new t.csv",
    "compare-models",
    "compare-two",
    "audit",
    "sample-size",
    "watch",
    "claims new",
)
#: What is asked of each of them -> what its error names, as an option.
OF_READING = {
    "names.csv": "--col first=left",
    "wide.csv --layout prefmod": "--items A,B,C",
    "wide.csv --layout prefmod --items A,B,C --coding first=1,second=-1": "--pair-order prefmod",
    "wide.csv --layout prefmod --items A,B,C --pair-order prefmod": "--coding first=1,second=-1",
    "codes.csv --layout prefmod --items A,B --pair-order prefmod --coding first=1,second=-1": "--pairs COL,COL,...",
    "crossed.csv --layout prefmod --items A,B,C --pair-order prefmod --coding first=1,second=-1": "--pair-names ignore",
    "matrix.csv --layout matrix": "--winner rows",
    "matrix.csv": "--winner rows",
    "records.csv --winner rows": "--record wins-ties-losses (2 ties) or --record wins-losses-ties (1 ties)",
    "t.csv --record wins-ties-losses": "--record wins-ties-losses",
    "matches.csv": "--layout scores",
    "beaten.csv": "--layout winners --col weight=n",
    "both.csv": "--layout long",
    "t.csv --winner rows": "--winner rows",
    "t.csv --coding first=1": "--coding first=1",
    "t.csv --pair-order prefmod": "--pair-order prefmod",
    "t.csv --pairs x": "--pairs x",
    "t.csv --pair-names check": "--pair-names check",
    "padded.csv": "--rename 'A =A'",
    "blank.csv": "--rename NA=...",
    "tie.csv": "--rename 'tie'=NAME",
    "votes.csv --tie-category no": "--tie-category no",
    "latin.csv": "--encoding latin-1",
    "coded.csv --coding first=1,second=-1": "--coding",
    "systems.csv": "--col source=...",
    "matrix.csv --layout matrix --winner rows --col first=A": "--col first=A",
    "own.csv --winner rows": "--drop bad",
    "wide.csv --layout prefmod --drop bad": "--drop bad",
    "wide.csv --layout prefmod --rename A=B": "--rename A=B",
}  # fmt: skip
PAIRS = "--layout pairs --items A,B,C --pair-order prefmod --coding first=1,second=-1"
#: A command line -> what its error names.
CASES = {
    **{f"{c} {asked}": named for c in COMPARISONS for asked, named in OF_READING.items()},
    "fit t.csv --by tie:x": "--by tie:x",
    "fit t.csv --by x:judge": "--by x:judge",
    "fit t.csv --by order:judge": "--by order:judge",
    "fit t.csv --model bradley-terry --formula nothing": "--formula nothing",
    "fit t.csv --model bradley-terry --formula item+order": "--order-effect",
    "fit votes.csv --model bradley-terry --reduce-bias median": "--reduce-bias median",
    "fit votes.csv --model bradley-terry --reduce-bias median --order-effect": "--ties half",
    "fit t.csv --model bradley-terry --link probit --by x": "--formula 'item + item:judge'",
    "fit t.csv --model bradley-terry --link cauchit --cluster judge --cluster-kind CR2": "--cluster-kind CR1",
    "fit t.csv --model bradley-terry --offset nothing": "--offset nothing",
    "fit t.csv --model bradley-terry --weights nothing": "--weights nothing",
    "fit t.csv --model bradley-terry --method pql": "--method pql",
    "fit t.csv --model bradley-terry --random judge": "--random judge",
    "fit t.csv --item-data items.csv --model bradley-terry --formula item --separate A": "--separate A",
    "fit t.csv --contrasts all-pairs --level 0.3": "--level 0.3",
    "fit t.csv --rows votes.csv --cluster judge --cluster-kind CR2": "--rows",
    "fit t.csv --where judge": "--where judge",
    "fit t.csv --cluster who": "--rows SOURCE, --cluster-kind CR1",
    "fit gone.csv --by sex": "leave these rows out with --where 'sex!='",
    "count t.csv --by judge --most-cells 1": "--most-cells 2",
    "audit t.csv --time judge": "--time",
    "fit-answers ranks.csv --layout ranks": "--items A,B,C",
    "fit-answers ranks.csv --layout ranks --items A,B,C --times 2": "--times 2",
    "fit-answers ranks.csv --layout ranks --items X,Y": "--answers COL,COL,...",
    "fit-answers ranks.csv --layout ranks --items A,B,C --item-data items.csv --item-terms size --reference A": "--reference A",
    "fit-answers ranks.csv --layout ranks --items A,B,C --by tie:sex": "--by tie:sex",
    "fit-answers gaps.csv --layout ranks --items A,B,C": "--unranked absent",
    "fit-answers tied.csv --layout ranks --items A,B,C --tie-category no": "--tie-category no",
    "fit-answers text.csv --layout ranking-text --column r --above =": "--above = and --tied-by ' = '",
    "fit-answers orders.csv --layout orders --places p1,p2 --item-cells numbers": "--items A,B,C",
    "fit-answers orders.csv --layout orders --places p1,p1": "--places",
    "fit-answers ratings.csv --layout ratings --items A,B,C --scale 1-5 --best low": "--scale",
    "fit-answers ranks.csv --layout ranks --items A,B,C --model plackett-luce --prior 1 --errors rankings": "--errors rankings",
    "fit-answers degrees.csv --layout paircomp --column pc": "--degrees ignore",
    "fit-answers t.csv --layout rankings": "--layout ranks",
    f"fit-answers crossed.csv {PAIRS}": "--pair-names ignore",
    f"tree crossed.csv {PAIRS}": "--pair-names ignore",
    "tree degrees.csv --layout paircomp --column pc": "--degrees ignore",
    "tree names.csv": "--col first=left",
    "compare-models source.csv --irt-items shared --models irt-gaussian": "--irt-items fresh",
    "error-rates two.csv --pair A,B": "--sentence",
    "error-rates rates.csv --pair A,B": "--system",
    "leaderboard lost.csv --anchor D=1000": "--anchor D",
    "rank-by-comparing A,B,C --answer tie": "--tie-rule listed",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    monkeypatch.chdir(tmp_path)


def command(name: str) -> click.Command:
    found = app.get_command(click.Context(app), name)
    assert found is not None
    return found.commands["new"] if isinstance(found, click.Group) else found  # the only one of claims


def named_in_python(message: str, of: click.Command) -> list[str]:
    """Arguments with their values that stand where an option should."""
    options = {p.name for p in of.params if isinstance(p, click.Option)}
    plain = re.sub(r"'[^']*'|--[a-z-]+ \S+", "", message)
    return [name for name in re.findall(r"(?<![\w.-])([a-z]\w*)=", plain) if name in options]


@pytest.mark.parametrize("line", CASES)
def test_an_error_names_the_option_and_not_the_argument(line, capsys):
    assert run(line.split()) == 3
    said = capsys.readouterr().err
    assert CASES[line] in said and named_in_python(said, command(line.split()[0])) == [], said


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("columns={'first': 'left'} (--col first=left); layout='matrix'", "--col first=left; --layout matrix"),
        ("say so (tie_category=True, --tie-category yes)", "say so (--tie-category yes)"),
        ("--rename 'tie'=NAME or rename={'tie': ...}", "--rename 'tie'=NAME"),
        ("levels={'x': [...]}, --levels 'x'=..., makes", "--levels x=..., makes"),
        ("a column 'items=3' and \"by=2\"", "a column 'items=3' and \"by=2\""),
        ("to_csv(index=False), read(source, layout='long')", "to_csv(index=False), read(source, layout='long')"),
        ("item_terms=['x', 'y'] or by='judge + x'", "--item-terms x,y or --by 'judge + x'"),
        ("order_effect=True, order_effect=False", "--order-effect, no --order-effect"),
        ("state missing=NA in coding=", "state missing=NA in --coding"),
        ("kind='CR3'; kind='CR1'", "kind='CR3'; --cluster-kind CR1"),
        ("--force (force=True in Python) to replace it", "--force to replace it"),
    ],
)  # fmt: skip
def test_values_are_written_as_on_the_command_line(message, said):
    assert in_options(message, command("fit")) == said
    assert in_options(message, None) == message


def messages() -> Iterator[str]:
    """Texts of the rooms that commands call, without docstrings: what an error may say."""
    for room in ("data", "fit", "native", "numerics", "files"):
        for path in (ROOT / "pairproof" / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    yield "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
                elif (
                    isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value
                ):
                    yield node.value


#: Arguments that errors name and that no command line can provoke, with the reason.
NOT_PROVOKED = {
    **dict.fromkeys(("adjust", "against", "tie_orders", "pseudo", "between_times", "dependence", "classes", "compat"),
                    "the command refuses it before Python does"),
    **dict.fromkeys(("alpha", "corrected", "link", "missing", "pair", "planned", "replicates", "starts", "within",
                     "workers", "zero_based", "per_hit", "model", "n"), "the option's own type refuses it"),
    **dict.fromkeys(("cells", "beta", "covariates", "expected", "contrasts", "se", "ties_unresolved", "comparison_terms"),
                    "of a function that has no command, or in a warning"),
    **dict.fromkeys(("item_data", "item_terms", "force", "person", "sources", "name"),
                    "the message is of Python, or names the option already"),
    "levels": "of a column in memory, or of tracks that are numbers: tests/data/test_tracks.py",
}  # fmt: skip


def test_every_argument_that_an_error_names_is_provoked_or_has_its_reason():
    options = {o for n in COMMANDS if n != "easl" for p in command(n).params for o in p.opts}
    said = {name for text in messages() for name in re.findall(r"(?<![\w.-])([a-z]\w*)=(?!=)", text)}
    provoked = {f for named in CASES.values() for f in re.findall(r"--[a-z-]+", named)}
    assert sorted(n for n in said - set(NOT_PROVOKED) if flag(n) in options - provoked) == []
    assert sorted(n for n in NOT_PROVOKED if n not in said or flag(n) in provoked) == []
