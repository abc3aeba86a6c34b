"""prefmod under its own names, dots as underscores: every function that it exports."""

from .llbt import LLBTDesign, LLBTFit, LLBTPCModel, WorthTable, llbt_design, llbt_fit, llbtPC_fit
from .pattern_designs import DesignModel, NPMLModel, PatternDesign, fit_design, patt_design, pattnpml_fit
from .pattern_models import PatternModel, pattL_fit, pattLrep_fit, pattPC_fit, pattR_fit, pattRrep_fit
from .tools import Answers, MissingComparisons, checkMIS, expand_mat, simPC, simR
from .worths import Drawing, llbt_worth, patt_worth, plot_wmat, plotworth

__all__ = ["LLBTDesign", "LLBTFit", "LLBTPCModel", "WorthTable", "llbt_design", "llbt_fit", "llbtPC_fit"]
__all__ += ["DesignModel", "NPMLModel", "PatternDesign", "fit_design", "patt_design", "pattnpml_fit"]
__all__ += ["PatternModel", "pattL_fit", "pattLrep_fit", "pattPC_fit", "pattR_fit", "pattRrep_fit"]
__all__ += ["Answers", "MissingComparisons", "checkMIS", "expand_mat", "simPC", "simR"]
__all__ += ["Drawing", "llbt_worth", "patt_worth", "plot_wmat", "plotworth"]
