"""Printed tables and program output, read as the numbers of a claim, and the model that they are of.

A page (:mod:`.forms`: its tables as cells) -> :func:`.reading.read_printed` (its numbers by quantity) ->
:mod:`.beside` (names as items of the data, the model; a verdict for each number, or a claims file).
"""

from .reading import PrintedTable as PrintedTable, read_printed as read_printed
