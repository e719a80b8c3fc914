"""Chunks that other tools made: their files, read, and their places in the documents.

`chunk_files` holds the formats, `skeleton` texts without what tools change in them, `anchor` finds
a chunk's span in its document, `foreign` does it for a whole file and makes cuts of it.
"""
