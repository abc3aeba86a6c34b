"""Files, frames and dicts into `Respondents`: one reader a layout, none of which guesses."""
