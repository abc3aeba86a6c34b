"""Numbers of rankings that were worked out at 40 digits before these models were written, asked as a user
asks.

Those of salad, pudding, fruit and two small tables stand at 50 digits in tests/certified/answers; here is the
rest: null models, pseudo-comparisons, priors, PlackettLuce's larger data, and pairs made from rankings.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.bridge.values.nodes import RVector
from pairproof.data.respondents import Respondents
from pairproof.errors import NotEstimableError, RankingWarning
from pairproof.fit.fit import Fit
from tests.native.answers.patterns.data import SALAD, SALAD_PERSONS, pudding
from tests.native.answers.tables import fruit, salad


def close(found: Any, true: list[float], digits: float = 13.0) -> None:
    """Relative digits, absolute for values below 1; observed 13.8 and more unless a test says otherwise."""
    off = np.abs(np.asarray(found, float) - true) / np.maximum(np.abs(true), 1.0)
    assert off.max() < 10.0**-digits, (np.asarray(found, float), true)


def puddings() -> Respondents:
    ranks, weights = pudding()
    return Respondents.build("123456", "rankings", np.where(ranks == 0, -1, ranks), weights=weights)


def null_llf(fit: Fit) -> float:
    """Log-likelihood with every parameter 0: R's null.loglik, all worths and prevalences of ties 1."""
    return fit.llf - (fit.null_deviance - fit.deviance) / 2.0


def test_null_models_are_plackettluces() -> None:
    expected = {salad: -101.697722571134, puddings: -818.466155057742, fruit: -17.4562044101242}
    for table, llf in expected.items():
        close([null_llf(pairproof.fit_plackett_luce(table()))], [llf])  # as printed: 15 digits


def test_the_best_of_salad_alone_is_a_choice_among_four() -> None:
    best = np.where(SALAD == 1, 1, 0)
    fit = pairproof.fit_plackett_luce(Respondents.build("ABCD", "rankings", best, weights=SALAD_PERSONS))
    close(fit.params[1:], [2.442347035369204, 0.9162907318741551, 0.0])
    close(fit.bse[1:], [0.7372097808, 0.8366600265, 1.0], 9.5)  # as printed
    close([fit.llf], [-27.96740363881052])


def test_reversed_rankings_of_salad_are_another_model() -> None:
    back = Respondents.build("ABCD", "rankings", 5 - SALAD, weights=SALAD_PERSONS)
    fit = pairproof.fit_plackett_luce(back)
    close(fit.params[1:], [-2.542313345613175, -1.314010097832151, -0.7557792274046778])
    close([fit.llf], [-77.93798198623771])


def test_pseudo_comparisons_shrink_ties_too_and_have_the_errors_of_what_was_maximised() -> None:
    close(
        pairproof.fit_plackett_luce(puddings(), pseudo=0.5).params[1:],
        [
            0.2188770300229121,
            0.1520511259299724,
            0.1740634712387672,
            0.1330615789434297,
            0.3747427663089339,
            -0.3029811051788605,
        ],
    )
    fit = pairproof.fit_plackett_luce(fruit(), pseudo=0.5)
    close(
        fit.params[1:],
        [
            0.2528737722618106,
            -0.6135068427389031,
            -0.0868847128890759,
            -2.150681101571446,
            -0.7924535718227142,
        ],
    )
    penalised = [0.9788590624447, 1.0425842665717, 0.9985927211083, 1.0500737025428, 1.1295309464082]
    close(fit.bse[1:], penalised, 12)  # as printed


def test_a_prior_leaves_the_prevalence_of_ties_free() -> None:
    fit = pairproof.fit_plackett_luce(fruit(), prior=1.0)
    close(fit.params[1:4], [0.1837303391724235, -0.4313138492719429, -0.0429350668132337])
    close(fit.params[4:], [-1.890198377867043, -0.7756731731058577])
    # As printed, which is 10 to 11 digits right.
    close(fit.bse[1:4], [0.8438764799403, 0.8639350709567, 0.8523874831213], 10)


def test_worths_a_million_to_one_apart_are_the_closed_form() -> None:
    ranks = [[1, 2, -1], [2, 1, -1], [-1, 1, 2], [-1, 2, 1]]
    table = Respondents.build("ABC", "rankings", ranks, weights=[999999, 1, 999, 1])
    fit = pairproof.fit_plackett_luce(table)
    close(fit.params[1:], [-np.log(999999), -np.log(999999) - np.log(999)])
    close(fit.bse[1:], [1.0000005, 1.41456778], 8)  # as printed


def test_the_two_models_part_in_rankings_of_three() -> None:
    """With worths a = b, P(c > a > b) / P(a > c > b) is c / a in the pattern model, else (a + c) / 2a."""
    ranks = [[1, 2, 3], [2, 1, 3], [1, 3, 2], [2, 3, 1], [3, 1, 2], [3, 2, 1]]
    table = Respondents.build("abc", "rankings", ranks, weights=[5, 5, 4, 2, 4, 2])
    for fit, ratio in (
        (pairproof.fit_pattern(table), lambda a, c: c / a),
        (pairproof.fit_plackett_luce(table), lambda a, c: (a + c) / (2 * a)),
    ):
        worths = fit.worth().set_index("item")["worth"]
        close([worths["a"]], [worths["b"]])
        likely = fit.predicted_patterns(most=6).set_index("answer")["probability"]
        close([likely["c > a > b"] / likely["a > c > b"]], [ratio(worths["a"], worths["c"])])


# -- pairs made from rankings ----------------------------------------------------------------------------


def test_pairs_made_from_rankings_have_errors_that_are_too_small_unless_persons_are_clusters() -> None:
    rows = np.repeat(np.arange(len(SALAD)), SALAD_PERSONS)
    each = Respondents.build("ABCD", "rankings", SALAD[rows])
    with pytest.warns(RankingWarning):
        naive = pairproof.fit_bradley_terry(each.to_comparisons(judge=True), reference="A")
    clustered = naive.clustered("judge", kind="CR0")
    # As printed: 12 digits.
    close(naive.params[1:], [2.641785941085, 1.438723326552, 0.827094437465], 12)
    close(naive.bse[1:], [0.373153459970, 0.315420437641, 0.300869551184], 11.5)
    close(clustered.bse[1:], [0.521521582085, 0.424375112924, 0.399466081672], 11.5)
    close(np.asarray(clustered.bse[1:]) / np.asarray(naive.bse[1:]), [1.398, 1.345, 1.328], 3)
    close([naive.llf], [-94.132], 5)


# -- PlackettLuce's larger data --------------------------------------------------------------------------

NASCAR = """
suppressMessages(library(PlackettLuce)); data(nascar)
list(orders = as.numeric(nascar), races = as.numeric(nrow(nascar)), drivers = unname(attr(nascar, "drivers")))
"""
BEANS = """
suppressMessages(library(PlackettLuce)); data(beans)
columns <- c("best", "worst", "var_a", "var_b", "var_c", "variety_a", "variety_b", "variety_c")
lapply(beans[columns], as.character)
"""


def texts(vector: RVector) -> list[str]:
    return [str(v) for v in vector.values]


def nascar() -> tuple[NDArray[np.int64], list[str]]:
    """Places of the drivers in each race, -1 where they did not start; and the drivers."""
    answer = ask("live", "PlackettLuce's nascar", NASCAR, {}, ("PlackettLuce",)).as_list()
    drivers = texts(answer.vector("drivers"))
    races = int(answer.vector("races").floats()[0])
    orders = np.asarray(answer.vector("orders").floats()).reshape(races, -1, order="F")
    ranks = np.full((len(orders), len(drivers)), -1, dtype=np.int64)
    for race, order in enumerate(orders):
        for place, driver in enumerate(int(d) for d in order if d > 0):
            ranks[race, driver - 1] = place + 1
    return ranks, drivers


def beans(local: bool) -> Respondents:
    """Each farmer's ranking of three varieties, and each of the three against the local one."""
    answer = ask("live", "PlackettLuce's beans", BEANS, {}, ("PlackettLuce",)).as_list()
    text = {name: texts(answer.vector(name)) for name in ("best", "worst")}
    given = [texts(answer.vector(f"variety_{c}")) for c in "abc"]
    beside = [texts(answer.vector(f"var_{c}")) for c in "abc"]
    items = sorted({v for own in given for v in own} | ({"Local"} if local else set()))
    rows = []
    for k, (best, worst) in enumerate(zip(text["best"], text["worst"])):
        three = np.full(len(items), -1)
        for c, own in zip("ABC", given):
            three[items.index(own[k])] = 1 if c == best else 3 if c == worst else 2
        rows.append(three)
        for own, said in zip(given, beside) if local else ():
            two = np.full(len(items), -1)
            worse = said[k] == "Worse"
            two[items.index(own[k])], two[items.index("Local")] = (2, 1) if worse else (1, 2)
            rows.append(two)
    return Respondents.build(items, "rankings", rows)


@pytest.mark.r("PlackettLuce")
def test_nascar_has_the_40_digit_values_and_its_gap_is_named() -> None:
    ranks, drivers = nascar()
    whole = Respondents.build(drivers, "rankings", ranks)
    with pytest.raises(NotEstimableError, match="do not connect all items"):
        pairproof.fit_plackett_luce(whole)
    pseudo = pairproof.fit_plackett_luce(whole, pseudo=0.5)
    three = ["Bill Elliott", "Bobby Hamilton", "Kurt Busch"]
    close(pseudo.params[three], [1.360177777872541, 0.9646239756601044, 1.488668243094975], 12.5)
    close([pseudo.llf], [-4193.592341410739])
    # Without the four who only ever came last.
    most = Respondents.build(drivers[:83], "rankings", ranks[:, :83])
    fit = pairproof.fit_plackett_luce(most)
    assert fit.spec.reference == "Austin Cameron" and fit.rank == 82
    close(fit.params[three], [1.518854729367606, 1.120762724169951, 1.648329542609477], 12.5)
    close(fit.bse[three], [1.052979979834745, 1.054831706685405, 1.053442626430514], 12.5)
    close([fit.llf], [-4191.097284597258])
    worths = fit.worth().set_index("item")["worth"]
    close(worths[three], [0.01345179960648008, 0.009034231764873891, 0.01531124782209534])
    centred = fit.with_reference("sum").bse
    close(centred[three], [0.1855866946393, 0.1982437605818, 0.1886807265034], 12.5)  # as printed
    shrunken = pairproof.fit_plackett_luce(most, pseudo=0.5)
    close(shrunken.params[three], [1.342765343463943, 0.9464516380447243, 1.471246621624958], 12.5)
    close([shrunken.llf], [-4191.828017896375])


@pytest.mark.r("PlackettLuce")
def test_beans_have_the_40_digit_values_with_and_without_the_local_variety() -> None:
    fit = pairproof.fit_plackett_luce(beans(local=True))
    assert fit.n_persons == 3368 and fit.rank == 10 and fit.items[8] == "Local"
    close(
        fit.params[1:],
        [
            0.1732844934145998,
            0.2473008813633328,
            -0.008350483646827003,
            0.1113369727990249,
            -0.06605567949396311,
            0.1345862187286817,
            0.4913941648705196,
            0.4934540376561787,
            -0.01200297699467677,
            -0.005563380366976679,
        ],
    )
    close(
        fit.bse[1:],
        [
            0.1085789201081294,
            0.1071759879947790,
            0.1107126479204893,
            0.1080564095669113,
            0.1093522790979968,
            0.1081681319458799,
            0.1071801125316074,
            0.0827212053143879,
            0.1089225652192409,
            0.1068714117302426,
        ],
    )
    close([fit.llf], [-3192.583321507783])
    without = pairproof.fit_plackett_luce(beans(local=False))
    close([without.llf], [-1497.73273077312])
    assert without.rank == 9
