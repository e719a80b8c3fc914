"""Whether a chunk makes sense read alone: rules that find defects, repairs that mend them.

Rules are judged against the source text; repairs move spans or add to `embed_text`.
"""
