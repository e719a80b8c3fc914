"""Where documents come from: files, folders and snapshots.

`decode` turns bytes into text and `html` pages into Markdown, `files` walks folders, `corpus`
holds the documents of a study, and `snapshot` freezes them. A file that gives no document is
reported and stops nothing.
"""
