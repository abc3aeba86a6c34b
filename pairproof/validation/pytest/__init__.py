"""The pytest plugin: claims files as tests, numbers compared with their record, R's recorded answers.

The names below mark a test's report, in its user properties, for the summary that the plugin prints.
"""


#: The test was not run, and why; it used the record of this path; it wrote that record anew.
NOT_RUN, USED, CHANGED = "pairproof-not-run", "pairproof-used", "pairproof-changed"
