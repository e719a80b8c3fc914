"""Questions with known answers: what a gold set is, how it is read and how it is checked.

`goldset` reads questions and their references; `check` finds every reference in the corpus, by
means of `locate`, and says which questions can be asked; `edit` changes questions, `history` takes
that back, and `write` writes them.
"""
