"""Claims files: `*.claims.toml` read into a `Paper`, with the line in every error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from ...errors import InputError
from ...files.inputs import read_file
from ...text import named, quoted, shortened
from ..claims.entries import KeyPath, LineMap, TableReader, choices, entries, parsed_toml
from ..claims.paper import (
    OF_PERSONS,
    Claim,
    DataKind,
    DataSpec,
    ModelClaim,
    Paper,
    PrintedEntries,
    PrintedQuantity,
)
from ..claims.printed import R_LEGEND, Printed
from ..claims.quantities import DF_OF, Quantity, check_name, is_probability
from ..verdicts.agreement import STATED, accepted_code
from .shipped import COMPUTATIONS, TESTS, shipped

#: Bytes of a claims file: the longest that ships has 0.1 MB, and one that holds more data keeps them in a
#: file beside it.
MOST_CLAIMS = 16 * 1024**2
#: Tables of the file itself.
_TOP = {"paper": Paper, "data": DataSpec, "claim": Claim}
#: Data sets that `from` may lead through.
MOST_FROM = 20


def read_claims(path: str | Path, lenient: bool = False) -> Paper:
    """The paper of a claims file; if `lenient`, without the claims among others that are not understood."""
    file = Path(path)
    try:
        text = read_file(file, "a claims file", most=MOST_CLAIMS).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    return parse_claims(text, str(path), str(file.resolve().parent), lenient)


def shipped_papers() -> tuple[str, ...]:
    """Ids of the papers that come with the package."""
    return tuple(sorted(shipped()))


def read_paper(name_or_path: str, lenient: bool = False) -> Paper:
    """A shipped paper by its id, or a claims file by its path; `lenient` as of :func:`read_claims`."""
    papers = shipped()
    if name_or_path in papers:
        return read_claims(str(papers[name_or_path]))
    if not Path(name_or_path).exists() and "/" not in name_or_path and not name_or_path.endswith(".toml"):
        there = ", ".join(sorted(papers))
        raise InputError(
            f"no paper {name_or_path!r} comes with pairproof and no such file exists; there are {there}"
        )
    return read_claims(name_or_path, lenient)


def parse_claims(text: str, source: str = "claims", folder: str = "", lenient: bool = False) -> Paper:
    """The paper of a claims file's text; `folder` is where its data files lie."""
    document = parsed_toml(text, source)
    return replace(_Reader(LineMap(text), source).paper(document, lenient), source=source, folder=folder)


class _Reader(TableReader):
    """Reader of a claims document: its tables, and what must hold between them."""

    def paper(self, document: Mapping[str, Any], lenient: bool = False) -> Paper:
        self.only_keys(document, (), _TOP, "a claims file")
        paper = self.read(Paper, document.get("paper"), ("paper",), "[paper]")
        data: dict[str, DataSpec] = {}
        for name, block in self.table(document.get("data", {}), ("data",), "[data]").items():
            data[name] = self._data(name, block, data)
        rows = document.get("claim", [])
        if not isinstance(rows, list) or not rows:
            raise self.error(("claim",), "no [[claim]]; a claims file needs at least one")
        claims: dict[str, Claim] = {}
        bad: dict[str, InputError] = {}
        for k, row in enumerate(rows):
            try:
                claim = self._claim(row, ("claim", k), data)
            except InputError as error:
                called = row.get("id") if isinstance(row, dict) else None
                bad[shortened(called) if isinstance(called, str) else f"claim {k + 1}"] = error
                if lenient and (claims or k < len(rows) - 1):
                    continue
                raise next(iter(bad.values()))
            if claim.id in claims:
                twice = f"two claims have the id {quoted(claim.id)}; ids must be distinct"
                raise self.error(("claim", k, "id"), twice)
            claims[claim.id] = claim
        said = {name: str(error) for name, error in bad.items()}
        return replace(paper, data=data, claims=tuple(claims.values()), bad=said)

    def _data(self, name: str, block: Any, above: Mapping[str, DataSpec]) -> DataSpec:
        path, what = ("data", name), f"[data.{shortened(name)}]"
        if isinstance(block, dict) and not ("kind" in block or block.get("from")):
            raise self.error(path, f"{what} has no kind; expected one of {', '.join(get_args(DataKind))}")
        spec = self.read(DataSpec, block, path, what, name=name, line=self.lines.line(path))
        length, parent = 0, spec.from_
        while parent:
            if parent not in above:
                why = f"from = {quoted(parent)}, but no such data set is defined above"
                raise self.error((*path, "from"), f"{what}: {why}")
            parent, length = above[parent].from_, length + 1
            if length > MOST_FROM:
                why = f"from leads through more than {MOST_FROM} data sets; give the rows directly"
                raise self.error((*path, "from"), f"{what}: {why}")
        return spec

    def _claim(self, row: Any, path: KeyPath, data: Mapping[str, DataSpec]) -> Claim:
        name = row.get("id") if isinstance(row, dict) else None
        what = f"claim {quoted(name)}" if isinstance(name, str) else "[[claim]]"
        claim = self.read(Claim, row, path, what, line=self.lines.line(path))
        claim = replace(claim, accept=self._accepted(claim, (*path, "accept"), what))
        for key, thing, known in (("test", "test", {*TESTS}), ("compute", "computation", {*COMPUTATIONS})):
            asked = getattr(claim, key)
            if asked and asked not in known:
                there = ", ".join(sorted(known))
                raise self.error((*path, key), f"{what}: no {thing} {quoted(asked)}; there are {there}")
        stated = [a for a in claim.accept if a in STATED]
        if claim.statement and not claim.test and (len(stated) != 1 or not claim.explanation):
            verdict = f"its verdict in accept (one of {', '.join(STATED)}) and an explanation"
            raise self.error((*path, "statement"), f"{what}: a statement needs a test, or {verdict}")
        self._check_data(claim.data, path, data, what)
        claim = self._with_family(claim, path, data, what)
        for k, reading in enumerate(claim.readings):
            if reading.model is not None and not reading.model.family:
                raise self._no_family((*path, "reading", k, "model"), f"{what}, reading")
            self._check_data(reading.data, (*path, "reading", k), data, what)
        return replace(claim, numbers=self._numbers(claim, path, what))

    def _with_family(self, claim: Claim, path: KeyPath, data: Mapping[str, DataSpec], what: str) -> Claim:
        """The claim; where its data are of persons and no model is stated, one without a family."""
        computes = bool(claim.data) and not claim.compute and claim.prints_or_compares
        if not computes or claim.model is not None and claim.model.family:
            return claim
        spec = data[claim.data]
        while spec.from_ and not spec.layout and spec.kind not in OF_PERSONS[:2]:
            spec = data[spec.from_]
        if spec.layout or spec.kind in OF_PERSONS[:2]:
            return replace(claim, model=claim.model or ModelClaim())
        if claim.model is None:
            raise self.error(path, f"{what}: there are numbers to compute but no model")
        raise self._no_family((*path, "model"), what)

    def _no_family(self, path: KeyPath, what: str) -> InputError:
        families = ", ".join(f for f in choices(entries(ModelClaim)["family"].kind) if f)
        return self.error(path, f"{what}, model has no family; expected one of {families}")

    def _accepted(self, claim: Claim, path: KeyPath, what: str) -> tuple[str, ...]:
        """The codes that a claim accepts; the wordings of older files are known too."""
        readings = [reading.name for reading in claim.readings]
        try:
            return tuple(accepted_code(entry, readings) for entry in claim.accept)
        except InputError as error:
            raise self.error(path, f"{what}: {error}") from error

    def _check_data(self, name: str, path: KeyPath, data: Mapping[str, DataSpec], what: str) -> None:
        if name and name not in data:
            there = named(data) or "no data set"
            raise self.error((*path, "data"), f"{what}: data = {quoted(name)}, but the file has {there}")

    def _numbers(self, claim: Claim, path: KeyPath, what: str) -> tuple[PrintedQuantity, ...]:
        """What the printed entries of a claim say, one by one."""
        found: list[PrintedQuantity] = []
        for key in entries(PrintedEntries):
            written = getattr(claim, key)
            if isinstance(written, Mapping):
                for name, text in written.items():
                    quantity = name if key == "stat" else f"{key}.{name}"
                    found += self._printed(claim, quantity, text, (*path, key, name), what)
            elif written is not None:
                quantity = "aic_glm" if key == "aic" and claim.aic_definition == "glm" else key
                found += self._printed(claim, quantity, written, (*path, key), what)
        twice = next((name for name, times in Counter(q.quantity for q in found).items() if times > 1), None)
        if twice is not None:
            raise self.error(path, f"{what} prints {shortened(twice)} twice")
        return tuple(found)

    def _printed(
        self, claim: Claim, quantity: str, text: str, path: KeyPath, what: str
    ) -> list[PrintedQuantity]:
        line = self.lines.line(path)
        try:
            printed = Printed.parse(text, legend=claim.legend or R_LEGEND, alpha=claim.alpha)
            if not claim.compute:
                check_name(quantity)
                if printed.value is None and not is_probability(quantity):  # of which "n.s." and stars speak
                    only = "p-values (p, or in stat contrast_p, gof_p, lr_p, test_p)"
                    raise InputError(
                        f"printed {text!r} is a significance mark, which is allowed only for {only}"
                    )
        except InputError as error:
            raise self.error(path, f"{what}, {quantity}: {error}") from error
        if printed.on is None:
            return [PrintedQuantity(Quantity.parse(quantity), printed, line)]
        if quantity not in DF_OF:
            only = f"has degrees of freedom, which only {' and '.join(DF_OF)} have"
            raise self.error(path, f"{what}, {quantity}: {text!r} {only}; write the two numbers separately")
        both = ((Quantity.parse(quantity), printed), (Quantity(DF_OF[quantity]), printed.on))
        return [PrintedQuantity(q, number, line) for q, number in both]
