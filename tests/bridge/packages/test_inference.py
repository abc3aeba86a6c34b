"""What sandwich, clubSandwich, multcomp, csranks, boot, MASS and lme4 say of clusters, many comparisons, ranks and limits.

Replayed from the records that ship with the package; ``PAIRPROOF_RECORD=all`` asks R live and writes them anew.  The
numbers are those that R gave apart from pairproof, on other code and with newer versions of the packages (sandwich 3.1-3,
clubSandwich 0.7.0, mvtnorm 1.4-2, multcomp 1.4-32): the minimum versions give the same.
"""

from __future__ import annotations

import os
from statistics import NormalDist

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.bridge.packages import boot, clubsandwich, csranks, lme4, multcomp, profiles, sandwich
from pairproof.bridge.packages.sandwich import ComparisonRows
from pairproof.errors import RecordMissing
from pairproof.validation.papers.asked_of_base_r import by_judges

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
needs = {
    name: pytest.mark.r(*packages)
    for name, packages in {
        "sandwich": ("sandwich", "clubSandwich"),
        "many": ("multcomp", "mvtnorm", "multcompView"),
        "ranks": ("csranks",),
        "boot": ("boot",),
        "lme4": ("lme4",),
    }.items()
}


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


def dras_rows(dras, ties: bool, model="poisson") -> ComparisonRows:
    """Table 1 by judge and pair; D is the reference."""
    sides = [[(a == i) - (b == i) for i in "ABC"] for a, b in zip(dras.first, dras.second)]
    counts = [dras.wins, dras.ties, dras.losses] if ties else [dras.wins, dras.losses]
    pairs, cell = np.unique([a + b for a, b in zip(dras.first, dras.second)], return_inverse=True)
    assert len(pairs) == 6
    judge = np.array([int(j[1:]) - 1 for j in dras.judge])
    z = np.ones((len(cell), int(ties)))
    return ComparisonRows(
        np.array(counts, float).T, np.array(sides, float), z, np.ravel(cell), {"judge": judge}, model
    )


# -- clusters ------------------------------------------------------------------------------------------------


def check_dras_by_judge(dras, backend):
    bt, davidson = dras_rows(dras, False), dras_rows(dras, True)
    cr0 = sandwich.vcovCL(bt, ["judge"], cadjust=False, backend=backend)
    assert cr0.se == pytest.approx(
        [0.817290730287, 0.381822991235, 0.351331459889], rel=2e-11
    )  # observed 1e-12
    assert cr0.n_clusters.tolist() == [4.0]
    assert np.sqrt(np.diag(cr0.model_vcov)) == pytest.approx(
        [0.162084820240, 0.202772336652, 0.224543282532], rel=2e-11
    )
    cr1 = sandwich.vcovCL(bt, ["judge"], backend=backend)
    # One number in two ways, which differ by rounding; seen: 4e-15 off.
    assert cr1.vcov == pytest.approx(cr0.vcov * 4 / 3, rel=1e-12)
    cr2 = clubsandwich.vcovCR(bt, ["judge"], backend=backend)
    # The printed digits; seen: 8e-13 off.
    assert cr2.se == pytest.approx([0.940562141582, 0.438936789997, 0.403710257710], rel=2e-11)
    # The printed digits; seen: 2e-12 off.
    assert cr2.df == pytest.approx([2.99783759400, 2.99851412839, 2.99904716070], rel=2e-11)
    tied = clubsandwich.vcovCR(davidson, ["judge"], backend=backend)
    # The printed digits; seen: 9e-13 off.
    assert tied.se == pytest.approx(
        [0.922122253983, 0.420278176498, 0.390671427863, 0.151149333925], rel=2e-11
    )
    # One number in two ways, which differ by rounding; seen: 7e-16 off.
    assert tied.df == pytest.approx([3.0] * 4, rel=1e-11)
    return [m.result.source for m in (cr0, cr1, cr2, tied)]


def test_dras_by_judge_is_as_specified(dras, policy):
    assert set(check_dras_by_judge(dras, policy)) == {"live" if RECORD else "recorded"}


@needs["sandwich"]
def test_dras_by_judge_is_as_specified_by_the_r_that_is_here(dras):
    assert set(check_dras_by_judge(dras, "live")) == {"live"}


def test_on_a_raw_glm_cr2_is_another_number_and_on_whitened_rows_it_is_not_moved_by_cutting_rows(
    dras, policy
):
    whole = dras_rows(dras, False)
    raw = clubsandwich.vcovCR(whole, ["judge"], raw_glm=True, backend=policy)
    assert raw.se == pytest.approx([0.948363171442, 0.442763969, 0.413105825], rel=2e-7)  # seen to 3e-8
    cut = ComparisonRows(
        np.concatenate([whole.counts * [1, 0], whole.counts * [0, 1]]),
        np.tile(whole.x, (2, 1)), np.tile(whole.z, (2, 1)), np.tile(whole.cell, 2),
        {"judge": np.tile(whole.clusters["judge"], 2)},
    )  # fmt: skip
    own = clubsandwich.vcovCR(whole, ["judge"], backend=policy)
    again = clubsandwich.vcovCR(cut, ["judge"], backend=policy)
    assert again.se == pytest.approx(own.se, rel=1e-12) and again.df == pytest.approx(own.df, rel=1e-11)


def test_rao_kuppers_whitened_rows_are_those_of_its_own_scores(dras, policy):
    """CR0 of the whitened rows is sandwich's of polr, which knows nothing of them; polr's scores have 8 digits."""
    rows = dras_rows(dras, True, "rao-kupper")
    of_polr = sandwich.vcovCL(rows, ["judge"], cadjust=False, backend=policy)
    white = clubsandwich.vcovCR(rows, ["judge"], "CR0", backend=policy)
    assert white.se == pytest.approx(of_polr.se, rel=1e-7)  # observed 1e-10
    assert white.coef == pytest.approx(of_polr.coef, rel=1e-11)


def test_a_joint_hypothesis_is_tested_by_htz(dras, policy):
    found = clubsandwich.vcovCR(dras_rows(dras, False), ["judge"], together=[0, 1], backend=policy)
    assert found.f > 0 and 0 < found.f_df < 3 and 0 < found.f_p < 1
    alone = clubsandwich.vcovCR(dras_rows(dras, False), ["judge"], backend=policy)
    assert np.isnan(alone.f)


def test_rows_that_do_not_fit_each_other_are_refused(dras):
    rows = dras_rows(dras, False)
    with pytest.raises(ValueError, match="cell has 2 rows; counts has 24"):
        ComparisonRows(rows.counts, rows.x, rows.z, rows.cell[:2])
    with pytest.raises(ValueError, match=r"cluster is \['source'\]; the rows have \['judge'\]"):
        sandwich.vcovCL(rows, ["source"], backend="recorded")
    with pytest.raises(ValueError, match="tie parameters without a tie category"):
        ComparisonRows(rows.counts, rows.x, np.ones((24, 1)), rows.cell)
    with pytest.raises(ValueError, match="type is 'CR3'"):
        clubsandwich.vcovCR(rows, ["judge"], "CR3", backend="recorded")


def test_other_counts_never_meet_an_old_answer(dras):
    rows = dras_rows(dras, False)
    counts = rows.counts.copy()
    counts[0, 0] += 1
    changed = ComparisonRows(counts, rows.x, rows.z, rows.cell, rows.clusters)
    with pytest.raises(RecordMissing):
        clubsandwich.vcovCR(changed, ["judge"], backend="recorded")


# -- profiles ------------------------------------------------------------------------------------------------

PROFILE = {
    False: (
        [0.532126060384, -2.68298026535, -3.59607600094],
        [1.16886385563, -1.88560823980, -2.71405521370],
    ),
    True: (
        [0.495456203042, -2.58417656454, -3.53594277892, -2.16345738400],
        [1.11820425067, -1.83575536912, -2.69256587165, -1.52564149134],
    ),
}


@pytest.mark.parametrize("ties", PROFILE)
def test_profile_limits_by_constrained_refits_and_by_confints_spline(dras, policy, ties):
    rows = dras_rows(dras, ties)
    low, high = PROFILE[ties]
    refits = profiles.constrained_refits(rows, np.eye(len(low)), backend=policy)
    # One number in two ways, which differ by rounding; seen: 3e-12 off.
    assert refits.low == pytest.approx(low, rel=1e-10) and refits.high == pytest.approx(
        high, rel=1e-10
    )  # 4e-12
    spline = profiles.confint(rows, backend=policy)
    assert spline.low == pytest.approx(low, abs=3e-5) and spline.high == pytest.approx(
        high, abs=3e-5
    )  # 1.2e-5
    assert np.abs(spline.low - low).max() > 1e-7, "a spline does not have these digits"


def test_constrained_refits_are_refused_for_what_is_no_glm(dras):
    with pytest.raises(ValueError, match="Rao and Kupper's model is not"):
        profiles.constrained_refits(dras_rows(dras, True, "rao-kupper"), np.eye(4), backend="recorded")


# -- many comparisons ----------------------------------------------------------------------------------------

THREE = ([1.0, 0.2, 0.0], [[0.09, 0.03, 0], [0.03, 0.05, 0], [0, 0, 0]])


def check_three_pairs(backend):
    found = multcomp.glht(*THREE, multcomp.all_pairs("ABC"), backend=backend)
    assert found.names == ("A-B", "A-C", "B-C")
    assert found.critical == pytest.approx(2.33596552727, abs=2e-3)  # mvtnorm's own accuracy; observed 1e-5
    se = np.sqrt([0.08, 0.09, 0.05])
    assert found.se == pytest.approx(se, rel=1e-14) and found.error < 1e-3
    separate = [2 * NormalDist().cdf(-abs(t)) for t in np.array([0.8, 1.0, 0.2]) / se]
    assert found.separate == pytest.approx(separate, rel=1e-12)
    # One number in two ways, which differ by rounding; seen: 1e-13 off.
    assert found.holm == pytest.approx([separate[0] * 2, separate[1] * 3, separate[2]], rel=1e-12)
    # One number in two ways, which differ by rounding; seen: 1e-13 off.
    assert found.bh == pytest.approx([separate[0] * 1.5, separate[1] * 3, separate[2]], rel=1e-12)
    assert (found.single_step >= separate).all()
    return found.result.source


def test_three_pairs_single_step_and_holm_with_a_reference_of_zeros(policy):
    assert check_three_pairs(policy) == ("live" if RECORD else "recorded")


@needs["many"]
def test_three_pairs_by_the_r_that_is_here():
    assert check_three_pairs("live") == "live"


def test_the_largest_of_equally_correlated_scores(policy):
    two = multcomp.qmvnorm([[1.0, 0.5], [0.5, 1.0]], backend=policy)
    assert two.quantile == pytest.approx(2.21212774658, abs=1e-5)  # qmvnorm's root; observed 3.4e-7
    one_sided = multcomp.qmvnorm([[1.0, 0.5], [0.5, 1.0]], two_sided=False, backend=policy)
    assert one_sided.quantile == pytest.approx(1.91633194469, abs=1e-5)


def test_letters_are_shared_by_what_was_not_told_apart(policy):
    pairs = [(a, b) for k, a in enumerate("ABCDEF") for b in "ABCDEF"[k + 1 :]]
    apart = {("A", "F"), ("B", "F"), ("D", "E"), ("D", "F")}
    found = multcomp.multcompLetters(
        [a for a, _ in pairs],
        [b for _, b in pairs],
        [0.01 if p in apart else 0.5 for p in pairs],
        backend=policy,
    )
    letters = dict(zip(found.items, found.letters))
    assert {p for p in pairs if not set(letters[p[0]]) & set(letters[p[1]])} == apart
    with pytest.raises(ValueError, match="have a hyphen"):
        multcomp.multcompLetters(["cu-bojar"], ["B"], [0.5], backend="recorded")


# -- ranks ---------------------------------------------------------------------------------------------------

K = np.arange(8)
EIGHT = ([1.4, 1.2, 0.9, 0.85, 0.5, 0.2, 0.1, 0.0], 0.02 * 0.5 ** np.abs(K[:, None] - K) + 0.01 * np.eye(8))
#: Options of csranks, lower ends, upper ends.
SETS = {
    ("two-sided", True, True): ([1, 1, 1, 1, 3, 4, 5, 5], [4, 4, 5, 6, 8, 8, 8, 8]),
    ("two-sided", False, True): ([1, 1, 1, 1, 2, 3, 5, 5], [4, 5, 6, 6, 8, 8, 8, 8]),
    ("two-sided", True, False): ([1, 1, 1, 1, 3, 5, 5, 5], [4, 4, 5, 5, 8, 8, 8, 8]),
    ("lower", True, True): ([1, 1, 1, 1, 3, 4, 5, 5], [8] * 8),
    ("upper", True, True): ([1] * 8, [4, 4, 5, 6, 8, 8, 8, 8]),
}


@pytest.mark.parametrize("options", SETS)
def test_rank_sets_of_eight_items(policy, options):
    cstype, stepdown, simul = options
    found = csranks.csranks(*EIGHT, cstype=cstype, stepdown=stepdown, simul=simul, backend=policy)
    assert (found.lower.tolist(), found.upper.tolist()) == SETS[options]
    assert found.rank.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


@needs["ranks"]
def test_rank_sets_by_the_r_that_is_here_do_not_depend_on_the_seed():
    options = ("two-sided", True, True)
    found = csranks.csranks(*EIGHT, seed=2, backend="live")
    assert (found.lower.tolist(), found.upper.tolist()) == SETS[options]


def test_items_that_may_be_among_the_best(policy):
    first = csranks.tau_sets(*EIGHT, tau=1, backend=policy)
    assert first.best.tolist() == [1, 1, 1, 1, 0, 0, 0, 0] and first.worst.tolist() == [
        0,
        0,
        0,
        0,
        1,
        1,
        1,
        1,
    ]


# -- bootstrap, two systems ----------------------------------------------------------------------------------


def skewed() -> np.ndarray:
    z = np.array([NormalDist().inv_cdf(b / 1000) for b in range(1, 1000)])
    return 0.8 + 0.3 * z + 0.05 * (z**2 - 1)


def check_boot(backend):
    found = boot.boot_ci(0.8, np.round(skewed(), 12), [-1.0, 1.0], backend=backend)
    assert found.percentile == pytest.approx([0.354083745673, 1.53006213640], rel=1e-11)
    assert found.bca == pytest.approx(
        [0.393180641662, 1.69660500131], rel=1e-10
    )  # 12 digits of the replicates
    assert found.ranks == pytest.approx([51.04, 988.85], abs=0.005)
    return found.result.source


def test_boot_ci_with_influence_values_given(policy):
    assert check_boot(policy) == ("live" if RECORD else "recorded")


@needs["boot"]
def test_boot_ci_by_the_r_that_is_here():
    assert check_boot("live") == "live"


#: Vilar et al. (2007), Table 2, A against B by seven judges: first, tie, second.
VILAR = ([29, 19, 38, 17, 32, 29, 41], [40, 59, 48, 53, 63, 64, 45], [31, 22, 14, 30, 5, 7, 14])


def check_vilar(backend):
    base = by_judges(*VILAR, backend=backend)
    # The specification has twelve digits; observed 8e-13 of t, 1e-13 of p, 2e-14 of chi-square.
    assert (base["t"], base["p"]) == pytest.approx((-4.23180533223, 0.00548918446596), rel=1e-11)
    assert (base["chi2"], base["chi2_df"]) == pytest.approx((62.9662208235, 12), rel=1e-11)
    # optim stops at 1e-8 of the likelihood: half of its digits; observed 5e-8 and 1.4e-7
    assert (base["logit"], base["icc"]) == pytest.approx((-0.600843170904, 0.0205615448), rel=1e-5)
    # A maximum is flat, so that its height has all twelve digits given; observed 1.5e-12
    assert base["loglik"] == pytest.approx(-23.6098486789, rel=1e-10)
    # Nine digits given, of a difference of two such heights; observed 1.2e-10
    assert base["lr_p"] == pytest.approx(0.00263391985, rel=1e-8)
    return base.result.source


def test_two_systems_by_judges_in_base_r(policy):
    assert check_vilar(policy) == ("live" if RECORD else "recorded")


@pytest.mark.r
def test_two_systems_by_the_r_that_is_here():
    assert check_vilar("live") == "live"


def test_a_random_judge_effect(policy):
    found = lme4.glmer(*VILAR[:2], backend=policy)
    assert found.estimate == pytest.approx(-0.614222651507, rel=1e-5)  # observed 2e-8
    assert found.sd == pytest.approx(0.3064400750, rel=1e-4)
    assert found.se == pytest.approx(0.1460787719, rel=1e-3)  # lme4's differences: 4 to 6 digits


@needs["lme4"]
def test_a_random_judge_effect_by_the_r_that_is_here():
    # glmer's optimiser stops at about 1e-6; seen: 1e-8 off.
    assert lme4.glmer(*VILAR[:2], backend="live").estimate == pytest.approx(-0.614222651507, rel=1e-5)
