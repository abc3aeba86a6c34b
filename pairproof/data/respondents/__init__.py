"""Whole answers of persons: `Respondents`, and the readers of its layouts."""

from .respondents import Respondents

__all__ = ["Respondents"]
