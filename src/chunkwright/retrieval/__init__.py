"""Finding chunks for a question, exactly and in memory: BM25, static vectors, both fused.

Terms of the documents are counted once; the counts of a setup's chunks are differences over the
same arrays, so trying another setup costs little.
"""
