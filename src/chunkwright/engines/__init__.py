"""Where work is done: in this process, or in several of this machine.

`local` cuts documents and gives what was made of them in their order, `columns` lays chunks out
as they are written, and `faults` says in one line why a document failed.
"""
