"""prefmod under its own names, dots as underscores: every function that it exports."""


from .llbt import (
    LLBTDesign as LLBTDesign,
    LLBTFit as LLBTFit,
    LLBTPCModel as LLBTPCModel,
    WorthTable as WorthTable,
    llbt_design as llbt_design,
    llbt_fit as llbt_fit,
    llbtPC_fit as llbtPC_fit,
)
from .pattern_designs import (
    DesignModel as DesignModel,
    NPMLModel as NPMLModel,
    PatternDesign as PatternDesign,
    fit_design as fit_design,
    patt_design as patt_design,
    pattnpml_fit as pattnpml_fit,
)
from .pattern_models import (
    PatternModel as PatternModel,
    pattL_fit as pattL_fit,
    pattLrep_fit as pattLrep_fit,
    pattPC_fit as pattPC_fit,
    pattR_fit as pattR_fit,
    pattRrep_fit as pattRrep_fit,
)
from .tools import (
    Answers as Answers,
    MissingComparisons as MissingComparisons,
    checkMIS as checkMIS,
    expand_mat as expand_mat,
    simPC as simPC,
    simR as simR,
)
from .worths import (
    Drawing as Drawing,
    llbt_worth as llbt_worth,
    patt_worth as patt_worth,
    plot_wmat as plot_wmat,
    plotworth as plotworth,
)
