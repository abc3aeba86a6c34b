"""The golden run: everything that must not move while the house is rebuilt, written down to the last bit.

    python -m tools.golden OUT                   every section, one file each, into the folder OUT
    python -m tools.golden OUT --only verbs      one section
    python -m tools.golden --against OLD NEW     what moved: numbers by their digits, texts by their lines

Sections: `verbs` (15 models by 20 verbs on made-up tables), `validate` (every paper, with the recorded R), `check`
and `explain` (the claims of every paper, without R), `errors` (what wrong calls are told), `migrate` (the corpus;
needs live R).  Floats are written by `repr`.  GOLDEN_ROOT names another checkout whose package is run, so that one
tool and one set of tables serve both.  Compare runs of one machine and one BLAS: the last bits are theirs.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(os.environ.get("GOLDEN_ROOT") or Path(__file__).resolve().parents[1])
PAPERS = (
    "agresti-2002", "annotation", "cems", "contests", "dras-2015", "firth-2005", "hopkins-may-2013", "inference",
    "patterns", "sakaguchi-2018", "sakaguchi-vandurme-2018", "turner-firth-2012", "vilar-2007",
    "wikipedia-bradley-terry",
)  # fmt: skip
#: What differs from run to run: seconds, folders, dates, versions of the day.
PASSING = re.compile(r'"(seconds|started|ended|made|version|folder|python|session|engine_seconds)":')


# -- tables, made up and the same for ever -------------------------------------------------------------------


def comparisons(pairproof: Any) -> Any:
    """720 comparisons of 5 items by 12 judges, with a covariate of judges, one of items and an offset."""
    import numpy as np

    draw = np.random.default_rng(20261123)
    worth = np.array([0.9, 0.4, 0.1, -0.3, -1.0])
    rows: dict[str, list[Any]] = {k: [] for k in "first second wins ties losses judge group x easy".split()}
    for judge in range(12):
        for i in range(5):
            for j in range(i + 1, 5):
                a, b = (i, j) if draw.random() < 0.5 else (j, i)
                eta = worth[a] - worth[b] + 0.3 * (judge % 2) + 0.2 * draw.normal()
                p = np.array([math.exp(eta), 0.6 * math.exp(eta / 2), 1.0])
                w, t, l = draw.multinomial(6, p / p.sum())
                values = (
                    "ABCDE"[a],
                    "ABCDE"[b],
                    w,
                    t,
                    l,
                    f"j{judge:02}",
                    "uv"[judge % 2],
                    judge / 4,
                    0.1 * (judge % 3),
                )
                for k, v in zip(rows, values):
                    rows[k].append(v if isinstance(v, str) else float(v))
    size = {n: {"size": s} for n, s in zip("ABCDE", (2.0, 1.1, 1.4, 0.7, 0.2))}
    return pairproof.read(rows, item_data=size)


def persons(pairproof: Any, kind: str) -> Any:
    """90 persons who compare, rank or rate 4 items, with a covariate."""
    import numpy as np

    draw = np.random.default_rng(7)
    items, worth = list("ABCD"), np.array([0.8, 0.3, 0.0, -0.6])
    seen = worth + draw.gumbel(size=(90, 4))
    group = {"group": ["uv"[k % 2] for k in range(90)]}
    if kind == "pairs":
        pairs = [(i, j) for j in range(4) for i in range(j)]
        table = {
            f"{items[i]}{items[j]}": [
                int(np.sign(round(2 * (a[i] - a[j] + draw.normal())) or 0)) for a in seen
            ]
            for i, j in pairs
        }
        return pairproof.read_respondents(
            {**table, **group}, layout="pairs", items=items, pair_order="prefmod",
            coding={"first": 1, "tie": 0, "second": -1},
        )  # fmt: skip
    if kind == "ranks":
        ranks = (-seen).argsort(axis=1).argsort(axis=1) + 1
        table = {n: ranks[:, k].tolist() for k, n in enumerate(items)}
        return pairproof.read_respondents({**table, **group}, layout="ranks", items=items)
    rated = np.clip(np.round(4 - seen), 1, 7).astype(int)
    table = {n: rated[:, k].tolist() for k, n in enumerate(items)}
    return pairproof.read_respondents(
        {**table, **group}, layout="ratings", items=items, scale=range(1, 8), best="low"
    )


def models(pairproof: Any) -> dict[str, Callable[[], Any]]:
    """The 15 models, by name."""
    t, p = comparisons(pairproof), pairproof
    bt: Callable[..., Callable[[], Any]] = lambda **options: lambda: p.fit_bradley_terry(t, **options)
    return {
        "llbt davidson": lambda: p.fit_llbt(t, ties="davidson"),
        "llbt by group": lambda: p.fit_llbt(t, ties="davidson", by="group"),
        "bt formula": bt(formula="size", ties="davidson"),
        "bt probit": bt(link="probit", ties="half"),
        "bt offset": bt(offset="easy", ties="davidson"),
        "bt general ties": bt(ties="davidson", tie_scale=True),
        "bt reduced bias": bt(reduce_bias="mean", ties="drop"),
        "bt random items": bt(formula="size + (1 | item)", ties="half"),
        "bt random judges": bt(random="item:judge", ties="half"),
        "patterns": lambda: p.fit_pattern(persons(p, "pairs"), ties="davidson"),
        "patterns dependent": lambda: p.fit_pattern(persons(p, "pairs"), ties="davidson", dependence=True),
        "rankings": lambda: p.fit_pattern(persons(p, "ranks")),
        "ratings": lambda: p.fit_pattern(persons(p, "ratings"), ties="davidson"),
        "plackett-luce": lambda: p.fit_plackett_luce(persons(p, "ranks")),
        "classes": lambda: p.fit_latent_classes(persons(p, "ranks"), 2, seed=1, starts=5),
    }


def cluster_of(fit: Any) -> str:
    return "group" if type(fit.spec).__name__ == "AnswerSpec" else "judge"


def group_of(fit: Any) -> dict[str, str]:
    """The group that is asked about, where a fit has several."""
    try:
        fit.contrast("A", "B")
    except Exception as error:  # noqa: BLE001  its message names the groups
        named = re.search(r"groups; name one of ([^,]+)", str(error))
        return {"group": named[1]} if named else {}
    return {}


#: Verb -> what is asked of a fit.
VERBS: dict[str, Callable[[Any], Any]] = {
    "summary": lambda f: f.summary(),
    "conf_int": lambda f: f.conf_int(),
    "cov_params": lambda f: f.cov_params(),
    "contrast": lambda f: f.contrast("A", "B", **group_of(f)),
    "contrasts": lambda f: f.contrasts(**group_of(f)),
    "ranks": lambda f: f.ranks(**group_of(f)),
    "worth": lambda f: f.worth(),
    "wald": lambda f: f.wald([n for n, se in zip(f.names, f.bse) if se > 0][:2]),
    "clustered CR1": lambda f: f.clustered(cluster_of(f)),
    "clustered CR2": lambda f: f.clustered(cluster_of(f), kind="CR2"),
    "bootstrap": lambda f: f.bootstrap(
        cluster_of(f), replicates=49, seed=3, quantity=[("A", "B")], **group_of(f)
    ),
    "profile": lambda f: f.profile(contrasts=[("A", "B")], **group_of(f)),
    "probabilities": lambda f: f.probabilities(),
    "residuals": lambda f: f.residuals(),
    "goodness_of_fit": lambda f: f.goodness_of_fit(),
    "quasi_variances": lambda f: f.quasi_variances(**group_of(f)),
    "with_reference": lambda f: f.with_reference("B"),
    "on_scale": lambda f: f.on_scale("log-odds"),
    "to_r": lambda f: f.to_r(),
    "to_dict": lambda f: f.to_dict(),
}

#: Calls that are refused, by what is wrong with them.
REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "no such item": lambda p, t: p.fit_llbt(t, ties="davidson", reference="Z"),
    "no ties said": lambda p, t: p.fit_llbt(t),
    "no such column": lambda p, t: p.fit_llbt(t, ties="davidson", by="nothing"),
    "formula": lambda p, t: p.fit_bradley_terry(t, formula="size +"),
    "unknown name": lambda p, t: p.fit_bradley_terry(t, formula="weight", ties="half"),
    "link": lambda p, t: p.fit_bradley_terry(t, link="log", ties="half"),
    "negative": lambda p, t: p.read(
        {"first": ["A"], "second": ["B"], "wins": [-1], "ties": [0], "losses": [2]}
    ),
    "self-pair": lambda p, t: p.read(
        {"first": ["A"], "second": ["A"], "wins": [1], "ties": [0], "losses": [2]}
    ),
    "columns": lambda p, t: p.read({"a": [1], "b": [2]}),
    "separated": lambda p, t: p.fit_llbt(
        p.read({"first": ["A"], "second": ["B"], "wins": [3], "ties": [0], "losses": [0]}), ties="drop"
    ).contrast("A", "B"),
    "not connected": lambda p, t: p.fit_llbt(
        p.read({"first": ["A", "C"], "second": ["B", "D"], "wins": [3, 1], "ties": [0, 0], "losses": [1, 2]}),
        ties="drop",
    ).contrast("A", "C"),
    "cluster": lambda p, t: p.fit_llbt(t, ties="davidson").clustered("nothing"),
    "cluster kind": lambda p, t: p.fit_llbt(t, ties="davidson").clustered("judge", kind="CR9"),
    "tracks": lambda p, t: p.split_tracks(t, "nothing"),
}


# -- plain values --------------------------------------------------------------------------------------------


def plain(value: Any, depth: int = 0) -> Any:
    """What a result says, as JSON; floats as their `repr`, so that every bit counts."""
    import numpy as np

    if isinstance(value, (str, bool)) or value is None:
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, np.ndarray):
        return [plain(v, depth + 1) for v in value.tolist()]
    if hasattr(value, "to_numpy") and hasattr(value, "index"):
        index = [str(i) for i in value.index]
        columns = [str(c) for c in value.columns] if hasattr(value, "columns") else []
        return {"index": index, "columns": columns, "values": plain(value.to_numpy().tolist(), depth + 1)}
    if isinstance(value, Mapping):
        return {str(k): plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        kept = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return [plain(v, depth + 1) for v in kept]
    if depth < 3:
        shown: dict[str, Any] = {"str": str(value)}
        for verb in ("to_dict", "to_frame"):
            if callable(getattr(value, verb, None)):
                shown[verb] = attempt(lambda: getattr(value, verb)(), depth + 1)
        if len(shown) == 1 and dataclasses.is_dataclass(value):
            shown |= {
                f.name: plain(getattr(value, f.name), depth + 1) for f in dataclasses.fields(value) if f.repr
            }
        return shown
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


def attempt(ask: Callable[[], Any], depth: int = 0) -> Any:
    """The answer, or the error in its own words, with what was warned of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = plain(ask(), depth)
        except Exception as error:  # noqa: BLE001  an error's text is what is written down
            answer = {"error": f"{type(error).__name__}: {error}"}
    told = sorted({f"{w.category.__name__}: {w.message}" for w in said})
    return {"answer": answer, "warned": told} if told else answer


# -- sections ------------------------------------------------------------------------------------------------


def verbs() -> dict[str, Any]:
    import pairproof

    found: dict[str, Any] = {}
    for name, make in models(pairproof).items():
        try:
            fit = make()
        except Exception as error:  # noqa: BLE001
            found[name] = {"error": f"{type(error).__name__}: {error}"}
            continue
        found[name] = {verb: attempt(lambda: ask(fit)) for verb, ask in VERBS.items()}
    answered = sum(
        "error" not in str(v)[:12] for own in found.values() for v in own.values() if isinstance(own, dict)
    )
    print(f"verbs: {answered} of {len(found) * len(VERBS)} cells answered")
    return found


def errors() -> dict[str, Any]:
    import pairproof

    table = comparisons(pairproof)
    return {name: attempt(lambda: call(pairproof, table)) for name, call in REFUSED.items()}


def command(*arguments: str, where: Path | None = None) -> dict[str, Any]:
    """Exit code and output of the command, of the package in ROOT."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PAIRPROOF_", "PYTEST_"))}
    environment |= {"PYTHONPATH": str(ROOT), "COLUMNS": "120", "NO_COLOR": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", "from pairproof.cli import main; main()", *arguments],
        cwd=where or ROOT, env=environment, capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    lines = [line for line in ran.stdout.splitlines() if not PASSING.search(line)]
    return {"exit": ran.returncode, "out": lines, "err": ran.stderr.splitlines()[-20:]}


def validate() -> dict[str, Any]:
    return {name: command("validate", name, "--r", "recorded", "--json") for name in PAPERS}


def check() -> dict[str, Any]:
    return {name: command("check", name, "--r", "none", "--json") for name in PAPERS}


def explain() -> dict[str, Any]:
    return {name: command("explain", name, "--json") for name in PAPERS}


def migrate() -> dict[str, Any]:
    corpus = ROOT / "tests" / "migration" / "corpus"
    found = {}
    for script in sorted(corpus.glob("*/*/analysis.R")):
        with tempfile.TemporaryDirectory() as place:
            home = Path(place) / script.parent.name
            shutil.copytree(script.parent, home)
            ran = command("migrate", "analysis.R", where=home)
            ran |= {
                f.name: f.read_text(encoding="utf-8").replace(place, "").splitlines()
                for f in sorted(home.rglob("*.py"))
                if not (script.parent / f.relative_to(home)).exists()
            }
            found[script.parent.name] = json.loads(json.dumps(ran).replace(place, ""))
    return found


SECTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    f.__name__: f for f in (verbs, errors, check, explain, validate, migrate)
}


# -- what moved ----------------------------------------------------------------------------------------------


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, own in value.items():
            yield from leaves(own, f"{path}/{key}")
    elif isinstance(value, list):
        for k, own in enumerate(value):
            yield from leaves(own, f"{path}/{k}")
    else:
        yield path, value


def digits(a: str, b: str) -> float | None:
    """Digits that two numbers share; None if they are not numbers."""
    try:
        x, y = float(a), float(b)
    except (TypeError, ValueError):
        return None
    if x == y or (math.isnan(x) and math.isnan(y)):
        return 17.0
    if not (math.isfinite(x) and math.isfinite(y)):
        return 0.0
    return min(17.0, max(0.0, -math.log10(abs(x - y) / max(abs(x), abs(y)))))


def against(old: Path, new: Path) -> int:
    """Print what differs; 1 if anything does."""
    moved = 0
    for path in sorted(old.glob("*.json")):
        if not (new / path.name).is_file():
            print(f"{path.stem}: not run in {new}")
            moved += 1
            continue
        a, b = (
            dict(leaves(json.loads((home / path.name).read_text(encoding="utf-8")))) for home in (old, new)
        )
        changed = [k for k in a if k in b and a[k] != b[k]]
        gone, more = [k for k in a if k not in b], [k for k in b if k not in a]
        print(f"{path.stem}: {len(a):,} leaves; {len(changed)} changed, {len(gone)} gone, {len(more)} new")
        for k in changed[:40]:
            shared = digits(a[k], b[k])
            print(f"  {k}: {a[k]!r} -> {b[k]!r}" + (f"  ({shared:.1f} digits)" if shared is not None else ""))
        for k in (gone + more)[:20]:
            print(f"  {'gone' if k in a else 'new'}: {k}: {a.get(k, b.get(k))!r}")
        moved += len(changed) + len(gone) + len(more)
    return 1 if moved else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--only", choices=SECTIONS, action="append")
    parser.add_argument("--against", nargs=2, type=Path, metavar=("OLD", "NEW"))
    options = parser.parse_args()
    if options.against:
        return against(*options.against)
    if options.out is None:
        parser.error("a folder to write to, or --against OLD NEW")
    options.out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT))
    for name in options.only or SECTIONS:
        found = SECTIONS[name]()
        (options.out / f"{name}.json").write_text(
            json.dumps(found, indent=1, sort_keys=True), encoding="utf-8"
        )
        print(f"{name}: {sum(1 for _ in leaves(found)):,} leaves")
    return 0


if __name__ == "__main__":
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    sys.exit(main())
