def readme_with_checks(t): return t
