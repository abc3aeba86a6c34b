"""Reads `*.claims.toml` into a `Paper`, with the line in every error."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from ...data.comparisons import LARGEST_COUNT
from ...errors import InputError
from ...files.inputs import read_file
from ...fit.spec import Family, Scale, Ties
from ...text import label, named, quoted, shortened
from ..papers.folders import shipped
from ..statements.catalogue import COMPUTATIONS, TESTS
from .paper import Claim, DataKind, DataSpec, ModelClaim, Paper, PrintedQuantity, Reading, Stops
from .printed import MOST_PRINTED, R_LEGEND, Printed
from .quantities import check_name, kind_of
from .toml_document import parsed_toml
from .toml_lines import LineMap, Path as KeyPath
from .typed_fields import TypedFields

#: Bytes of a claims file: the longest that ships has 0.1 MB, and one that holds more data keeps them in a
#: file beside it.
MOST_CLAIMS = 16 * 1024**2
_PAPER = ("id", "title", "doi", "read_from", "transcribed_by", "note")
_DATA = (
    "kind",
    "columns",
    "rows",
    "file",
    "sha256",
    "in_place",
    "item_data",
    "items",
    "winner",
    "from",
    "printed_pairs",
    "read_as_pairs",
    "only",
    "note",
    "games",
)
_MODEL = ("family", "ties", "by", "reference", "order_effect", "cells", "scale", "item_terms", "separate")
#: Tables of printed numbers by parameter, and printed numbers of the whole fit.
_BY_PARAMETER = ("estimate", "se", "z", "p")
_SCALAR = ("deviance", "null_deviance", "df_resid", "df_null", "llf", "aic", "bic")
_CLAIM = (
    "id",
    "where",
    "data",
    "model",
    *_BY_PARAMETER,
    *_SCALAR,
    "stat",
    "statement",
    "test",
    "args",
    "compute",
    "explanation",
    "compare_only",
    "engines",
    "accept",
    "alpha",
    "sided",
    "aic_definition",
    "legend",
    "reading",
    "note",
)
_READING = ("name", "sentence", "data", "model", "stops")
#: Kinds of numbers that are p-values, of which "n.s." and stars speak.
P_VALUES = ("p", "contrast_p", "gof_p", "pearson_p", "lr_p", "test_p")
#: Data sets that `from` may lead through.
MOST_FROM = 20
_DF_OF = {"deviance": "df_resid", "null_deviance": "df_null"}
#: Verdicts a person may give to a statement that has no test; what they stand for is in check.py.
STATED = ("agrees", "not-checkable", "false", "misleading", "erratum")


def read_claims(path: str | Path) -> Paper:
    """The paper of a claims file.

    Raises
    ------
    InputError
        The file is missing, is not TOML, or something in it is not understood; the message names the line.
    """
    file = Path(path)
    try:
        text = read_file(file, "a claims file", most=MOST_CLAIMS).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    return parse_claims(text, source=str(path), folder=str(file.resolve().parent))


def shipped_papers() -> tuple[str, ...]:
    """Ids of the papers that come with the package."""
    return tuple(sorted(shipped()))


def read_paper(name_or_path: str) -> Paper:
    """A shipped paper by its id, or a claims file by its path."""
    papers = shipped()
    if name_or_path in papers:
        return read_claims(str(papers[name_or_path]))
    if not Path(name_or_path).exists() and "/" not in name_or_path and not name_or_path.endswith(".toml"):
        raise InputError(
            f"no paper {name_or_path!r} comes with pairproof and no such file exists; there are "
            f"{', '.join(sorted(papers))}"
        )
    return read_claims(name_or_path)


def parse_claims(text: str, source: str = "claims", folder: str = "") -> Paper:
    """The paper of a claims file's text; `folder` is where its data files lie."""
    document = parsed_toml(text, source)
    return _Reader(document, LineMap(text), source, folder).paper()


class _Reader(TypedFields):
    """One claims document; every complaint goes through `error`, which knows the line."""

    def __init__(self, document: dict[str, Any], lines: LineMap, source: str, folder: str) -> None:
        super().__init__(lines, source)
        self._document = document
        self._folder = folder

    def paper(self) -> Paper:
        self.only_keys(self._document, (), ("paper", "data", "claim"), "a claims file")
        head = self.table(self._document.get("paper"), ("paper",), "[paper]")
        self.only_keys(head, ("paper",), _PAPER, "[paper]")
        fields: dict[str, Any] = {k: self.text(head[k], ("paper", k)) for k in head}
        for key in ("id", "title"):
            if key not in fields:
                raise self.error(("paper",), f"[paper] has no {key}; it needs id and title")
        blocks = self.table(self._document.get("data", {}), ("data",), "[data]")
        data: dict[str, DataSpec] = {}
        for name in blocks:
            data[name] = self._data(name, blocks, data)
        rows = self._document.get("claim", [])
        if not isinstance(rows, list) or not rows:
            raise self.error(("claim",), "no [[claim]]; a claims file needs at least one")
        claims = tuple(self._claim(row, ("claim", k), data) for k, row in enumerate(rows))
        ids: set[str] = set()
        for k, c in enumerate(claims):
            if c.id in ids:
                raise self.error(
                    ("claim", k, "id"), f"two claims have the id {quoted(c.id)}; ids must be distinct"
                )
            ids.add(c.id)
        return Paper(**fields, data=data, claims=claims, source=self.source, folder=self._folder)

    # -- data ------------------------------------------------------------------------------------------------

    def _data(self, name: str, blocks: Mapping[str, Any], above: Mapping[str, DataSpec]) -> DataSpec:
        path: KeyPath = ("data", name)
        what = f"[data.{shortened(name)}]"
        block = self.table(blocks[name], path, what)
        self.only_keys(block, path, _DATA, what)
        parent = self.text(block.get("from", ""), (*path, "from"))
        if parent and parent not in above:
            raise self.error(
                (*path, "from"), f"{what}: from = {quoted(parent)}, but no such data set stands above it"
            )
        if parent:
            self._check_chain(parent, above, path, what)
        kind = self.choice(
            block.get("kind", "counts" if parent else None), (*path, "kind"), get_args(DataKind)
        )
        rows = block.get("rows", [])
        if not isinstance(rows, list) or not all(isinstance(r, list) for r in rows):
            raise self.error((*path, "rows"), f"{what}: rows must be an array of arrays")
        columns = self.texts(block.get("columns", []), (*path, "columns"))
        for k, row in enumerate(rows):
            if len(row) != len(columns):
                raise self.error(
                    (*path, "rows", k),
                    f"{what}, row {k + 1}: {len(row)} values for {len(columns)} columns ({named(columns)})",
                )
            for column, cell in zip(columns, row):
                self._cell(cell, (*path, "rows", k), f"{what}, row {k + 1}, {shortened(column)}")
        spec = DataSpec(
            name,
            kind,
            columns,
            tuple(map(tuple, rows)),
            self.text(block.get("file", ""), (*path, "file")),
            self.text(block.get("sha256", ""), (*path, "sha256")),
            self.flag(block, "in_place", path, what),
            self._item_data(block, path, what),
            self.texts(block.get("items", []), (*path, "items")),
            self.text(block.get("winner", ""), (*path, "winner")),
            parent,
            self.pairs(block.get("printed_pairs", []), (*path, "printed_pairs")),
            self.pairs(block.get("read_as_pairs", []), (*path, "read_as_pairs")),
            self._only(block, path, what),
            self.text(block.get("note", ""), (*path, "note")),
            self.lines.line(path),
            self._games(block, path, what),
        )
        self._check_data(spec, path, what)
        return spec

    def _check_chain(self, parent: str, above: Mapping[str, DataSpec], path: KeyPath, what: str) -> None:
        length = 1
        while above[parent].from_:
            parent, length = above[parent].from_, length + 1
            if length > MOST_FROM:
                raise self.error(
                    (*path, "from"),
                    f"{what}: from leads through more than {MOST_FROM} data sets; give the rows themselves",
                )

    def _item_data(self, block: Mapping[str, Any], path: KeyPath, what: str) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for column, values in self.table(
            block.get("item_data", {}), (*path, "item_data"), f"{what}, item_data"
        ).items():
            here = (*path, "item_data", column)
            found[column] = self.table(values, here, f"{what}, item_data.{column}")
            for item, value in found[column].items():
                self._cell(value, (*here, item), f"{what}, item_data.{column}, {item}")
        return found

    def _only(self, block: Mapping[str, Any], path: KeyPath, what: str) -> dict[str, Any]:
        found = self.table(block.get("only", {}), (*path, "only"), f"{what}, only")
        for column, value in found.items():
            self._cell(value, (*path, "only", column), f"{what}, only.{column}")
        return found

    def _cell(self, value: Any, path: KeyPath, what: str) -> None:
        if not isinstance(value, (str, int, float)):
            raise self.error(
                path, f"{what}: found {quoted(value)}; expected a number, a string, true or false"
            )

    def _games(self, block: Mapping[str, Any], path: KeyPath, what: str) -> float:
        games = block.get("games", 0)
        if isinstance(games, bool) or not isinstance(games, (int, float)) or not 0 <= games < LARGEST_COUNT:
            raise self.error(
                (*path, "games"),
                f"{what}: games = {quoted(games)}; expected the number of games of every pair",
            )
        return float(games)

    def _check_data(self, spec: DataSpec, path: KeyPath, what: str) -> None:
        sources = [bool(spec.rows), bool(spec.file), bool(spec.from_)]
        if spec.kind == "games":
            if (
                not spec.items
                or spec.file
                or spec.from_
                or spec.rows
                and (spec.games or spec.columns != ("first", "second", "games"))
            ):
                raise self.error(
                    path,
                    (
                        f'{what}: kind = "games" needs items, and at most one of games = 13 (of every pair)'
                        ' and rows under columns = ["first", "second", "games"]'
                    ),
                )
        elif spec.games:
            raise self.error(
                (*path, "games"), f'{what}: games is for kind = "games", where the outcomes are not at hand'
            )
        elif sum(sources) != 1:
            raise self.error(path, f"{what}: expected exactly one of rows, file, from; found {sum(sources)}")
        if spec.file and not spec.sha256:
            raise self.error(
                (*path, "file"), f"{what}: file needs its sha256 beside it, so that changed data are noticed"
            )
        if (spec.printed_pairs or spec.read_as_pairs or spec.only) and not spec.from_:
            raise self.error(
                path,
                f"{what}: printed_pairs, read_as_pairs and only change another data set; say which with from",
            )
        if sorted(spec.printed_pairs) != sorted(spec.read_as_pairs):
            raise self.error(
                (*path, "read_as_pairs"),
                (
                    f"{what}: read_as_pairs must name the pairs of printed_pairs, in the "
                    "order in which they are read"
                ),
            )
        if spec.in_place and not spec.file:
            raise self.error(
                (*path, "in_place"), f"{what}: in_place is for a file that is not shipped; name the file"
            )
        if spec.winner not in ("", "rows", "columns") or (spec.kind == "matrix") != bool(spec.winner):
            raise self.error(
                (*path, "winner"),
                f"{what}: winner is for a matrix and says whether its 'rows' or 'columns' win",
            )

    # -- claims ----------------------------------------------------------------------------------------------

    def _claim(self, row: Any, path: KeyPath, data: Mapping[str, DataSpec]) -> Claim:
        table = self.table(row, path, "[[claim]]")
        if "id" not in table:
            raise self.error(path, 'a claim without an id; give it one, such as id = "table-4"')
        name = self.text(table["id"], (*path, "id"))
        if name != label(name):
            raise self.error(
                (*path, "id"),
                (
                    f"claim {quoted(name)}: an id is one line of text without control characters, since"
                    " reports show it in lines of theirs"
                ),
            )
        what = f"claim {quoted(name)}"
        self.only_keys(table, path, _CLAIM, what)
        accept = self.texts(table.get("accept", []), (*path, "accept"))
        test = self.text(table.get("test", ""), (*path, "test"))
        if test and test not in TESTS:
            raise self.error(
                (*path, "test"), f"{what}: no test {quoted(test)}; there are {', '.join(sorted(TESTS))}"
            )
        claim = Claim(
            name,
            self.text(table.get("where", ""), (*path, "where")),
            self._known_data(table.get("data", ""), (*path, "data"), data, what),
            self._model(table["model"], (*path, "model"), what) if "model" in table else None,
            self._numbers(table, path, what),
            self.text(table.get("statement", ""), (*path, "statement")),
            test,
            self.table(table.get("args", {}), (*path, "args"), f"{what}, args"),
            self._computation(table, path, what),
            self.text(table.get("explanation", ""), (*path, "explanation")),
            self.text(table.get("compare_only", ""), (*path, "compare_only")),
            self._engines(table.get("engines", ["native", "R"]), (*path, "engines"), what),
            accept,
            self._alpha(table, path, what),
            self._sided(table, path, what),
            tuple(
                self._reading(r, (*path, "reading", k), data, what)
                for k, r in enumerate(self._list(table.get("reading", []), (*path, "reading"), what))
            ),
            self.text(table.get("note", ""), (*path, "note")),
            self.lines.line(path),
        )
        self._check_claim(claim, path, what)
        return claim

    def _check_claim(self, claim: Claim, path: KeyPath, what: str) -> None:
        if claim.compute and (claim.model or not claim.numbers):
            raise self.error(
                (*path, "compute"),
                f"{what}: compute gives printed numbers without a model; "
                + ("leave the model out" if claim.model else "print some, in stat"),
            )
        if not (claim.numbers or claim.statement or claim.compare_only):
            raise self.error(
                path, f'{what} claims nothing; give it printed numbers, a statement, or compare_only = "why"'
            )
        if (claim.numbers or claim.compare_only) and not (claim.data and claim.model) and not claim.compute:
            raise self.error(
                path, f"{what} has numbers to compute and no {'model' if claim.data else 'data'}"
            )
        if claim.test and not claim.statement:
            raise self.error(
                (*path, "test"), f"{what}: a test is for a statement; write the statement it tests"
            )
        if claim.statement and not claim.test:
            stated = [a for a in claim.accept if a in STATED]
            if len(stated) != 1 or not claim.explanation:
                raise self.error(
                    (*path, "statement"),
                    (
                        f"{what}: a statement needs a test, or its verdict in accept (one of "
                        f"{', '.join(STATED)}) and an explanation"
                    ),
                )

    def _numbers(self, table: Mapping[str, Any], path: KeyPath, what: str) -> tuple[PrintedQuantity, ...]:
        legend = self._legend(table, path, what)
        alpha = self._alpha(table, path, what)
        found: list[PrintedQuantity] = []
        for key in (*_BY_PARAMETER, "stat"):
            if isinstance(table.get(key), str):
                raise self.error(
                    (*path, key),
                    (
                        f"{what}: {key} = {quoted(table[key])} does not say of what; write {key} = "
                        f"{{ A = {json.dumps(shortened(table[key], 20))} }} with the parameter's name"
                    ),
                )
            for name, text in self.table(table.get(key, {}), (*path, key), f"{what}, {key}").items():
                quantity = name if key == "stat" else f"{key}.{name}"
                found += self._printed(
                    quantity, text, (*path, key, name), what, legend, alpha, "compute" not in table
                )
        aic = "aic_glm" if self._aic(table, path) == "glm" else "aic"
        for key in _SCALAR:
            if key in table:
                quantity = aic if key == "aic" else key
                found += self._printed(quantity, table[key], (*path, key), what, legend, alpha)
        twice = next((name for name, times in Counter(q.quantity for q in found).items() if times > 1), None)
        if twice is not None:
            raise self.error(path, f"{what} prints {shortened(twice)} twice")
        return tuple(found)

    def _printed(
        self,
        quantity: str,
        text: Any,
        path: KeyPath,
        what: str,
        legend: Mapping[str, str],
        alpha: str,
        of_fit: bool = True,
    ) -> list[PrintedQuantity]:
        if not isinstance(text, str):
            raise self.error(
                path,
                (
                    f"{what}, {quantity}: a bare {self._as_written(path, text)} loses what is printed"
                    " (trailing zeros, for example); write it as a string, such as"
                    f' "{self._as_written(path, text)}"'
                ),
            )
        line = self.lines.line(path)
        try:
            if of_fit:
                check_name(quantity)
            printed = Printed.parse(text, legend=legend, alpha=alpha)
            if of_fit and printed.value is None and kind_of(quantity) not in P_VALUES:
                raise InputError(
                    f"printed {text!r} is a mark of significance, which a p-value has (p, or in stat"
                    " contrast_p, gof_p, lr_p, test_p)"
                )
        except InputError as error:
            raise self.error(path, f"{what}, {quantity}: {error}") from error
        if printed.on is None:
            return [PrintedQuantity(quantity, printed, line)]
        if quantity not in _DF_OF:
            raise self.error(
                path,
                (
                    f"{what}, {quantity}: {text!r} has degrees of freedom, which only"
                    f" {' and '.join(_DF_OF)} have; write the two numbers apart"
                ),
            )
        return [PrintedQuantity(quantity, printed, line), PrintedQuantity(_DF_OF[quantity], printed.on, line)]

    def _as_written(self, path: KeyPath, value: Any) -> str:
        """The number as it stands in the file: 0.190, where Python knows only 0.19."""
        found = re.search(rf"""{re.escape(str(path[-1]))}["']?\s*=\s*([^,}}\s#]+)""", self.lines.source(path))
        return shortened(found[1]) if found else quoted(value)

    def _aic(self, table: Mapping[str, Any], path: KeyPath) -> str:
        return str(self.choice(table.get("aic_definition", "llf"), (*path, "aic_definition"), ("llf", "glm")))

    def _alpha(self, table: Mapping[str, Any], path: KeyPath, what: str) -> str:
        text = self.text(table.get("alpha", "0.05"), (*path, "alpha"))
        return self._level(
            text,
            (*path, "alpha"),
            f'{what}: alpha = {quoted(text)}; expected a level between 0 and 1, such as "0.05"',
        )

    def _legend(self, table: Mapping[str, Any], path: KeyPath, what: str) -> Mapping[str, str]:
        if "legend" not in table:
            return R_LEGEND
        found = {}
        for mark, limit in self.table(table["legend"], (*path, "legend"), f"{what}, legend").items():
            here = (*path, "legend", mark)
            found[mark] = self._level(
                self.text(limit, here),
                here,
                (
                    f"{what}, legend: {quoted(mark)} = {quoted(limit)}; expected the p-value below "
                    'which the mark is printed, such as "0.05"'
                ),
            )
        return found

    def _level(self, text: str, path: KeyPath, complaint: str) -> str:
        plain = text.strip()
        if (
            len(plain) > MOST_PRINTED
            or not re.fullmatch(r"[0-9]*\.?[0-9]+([eE]-?[0-9]{1,3})?", plain)
            or not 0 < float(plain) < 1
        ):
            raise self.error(path, complaint)
        return plain

    def _list(self, value: Any, path: KeyPath, what: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.error(
                path,
                f"{what}: {path[-1]} = {quoted(value)}; expected an array of tables, [[claim.{path[-1]}]]",
            )
        return value

    def _sided(self, table: Mapping[str, Any], path: KeyPath, what: str) -> int:
        sided = table.get("sided", 2)
        if isinstance(sided, bool) or not isinstance(sided, int) or sided not in (1, 2):
            raise self.error((*path, "sided"), f"{what}: sided = {quoted(sided)}; expected 1 or 2")
        return int(sided)

    def _model(self, value: Any, path: KeyPath, what: str) -> ModelClaim:
        table = self.table(value, path, f"{what}, model")
        self.only_keys(table, path, _MODEL, f"{what}, model")
        if table.get("item_terms") == []:
            raise self.error(
                (*path, "item_terms"),
                (
                    f"{what}, model: item_terms = [] can mean items with free abilities (leave item_terms"
                    " out) or no abilities at all, whose deviance is the null_deviance of the model with"
                    ' free items (print it as null_deviance = "... on ...")'
                ),
            )
        cells = table.get("cells", [])
        return ModelClaim(
            self.choice(table.get("family"), (*path, "family"), get_args(Family)),
            self.choice(table["ties"], (*path, "ties"), get_args(Ties)) if "ties" in table else None,
            self.text(table.get("by", ""), (*path, "by")),
            self.text(table.get("reference", ""), (*path, "reference")),
            self.flag(table, "order_effect", path, what),
            (cells,) if isinstance(cells, str) else self.texts(cells, (*path, "cells")),
            self.choice(table["scale"], (*path, "scale"), get_args(Scale)) if "scale" in table else "",
            self.texts(table.get("item_terms", []), (*path, "item_terms")),
            self.texts(table.get("separate", []), (*path, "separate")),
        )

    def _reading(self, value: Any, path: KeyPath, data: Mapping[str, DataSpec], what: str) -> Reading:
        table = self.table(value, path, f"{what}, reading")
        self.only_keys(table, path, _READING, f"{what}, reading")
        if (
            not table.get("name")
            or not table.get("sentence")
            or not (table.get("data") or table.get("model") or table.get("stops"))
        ):
            raise self.error(path, f"{what}: a reading needs name, sentence, and data, model or stops")
        return Reading(
            self.text(table["name"], (*path, "name")),
            self.text(table["sentence"], (*path, "sentence")),
            self._known_data(table.get("data", ""), (*path, "data"), data, what),
            self._model(table["model"], (*path, "model"), what) if "model" in table else None,
            self.choice(table["stops"], (*path, "stops"), get_args(Stops)) if "stops" in table else "",
        )

    def _computation(self, table: Mapping[str, Any], path: KeyPath, what: str) -> str:
        name = self.text(table.get("compute", ""), (*path, "compute"))
        if name and name not in COMPUTATIONS:
            raise self.error(
                (*path, "compute"),
                f"{what}: no computation {quoted(name)}; there are {', '.join(sorted(COMPUTATIONS))}",
            )
        return name

    def _engines(self, value: Any, path: KeyPath, what: str) -> tuple[str, ...]:
        engines = self.texts(value, path)
        bad = [e for e in engines if e not in ("native", "R") and not (e.startswith("R:") and len(e) > 2)]
        if bad or not engines:
            raise self.error(
                path, f"{what}: engines {quoted(list(engines))}; expected native, R, or R:PACKAGE"
            )
        return engines

    def _known_data(self, value: Any, path: KeyPath, data: Mapping[str, DataSpec], what: str) -> str:
        name = self.text(value, path)
        if name and name not in data:
            raise self.error(
                path, f"{what}: data = {quoted(name)}, but the file has {named(data) or 'no data set'}"
            )
        return name
