"""Pages of programs in whole: their heads, intercepts and nuisance rows, and boards of a bootstrap; what is honest is not
accused, and a slip in what no table holds is told.

The numbers are R's, statsmodels', Stata's and psychotools' of the two tables of counts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import pairproof
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.validation.printed.beside import check_printed
from pairproof.validation.report.findings import headline
from pairproof.validation.report.verification import Verification
from tests.validation.printed.test_forms_of_print import alone, off, off_alone

#: Six clubs: first, second, and how often each won; of the second table also the draws, the first at home.
COUNTS = """player1,player2,win1,win2
Ajax,PSV,7,4
Ajax,Feyenoord,6,7
Ajax,AZ,7,3
Ajax,Twente,11,4
Ajax,Utrecht,9,5
PSV,Feyenoord,10,3
PSV,AZ,6,6
PSV,Twente,8,5
PSV,Utrecht,14,1
Feyenoord,AZ,11,8
Feyenoord,Twente,2,7
Feyenoord,Utrecht,12,6
AZ,Twente,6,8
AZ,Utrecht,11,8
Twente,Utrecht,13,5
"""
MATCHES = """Home,Away,Home wins,Draws,Away wins
Ajax,PSV,3,1,1
Ajax,Feyenoord,1,2,5
Ajax,AZ,3,2,1
Ajax,Twente,2,1,2
Ajax,Utrecht,7,0,1
PSV,Ajax,1,2,3
PSV,Feyenoord,2,2,3
PSV,AZ,4,1,0
PSV,Twente,6,0,2
PSV,Utrecht,5,1,0
Feyenoord,Ajax,5,1,1
Feyenoord,PSV,5,1,2
Feyenoord,AZ,3,0,2
Feyenoord,Twente,5,0,1
Feyenoord,Utrecht,3,3,1
AZ,Ajax,2,2,3
AZ,PSV,0,1,6
AZ,Feyenoord,6,0,1
AZ,Twente,2,2,4
AZ,Utrecht,6,1,0
Twente,Ajax,3,1,1
Twente,PSV,5,1,1
Twente,Feyenoord,3,2,1
Twente,AZ,3,1,4
Twente,Utrecht,3,3,1
Utrecht,Ajax,1,2,3
Utrecht,PSV,1,0,7
Utrecht,Feyenoord,5,2,1
Utrecht,AZ,3,2,1
Utrecht,Twente,5,0,3
"""


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Comparisons:
    return _read(tmp_path_factory, COUNTS)


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Comparisons:
    return _read(tmp_path_factory, MATCHES)


def _read(folder: pytest.TempPathFactory, text: str) -> Comparisons:
    path = folder.mktemp("data") / "counts.csv"
    path.write_text(text)
    return pairproof.read(path)


def beside(folder: Path, text: str, data: Comparisons, name: str = "page.txt", **stated: Any) -> Verification:
    (folder / name).write_text(text, encoding="utf-8")
    return check_printed(str(folder / name), data, stated, r="none", explain=False)


def said(found: Verification) -> str:
    return " ".join(headline(found))


INTERCEPT = """
Call:
glm(formula = cbind(hw + dr/2, aw + dr/2) ~ PSV + Feyenoord + 
    AZ + Twente + Utrecht, family = binomial, data = Dh)

Deviance Residuals: 
    Min       1Q   Median       3Q      Max  
-2.3260  -0.7313   0.4539   0.8611   1.9671  

Coefficients:
            Estimate Std. Error z value Pr(>|z|)   
(Intercept)   0.4506     0.1488   3.028  0.00246 **
PSV           0.2411     0.3396   0.710  0.47773   
Feyenoord     0.1030     0.3271   0.315  0.75291   
AZ           -0.3289     0.3351  -0.981  0.32638   
Twente       -0.1063     0.3386  -0.314  0.75353   
Utrecht      -0.6631     0.3350  -1.979  0.04778 * 
---
Signif. codes:  0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1

(Dispersion parameter for binomial family taken to be 1)

    Null deviance: 49.496  on 29  degrees of freedom
Residual deviance: 39.463  on 24  degrees of freedom
AIC: 121.42

Number of Fisher Scoring iterations: 4
"""


def test_the_intercept_of_a_glm_is_the_order_effect(matches: Comparisons, tmp_path: Path) -> None:
    found = beside(tmp_path, INTERCEPT, matches)
    assert (
        not off(found) and found.exit_code == 0 and {"estimate.order", "p.order"} <= {*map(str, _of(found))}
    )
    wrong = INTERCEPT.replace("0.4506     0.1488   3.028", "0.9406     0.2488   7.028")
    found = beside(tmp_path, wrong, matches)
    assert found.exit_code == 1 and {"estimate.order", "se.order", "z.order"} <= {*off(found)}


def _of(found: Verification) -> list[str]:
    return [str(a.quantity) for a in found if a.about == "printed" and a.verdict.startswith("agrees")]


#: Both of statsmodels' summaries end with it.
COEFFICIENTS = """\
                 coef    std err          z      P>|z|      [0.025      0.975]
------------------------------------------------------------------------------
Ajax           1.2246      0.335      3.656      0.000       0.568       1.881
PSV            1.2886      0.335      3.852      0.000       0.633       1.944
Feyenoord      0.6449      0.308      2.094      0.036       0.041       1.248
AZ             0.5337      0.303      1.760      0.078      -0.061       1.128
Twente         0.8577      0.314      2.730      0.006       0.242       1.473
==============================================================================
"""

STATSMODELS = (
    """                 Generalized Linear Model Regression Results                  
==============================================================================
Dep. Variable:           ['y1', 'y2']   No. Observations:                   15
Model:                            GLM   Df Residuals:                       10
Model Family:                Binomial   Df Model:                            4
Link Function:                  Logit   Scale:                          1.0000
Method:                          IRLS   Log-Likelihood:                -28.327
Date:                Sun, 29 Nov 2026   Deviance:                       12.804
Time:                        07:37:20   Pearson chi2:                     12.3
No. Iterations:                     4   Pseudo R-squ. (CS):             0.4512
Covariance Type:            nonrobust                                         
==============================================================================
"""
    + COEFFICIENTS
)


def test_the_head_of_statsmodels_is_read_and_what_is_not_is_named(
    counts: Comparisons, tmp_path: Path
) -> None:
    found = beside(tmp_path, STATSMODELS, counts)
    assert not off(found) and found.exit_code == 0
    assert (
        "3 numbers of the whole fit were not read: Df Model 4, Scale 1.0000, Pseudo R-squ. (CS) 0.4512"
        in said(found)
    )
    for right, wrong, name in (
        ("-28.327", "-82.327", "llf"),
        ("12.804", "18.204", "deviance"),
        ("Residuals:                       10", "Residuals:                       19", "df_resid"),
        ("Observations:                   15", "Observations:                   51", "n_comparisons"),
        ("12.3", "13.2", "pearson"),
    ):
        assert right in STATSMODELS
        found = beside(tmp_path, STATSMODELS.replace(right, wrong), counts)
        assert found.exit_code == 1 and name in off(found), name


LOGIT = (
    """                           Logit Regression Results                           
==============================================================================
Dep. Variable:                      y   No. Observations:                  213
Model:                          Logit   Df Residuals:                      208
Method:                           MLE   Df Model:                            4
Date:                Sun, 29 Nov 2026   Pseudo R-squ.:                 0.03192
Time:                        07:37:20   Log-Likelihood:                -136.48
converged:                       True   LL-Null:                       -140.98
Covariance Type:            nonrobust   LLR p-value:                   0.06111
==============================================================================
"""
    + COEFFICIENTS
)

SUMMARY2 = """             Results: Generalized linear model
============================================================
Model:              GLM              Method:         IRLS   
Model Family:       Binomial         AIC:            66.6548
Link Function:      Logit            BIC:            70.1950
Dependent Variable: ['y1', 'y2']     Log-Likelihood: -28.327
Date:               2026-11-29 07:37 LL-Null:        -32.827
No. Observations:   15               Deviance:       12.804 
Df Model:           4                Pearson chi2:   12.3   
Df Residuals:       10               Scale:          1.0000 
-------------------------------------------------------------
            Coef.   Std.Err.    z     P>|z|    [0.025  0.975]
-------------------------------------------------------------
Ajax        1.2246    0.3350  3.6559  0.0003   0.5681  1.8812
PSV         1.2886    0.3345  3.8521  0.0001   0.6330  1.9443
Feyenoord   0.6449    0.3080  2.0940  0.0363   0.0413  1.2485
AZ          0.5337    0.3033  1.7595  0.0785  -0.0608  1.1282
Twente      0.8577    0.3141  2.7305  0.0063   0.2420  1.4733
============================================================
"""

STATA = """Logistic regression                             Number of obs     =        213
                                                Wald chi2(5)      =      91.99
Log likelihood = -136.47695                     Prob > chi2       =     0.0013

------------------------------------------------------------------------------
           y |      Coef.   Std. Err.      z    P>|z|     [95% Conf. Interval]
-------------+----------------------------------------------------------------
        Ajax |   1.224621   .334971     3.66   .000     .568090    1.881152
         PSV |   1.288635   .334530     3.85   .000     .632969    1.944302
   Feyenoord |   .644873   .307962     2.09   .036     .041278    1.248467
          AZ |   .533688   .303312     1.76   .078     -0.060793    1.128168
      Twente |   .857666   .314112     2.73   .006     .242019    1.473314
------------------------------------------------------------------------------
"""


def test_single_comparisons_are_observations_and_have_their_df(counts: Comparisons, tmp_path: Path) -> None:
    for text in (LOGIT, SUMMARY2, STATA):
        found = beside(tmp_path, text, counts)
        assert not off(found) and found.exit_code == 0 and "of the whole fit were not read" in said(found)
    for text, right, wrong in (
        (LOGIT, "-136.48", "-163.48"),
        (LOGIT, "208", "280"),
        (SUMMARY2, "70.1950", "71.0950"),
        (SUMMARY2, "66.6548", "65.6548"),
        (STATA, "213", "231"),
    ):
        assert beside(tmp_path, text.replace(right, wrong), counts).exit_code == 1


PROFILE = """                2.5 %   97.5 %
Ajax       0.58366330 1.901203
PSV        0.64977687 1.965606
Feyenoord  0.04863204 1.260741
AZ        -0.05497136 1.139038
Twente     0.25265855 1.488691
"""


def test_a_limit_of_the_profile_has_the_digits_of_confint(counts: Comparisons, tmp_path: Path) -> None:
    assert not off(beside(tmp_path, PROFILE, counts))
    found = beside(tmp_path, PROFILE.replace("0.04863204", "0.05163204"), counts)
    assert off(found) == ["low.Feyenoord"] and "which gives 0.048628278" in str(list(found))
    found = beside(
        tmp_path, PROFILE.replace("0.04863204", "0.05163204").replace("1.901203", "1.903203"), counts
    )
    assert {a.verdict for a in found if str(a.quantity) in ("low.Feyenoord", "high.Ajax")} == {"immaterial"}


#: Ratings and limits as a bootstrap has them: the median of 100 rounds, their 2.5 and 97.5 % quantiles.
BOOTSTRAP = """Rank* (UB),Model,Arena Elo,95% CI,Votes
1,PSV,1096,+81/-68,64
1,Ajax,1078,+98/-68,63
1,Twente,1015,+79/-76,69
1,Feyenoord,979,+73/-78,72
1,AZ,956,+76/-77,74
4,Utrecht,869,+67/-74,84
"""


def test_a_board_of_a_bootstrap_is_not_accused_of_its_noise(counts: Comparisons, tmp_path: Path) -> None:
    found = beside(tmp_path, BOOTSTRAP, counts, "board.csv")
    assert not off(found) and found.exit_code == 0
    kinds = {a.verdict for a in found if a.quantity.kind in ("estimate", "low", "high")}
    assert kinds == {"agrees", "not-checkable"}
    for right, wrong in (("1096", "1069"), ("+76/-77", "+76/-17"), (",74", ",47")):
        assert right in BOOTSTRAP
        assert beside(tmp_path, BOOTSTRAP.replace(right, wrong, 1), counts, "board.csv").exit_code == 1, wrong


PROBIT = """Team       Estimate
Ajax       0.7514
PSV        0.8021
Feyenoord  0.3988
AZ         0.3310
Twente     0.5301
Utrecht    0.0000
"""


def test_a_probit_link_is_tried_before_a_free_scale(counts: Comparisons, tmp_path: Path) -> None:
    found = beside(tmp_path, PROBIT, counts)
    assert not off(found) and said(found) == "All 6 printed numbers are reproduced."
    assert beside(tmp_path, PROBIT.replace("0.8021", "0.8201"), counts).exit_code == 1


def test_a_free_scale_is_said_first_and_has_no_constant_beside_a_reference(
    counts: Comparisons, tmp_path: Path
) -> None:
    fit = pairproof.fit_bradley_terry(counts, reference="sum")
    scaled = "Team,Estimate\n" + "".join(f"{i},{3 + 1.7 * x:.3f}\n" for i, x in fit.params.items())
    found = beside(tmp_path, scaled, counts, "page.csv")
    assert said(found) == "All 6 printed numbers are reproduced up to a factor and a constant."
    # 1.55 times the maximum less 0.40, and the means of a posterior: of no scale that has 0 at Utrecht.
    for values in (
        (1.50, 1.60, 0.60, 0.43, 0.93),
        (1.17, 1.24, 0.60, 0.49, 0.81),
        (1.17, 1.24, 0.60, 0.49, 0.81, 0),
    ):
        items = ("Ajax", "PSV", "Feyenoord", "AZ", "Twente", "Utrecht")
        text = "Team,Estimate\n" + "".join(f"{i},{x:.2f}\n" for i, x in zip(items, values))
        found = beside(tmp_path, text, counts, "page.csv")
        assert found.exit_code == 2 and "could not be checked" in said(found)


GENDAVIDSON = """
Call:
gnm(formula = y ~ GenDavidson(win, tie, loss, p1, p2, home.adv = ~1, 
    at.home1 = h1, at.home2 = h2, tie.max = ~1), eliminate = id, 
    family = poisson, data = df, verbose = FALSE)

Deviance Residuals: 
    Min       1Q   Median       3Q      Max  
-2.2851  -0.8128  -0.0114   0.5849   1.6210  

Coefficients of interest:
          Estimate Std. Error z value Pr(>|z|)    
home.adv    0.5628     0.1679   3.351 0.000804 ***
tie.max    -1.4222     0.1845  -7.710  < 2e-16 ***
Ajax        1.1368         NA      NA       NA    
PSV         1.4380         NA      NA       NA    
Feyenoord   1.2654         NA      NA       NA    
AZ          0.7257         NA      NA       NA    
Twente      1.0038         NA      NA       NA    
Utrecht     0.3074         NA      NA       NA    
---
Signif. codes:  0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1

(Dispersion parameter for poisson family taken to be 1)

Std. Error is NA where coefficient has been constrained or is unidentified

Residual deviance: 80.628 on 53 degrees of freedom
AIC: 365.43

Number of iterations: 6
"""


def test_estimates_without_errors_have_a_free_constant(matches: Comparisons, tmp_path: Path) -> None:
    for stated in ({}, {"order_effect": True}):
        found = beside(tmp_path, GENDAVIDSON, matches, **stated)
        assert not off(found) and "1 row was not read: tie.max" in said(found)
    found = beside(tmp_path, GENDAVIDSON.replace("1.2654", "1.2564"), matches)
    assert off(found) == ["estimate.Feyenoord"]


POISSON = """          Estimate Std. Error z value  Pr(>|z|)    
PSV        0.30118    0.37996  0.7926 0.4279825    
Feyenoord  0.12859    0.36569  0.3516 0.7251180    
AZ        -0.41107    0.37508 -1.0960 0.2730939    
Twente    -0.13295    0.37855 -0.3512 0.7254360    
Utrecht   -0.82938    0.37655 -2.2026 0.0276232 *  
home       0.56278    0.16793  3.3513 0.0008042 ***
ties      -0.72901    0.18447 -3.9520 7.751e-05 ***
---
Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1

    Null deviance:  131.272  on  89  degrees of freedom
Residual deviance:  80.628  on  53  degrees of freedom
"""


def test_a_poisson_fit_without_its_nuisance_rows_has_its_own_null_model(
    matches: Comparisons, tmp_path: Path
) -> None:
    found = beside(tmp_path, POISSON, matches)
    assert not off(found) and not off_alone(alone(tmp_path, POISSON, "page.txt"))
    assert off(beside(tmp_path, POISSON.replace("131.272", "113.272"), matches))
    assert off_alone(alone(tmp_path, POISSON.replace("on  53", "on  58"), "page.txt"))


STUDENT = """| Team | Estimate | SE | t | df | p |
|---|---|---|---|---|---|
| Ajax | 1.2246 | 0.3350 | 3.66 | 10 | 0.004 |
| PSV | 1.2886 | 0.3345 | 3.85 | 10 | 0.003 |
| Feyenoord | 0.6449 | 0.3080 | 2.09 | 10 | 0.063 |
| AZ | 0.5337 | 0.3033 | 1.76 | 10 | 0.109 |
| Twente | 0.8577 | 0.3141 | 2.73 | 10 | 0.021 |
"""

CONCISE = """| Team | ability |
|---|---|
| Ajax | 1.22(33) |
| PSV | 1.29(33) |
| Feyenoord | 0.64(31) |
| AZ | 0.53(30) |
| Twente | 0.86(31) |
"""

BTMODEL = """
Bradley-Terry regression model

Parameters:
          Estimate Std. Error z value Pr(>|z|)    
Ajax        1.2246     0.3350   3.656 0.000256 ***
PSV         1.2886     0.3345   3.852 0.000117 ***
Feyenoord   0.6449     0.3080   2.094 0.036259 *  
AZ          0.5337     0.3033   1.760 0.078486 .  
Twente      0.8577     0.3141   2.730 0.006324 ** 
---
Signif. codes:  0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1

Log-likelihood: -136.5 (df = 5)
"""

EBA = """
Parameter estimates:
  Estimate Std. Error z value Pr(>|z|)    
1  0.24278    0.04964   4.891 1.00e-06 ***
2  0.25883    0.05191   4.986 6.16e-07 ***
3  0.13597    0.02956   4.600 4.23e-06 ***
4  0.12166    0.02670   4.556 5.21e-06 ***
5  0.16821    0.03555   4.732 2.22e-06 ***
6  0.07135    0.01640   4.351 1.36e-05 ***
---
Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1

Model tests:
          Df1 Df2 logLik1 logLik2 Deviance Pr(>Chi)    
Overall     1  30 -78.054 -55.523   45.063 0.029011 *  
EBA         5  15 -28.327 -21.925   12.804 0.234852    
Effect      0   5 -39.491 -28.327   22.327 0.000454 ***
Imbalance   1  15 -38.563 -33.597    9.933 0.767100    
---
Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1

AIC:  66.655 
Pearson X2: 12.32
"""


def test_definitions_of_other_programs_are_known(counts: Comparisons, tmp_path: Path) -> None:
    for text, name in ((STUDENT, "page.md"), (CONCISE, "page.md"), (BTMODEL, "page.txt"), (EBA, "page.txt")):
        found = beside(tmp_path, text, counts, name)
        assert not off(found) and found.exit_code == 0
    for text, right, wrong in (
        (STUDENT, "0.063", "0.036"),
        (STUDENT, "2.09 | 10", "2.09 | 11"),
        (CONCISE, "0.86(31)", "0.86(37)"),
        (BTMODEL, "0.078486", "0.078846"),
        (EBA, "0.25883", "0.28553"),
    ):
        assert right in text
        assert beside(tmp_path, text.replace(right, wrong), counts, "page.md").exit_code == 1, wrong


POLR = """Call:
polr(formula = r ~ PSV + Feyenoord + AZ + Twente + Utrecht, data = O, 
    Hess = TRUE)

Coefficients:
            Value Std. Error t value
PSV        0.2407     0.3118  0.7719
Feyenoord  0.1022     0.3011  0.3393
AZ        -0.3500     0.3057 -1.1450
Twente    -0.1480     0.3123 -0.4740
Utrecht   -0.6656     0.3045 -2.1860

Intercepts:
     Value   Std. Error t value
-1|0 -0.8614  0.1571    -5.4821
0|1  -0.0468  0.1445    -0.3238

Residual Deviance: 398.9264 
AIC: 412.9264
"""


def test_a_table_of_thresholds_is_not_read_and_said(matches: Comparisons, tmp_path: Path) -> None:
    found = beside(tmp_path, POLR, matches)
    assert not off(found) and "1 further table without items of the data not read" in said(found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("            Estimate Std. Error z value Pr(>|z|)\nAjax - AZ == 0  0.69093  0.33670  2.052  0.241\n",
         "line 2: Ajax - AZ == has 5 cells under 4 headings"),
        ("  term  estimate std.error statistic p.value\n  <chr>    <dbl>     <dbl>\n1 Ajax  1.22  0.335  3.66  0.0003\n",
         "line 2 is no row of a name and 4 cells: <chr>"),
    ],
)  # fmt: skip
def test_headings_without_rows_are_said_with_the_first_row(
    text: str, why: str, counts: Comparisons, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        beside(tmp_path, text, counts)


def test_a_table_without_headings_is_said_beside_what_was_read(counts: Comparisons, tmp_path: Path) -> None:
    text = "Ajax       1.22 ***\n          (0.33)\nPSV        1.29 ***\nAIC               66.65\nLog Likelihood   -28.33\n*** p < 0.001; ** p < 0.01\n"
    assert "only numbers of the whole fit were read" in said(beside(tmp_path, text, counts))


def test_nuisance_constants_by_a_covariate_are_cells(tmp_path: Path) -> None:
    answers = [
        "1,1,1,f",
        "1,0,-1,f",
        "-1,1,1,f",
        "1,1,0,f",
        "1,-1,1,m",
        "0,1,1,m",
        "1,1,-1,m",
        "-1,-1,1,m",
        "1,0,1,m",
    ]
    (tmp_path / "answers.csv").write_text("V1,V2,V3,Sex\n" + "\n".join(answers) + "\n")
    coding = {"first": "1", "tie": "0", "second": "-1"}
    how: dict[str, Any] = {
        "layout": "prefmod",
        "items": ["A", "B", "C"],
        "pair_order": "prefmod",
        "coding": coding,
    }
    data = pairproof.read(tmp_path / "answers.csv", **how)
    own: dict[str, Any] = {"ties": "davidson", "reference": "C"}
    by_sex, plain = (pairproof.fit_llbt(data, cells=cells, **own) for cells in (["Sex"], None))
    assert by_sex.df_resid > plain.df_resid

    def page(fit: Any, eliminated: str) -> str:
        rows = "".join(f"{n:6} {fit.params[n]:9.5f} {fit.bse[n]:9.5f}\n" for n in ("A", "B", "tie"))
        head = f"gnm(formula = y ~ A + B + C + g1, eliminate = {eliminated}, family = poisson)\n\n"
        ends = f"Residual deviance: {fit.deviance:.4f} on {fit.df_resid} degrees of freedom\n"
        return f"{head}        Estimate Std. Error\n{rows}\n{ends}"

    for text in (page(by_sex, "mu:SEX"), page(plain, "mu")):
        found = beside(tmp_path, text, data)
        assert said(found) == "All 8 printed numbers are reproduced."
    slip = page(by_sex, "mu:SEX").replace(f"{by_sex.deviance:.4f}", f"{by_sex.deviance + 0.27:.4f}")
    assert off(beside(tmp_path, slip, data)) == ["deviance"]
    found = beside(tmp_path, page(by_sex, "mu:AGE"), data)
    assert not off(found) and "nuisance constants by AGE, which" in said(found)
