"""Names of pair columns are held against the stated order: a contradiction is an error, and nobody is accused
without one.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.cli.app import run
from pairproof.data.reading import from_wide, read
from pairproof.data.wide import lexicographic_pair_order, prefmod_pair_order, to_wide
from pairproof.errors import InputError, PairOrderError
from tests.places import DATA

DRAS_WIDE = DATA / "dras_wide_lexicographic.csv"
CODING = "first=1,tie=0,second=-1"
ITEMS = list("ABCD")
ORDERS = {"lexicographic": lexicographic_pair_order(4), "prefmod": prefmod_pair_order(4)}
OTHER = {"lexicographic": "prefmod", "prefmod": "lexicographic"}
#: A, B: items; i, j: their numbers from 1; y, z: from 0.
STYLES = [
    "{A}:{B}",
    "{A}-{B}",
    "{A}{B}",
    "{A}_{B}",
    "{A}.{B}",
    "{A} vs {B}",
    "{A} vs. {B}",
    "{A}>{B}",
    "{A}/{B}",
    "{A} - {B}",
    "{a}_{b}",
    "pref_{A}_{B}",
    "{i}{j}",
    "{i}:{j}",
    "V{i}{j}",
    "comp{i}{j}",
    "V{i}_{j}",
    "X{i}.{j}",
    "o{i}.o{j}",
    "0{i}-0{j}",
    "{y}{z}",
    "item{y}_item{z}",
]


def header(style, order):
    return [
        style.format(
            A=ITEMS[i], B=ITEMS[j], a=ITEMS[i].lower(), b=ITEMS[j].lower(), i=i + 1, j=j + 1, y=i, z=j
        )
        for i, j in order
    ]


def wide(names):
    return {name: [1, 0, -1] for name in names}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("order", ORDERS)
def test_names_that_are_pairs_agree_with_their_order_and_contradict_the_other(style, order):
    table = wide(header(style, ORDERS[order]))
    assert from_wide(table, items=ITEMS, pair_order=order, coding=CODING).n_rows == 18
    with pytest.raises(PairOrderError) as caught:
        from_wide(table, items=ITEMS, pair_order=OTHER[order], coding=CODING)
    message = str(caught.value)
    assert (
        f"contradict pair_order={OTHER[order]!r}" in message and f"pair_order={order!r}: use that" in message
    )
    assert (
        "(column 3) would be read as" in message
        and "(column 4) would be read as" in message
        and "pair_names='ignore'" in message
    )
    assert (
        from_wide(table, items=ITEMS, pair_order=OTHER[order], coding=CODING, pair_names="ignore").n_rows
        == 18
    )


def test_dras_columns_read_as_prefmod_reads_them_are_refused_with_both_readings():
    arguments = {"layout": "prefmod", "items": ITEMS, "coding": CODING}
    with pytest.raises(PairOrderError) as caught:
        read(DRAS_WIDE, pair_order="prefmod", **arguments)
    assert (
        "the names of 2 of the 6 pair columns contradict pair_order='prefmod': 'AD' (column 3) would be read"
        " as 'B' against 'C'; 'BC' (column 4) would be read as 'A' against 'D'. The names are in the order"
        " pair_order='lexicographic'" in str(caught.value)
    )
    right = read(DRAS_WIDE, pair_order="lexicographic", **arguments)
    assert round(pairproof.fit_llbt(right).deviance, 3) == 30.455
    swapped = read(DRAS_WIDE, pair_order="prefmod", pair_names="ignore", **arguments)
    assert round(pairproof.fit_llbt(swapped).deviance, 3) == 30.646


def test_the_command_refuses_and_is_told_otherwise_in_the_same_words(capsys):
    command = [
        "fit",
        str(DRAS_WIDE),
        "--layout",
        "prefmod",
        "--items",
        "A,B,C,D",
        "--coding",
        CODING,
        "--pair-order",
        "prefmod",
        "--quiet",
    ]
    assert run(command) == 3
    said = capsys.readouterr().err
    assert (
        said.startswith("PairOrderError: ") and "--pair-names ignore" in said and len(said.splitlines()) == 1
    )
    assert run([*command, "--pair-names", "ignore"]) == 0
    assert "30.6" in capsys.readouterr().out


def test_pairs_listed_one_by_one_are_held_against_the_names_but_may_be_seen_from_the_other_side():
    table = wide(["A:B", "A:C", "B:C"])
    turned = from_wide(table, items=ITEMS[:3], pair_order=["BA", "AC", "BC"], coding=CODING)
    assert turned.first.tolist()[0] == 1
    words = (
        "2 of the 3 pair columns contradict the pairs listed in pair_order: 'A:C' .column 2. is read as 'B'"
        " against 'C'"
    )
    for said in (None, "check"):
        with pytest.raises(PairOrderError, match=words):
            from_wide(table, items=ITEMS[:3], pair_order="AB,BC,AC", coding=CODING, pair_names=said)
    assert from_wide(
        table, items=ITEMS[:3], pair_order="AB,BC,AC", coding=CODING, pair_names="ignore"
    ).first.tolist()[:3] == [0, 1, 0]


def test_a_header_that_names_the_other_item_first_contradicts_an_order_by_name():
    with pytest.raises(PairOrderError, match="the other item first"):
        from_wide(wide(["B:A", "C:A", "C:B"]), items=ITEMS[:3], pair_order="prefmod", coding=CODING)


@pytest.mark.parametrize(
    "names, items",
    [
        (["V1", "V2", "V3", "V4", "V5", "V6"], ITEMS),  # numbered, not paired
        (["V10", "V11", "V12", "V13", "V14", "V15"], ITEMS),
        (["q12", "q13", "q14", "q23", "q24", "q35"], ITEMS),  # 35 is no pair of four items
        (["12", "13", "14", "15", "16", "17"], ITEMS),
        (["AB", "AB2", "AC", "BC", "BD", "CD"], ITEMS),  # one name is none
        (["V21"], ["A", "B"]),  # two items have one pair, and no order
        (
            ["bos-bal", "bos-chi", "bal-chi"],
            ["Boston", "Baltimore", "Chicago"],
        ),  # abbreviations are not guessed
        (["1:2", "1:3", "2:3"], ["2", "1", "3"]),  # items called by numbers: their places fit
        (["AAA", "AAAA", "AAAAA"], ["A", "AA", "AAA"]),  # AAA is A-AA or AA-A
    ],
)
def test_names_that_are_no_pairs_or_could_be_others_accuse_nobody(names, items):
    for order in ORDERS:
        assert from_wide(wide(names), items=items, pair_order=order, coding=CODING).n_rows == 3 * len(names)


def test_only_the_columns_of_pairs_count():
    table = {"who": [1, 2, 3], **wide(header("{A}:{B}", ORDERS["prefmod"])), "age": [1, 2, 3]}
    pairs = header("{A}:{B}", ORDERS["lexicographic"])
    assert from_wide(table, items=ITEMS, pair_order="lexicographic", coding=CODING, pairs=pairs).n_rows == 18
    with pytest.raises(PairOrderError, match="contradict"):
        from_wide(table, items=ITEMS, pair_order="prefmod", coding=CODING, pairs=pairs)


def test_the_option_has_two_values_and_one_layout():
    with pytest.raises(InputError, match="pair_names='no'; expected one of 'check', 'ignore'"):
        read(DRAS_WIDE, layout="prefmod", items=ITEMS, pair_order="prefmod", coding=CODING, pair_names="no")
    with pytest.raises(InputError, match="pair_names='ignore' is for layout 'prefmod'"):
        read({"first": ["A"], "second": ["B"], "outcome": ["first"]}, pair_names="ignore")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(3, 5), st.data())
def test_a_full_header_in_any_order_fits_its_own_order_only(n, data):
    """The names say one order; of the two orders by name each is taken if it is that one, and refused if
    not.
    """
    items = [f"s{k}" for k in range(n)]
    order = data.draw(
        st.sampled_from(
            [
                prefmod_pair_order(n),
                lexicographic_pair_order(n),
                tuple(data.draw(st.permutations(list(combinations(range(n), 2))))),
            ]
        )
    )
    table = wide([f"{items[i]}:{items[j]}" for i, j in order])
    for name, usual in (("prefmod", prefmod_pair_order(n)), ("lexicographic", lexicographic_pair_order(n))):
        if order == usual:
            from_wide(table, items=items, pair_order=name, coding=CODING)
        else:
            with pytest.raises(PairOrderError, match="contradict"):
                from_wide(table, items=items, pair_order=name, coding=CODING)
    stated = [(items[i], items[j]) for i, j in order]
    assert from_wide(table, items=items, pair_order=stated, coding=CODING).n_rows == 3 * len(order)


def test_pairproofs_own_wide_tables_have_names_that_are_checked():
    table = read({"first": list("AABACB"), "second": list("BCCDDD"), "wins": [1] * 6, "losses": [1] * 6})
    made = to_wide(table, "prefmod")
    assert (
        from_wide(made.frame, items=table.items, pair_order="prefmod", coding=made.coding).digest()
        == table.digest()
    )
    with pytest.raises(PairOrderError, match="'V2_3' .column 3. would be read as 'A' against 'D'"):
        from_wide(made.frame, items=table.items, pair_order="lexicographic", coding=made.coding)
