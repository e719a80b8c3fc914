"""Failures that people met in other chunkers, each a test here.

A test is named after its report, `test_br_021_…`, or a row of its parameters is, `br_021`; the
category is the file. `python -m tests.bug_reports` prints how many of each category pass, and
`pytest tests/bug_reports -k br_021` runs one.
"""
