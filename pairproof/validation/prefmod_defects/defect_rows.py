"""All cases, and their numbers as rows of a table: prefmod's, reproduced, right, to 50 digits where there is one.

The right numbers of the cases to 50 digits: made by `python -m tests.validation.compat.certify`, with mpmath.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...bridge.process.policy import BackendLike
from ...native.prefmod_defects.defect_catalogue import defect
from . import llbt_cases as of_llbt, pattern_cases as of_patterns
from .llbt_cases import Case

#: (defect, call) -> quantity -> number.
CERTIFIED: dict[tuple[str, str], dict[str, str]] = {
    ("B1-ties-as-losses", "pattPC.fit(d, 4)"): {
        "A": "0.88546103798813741454666556985378901854844821650624",
        "B": "-0.86171118808548557928203081483741171879044245334087",
        "C": "-1.8325103339980726132758499750372827513520887077519",
        "tie": "-2.4134840490142669534781818978237455413592919708044",
    },
    ("B4-observed-categories", "llbtPC.fit(d, 3)"): {
        "o1": "2.6514857812078197286000399453845000824192900381575",
        "o2": "0.93115100894567979622655319283476637189128693481687",
        "tie": "1.2618356307293555864025880656830229413100298511483",
    },
    ("B5-rows-shifted", "pattR.fit(d, 3, formel = ~S, elim = ~S)"): {
        "a": "0.46528583648354384072142912921480707502238961162344",
        "b": "0.09287248981903822903896809207023707235281133047959",
        "a:S2": "-0.46528583648354384072142912921480707502238961162344",
        "b:S2": "0.22721302283647432608660865770407699601288156279885",
    },
    (
        "B5-rows-shifted",
        'gnm(y ~ o1 + o2 + (o1 + o2):age, eliminate = mu:CASE, family = poisson, data = llbt.design(d, 3, num.scovs = "age"))',
    ): {
        "o1": "0.0092095366015563905306675984092253826767413460935606",
        "o2": "-0.51462255185418375266416756619774897942363033454181",
        "o1:age": "0.0022506711969007189694660251955283657505272275236729",
        "o2:age": "0.014497998301753631817731091993620822859969955020696",
    },
    (
        "B6-names-unread",
        "llbt.worth(gnm(y ~ `St. Gallen` + Pa + `Mi x` + g1, eliminate = mu, family = poisson, data = llbt.design(d, 3, ...)))",
    ): {
        "worth of St. Gallen": "0.45702604631542259036330465064039783112286471046531",
        "worth of Pa": "0.29175311051288253984331050486693582411525580909356",
        "worth of Mi x": "0.25122084317169486979338484449266634476187948044112",
    },
    ("B10-covariate-not-in-elim", "llbtPC.fit(d, 3, formel = ~S, elim = ~E)"): {
        "o1": "0.34428176372088401044971327932625437376700282716214",
        "o2": "0.06881381334460834517885163952221079920414898891096",
        "o1:S[2]": "-0.34428176372088401044971327932625437376700282716214",
        "o2:S[2]": "-0.06881381334460834517885163952221079920414898891096",
    },
    ("B13-any-column-missing", "llbtPC.fit(d, 3)"): {
        "o1": "0.12565721414045303884256886520093583982894819303182",
        "o2": "3.0303762368516807286443496240059239447327839892442e-72",
    },
    ("B18-observed-range", "pattL.fit(d, 3)"): {
        "a": "-0.1524303559365967825589711046702337084743888580637",
        "b": "-0.1524303559365967825589711046702337084743888580637",
        "tie": "0.59807186229891556181998795274687870967709168969008",
    },
    (
        "B21-worths-of-groups-of-items",
        "llbt.worth(gnm(y ~ LAT + g1, eliminate = mu, family = poisson, data = llbt.design(d, 3, objcovs = LAT)))",
    ): {
        "worth of o1": "0.45755373208571660806339543702599965221334920426424",
        "worth of o2": "0.27122313395714169596830228148700017389332539786788",
        "worth of o3": "0.27122313395714169596830228148700017389332539786788",
    },
    (
        "B23-margins-not-fixed",
        'gnm(y ~ o1 + o2 + (o1 + o2):S, eliminate = mu, family = poisson, data = llbt.design(d, 3, cat.scovs = "S"))',
    ): {
        "deviance": "0.69778339589729028406588027438575449698275876793393",
        "df": "2.0",
        "o1": "0.34428176372088401044971327932625437376700282716214",
        "o2": "0.06881381334460834517885163952221079920414898891096",
        "o1:S[2]": "-0.34428176372088401044971327932625437376700282716214",
        "o2:S[2]": "-0.06881381334460834517885163952221079920414898891096",
    },
    ("B24-columns-in-another-order", "llbtPC.fit(d, 4)"): {
        "deviance": "30.455436024170221737468544015165643867741508616978",
        "A": "0.40067114364485929213306981677455059839271664924349",
        "B": "-1.0980681422378286996253089334300655127204965549097",
        "C": "-1.549524257410540986412620982469973573859033656434",
        "tie": "-1.8317043648169046575553145706956548404909898060577",
        "deviance without U": "220.9465568784416220727076508399616779327748414119",
    },
    ("N1-log-likelihood-beside-the-maximum", "pattPC.fit(d, 3)$ll"): {
        "log-likelihood": "-47.397161379018641215237964380311524570871999966511"
    },
}


def cases(name: str = "") -> tuple[Case, ...]:
    """The cases, in the order of the defects.

    name: only those of this defect.
    """
    found = [make() for make in (*of_patterns.CASES, *of_llbt.CASES_OF_LLBT, *of_llbt.CASES_OF_WORTHS)]
    wanted = defect(name).name if name else ""
    kept = [c for c in found if not wanted or c.defect == wanted]
    return tuple(sorted(kept, key=lambda c: ("BAN".index(c.of.id[0]), int(c.of.id[1:]), c.defect)))


@dataclass(frozen=True)
class CompatRow:
    """One number of a case.

    defect: name of the defect.  call, table: prefmod's call; the data in words.  prefmod: R's number; nan
    where prefmod has none.  reproduced: pairproof's with the defect.  `right`: pairproof's without it; nan
    where there is none.  certified: the right number to 50 digits; "" where it was not computed.  floor:
    largest difference of `reproduced` from `prefmod` that prefmod's own stop explains.
    """

    defect: str
    call: str
    table: str
    quantity: str
    prefmod: float
    reproduced: float
    right: float
    certified: str
    floor: float
    why: str

    @property
    def agrees(self) -> bool:
        """Whether the reproduced number is prefmod's, up to where prefmod stopped."""
        if math.isnan(self.prefmod) or math.isnan(self.reproduced):
            return math.isnan(self.prefmod) and math.isnan(self.reproduced)
        return abs(self.prefmod - self.reproduced) <= self.floor


def compat_rows(name: str = "", backend: BackendLike = None) -> tuple[CompatRow, ...]:
    """Every number of the cases.

    name: only of this defect.
    """
    rows = []
    for c in cases(name):
        found = zip(c.quantities, c.prefmod(backend), c.reproduced(), c.right())
        rows += [
            CompatRow(
                c.defect,
                c.call,
                c.table,
                quantity,
                float(theirs),
                float(ours),
                float(right),
                CERTIFIED.get((c.defect, c.call), {}).get(quantity, ""),
                c.floor,
                c.why,
            )
            for quantity, theirs, ours, right in found
        ]
    return tuple(rows)
