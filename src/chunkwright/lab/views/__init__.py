"""Elements of the page that paint in the browser: a Python class and its script each.

`rows` is what the scripts of long texts share.
"""

ROWS = {"chunkwright-rows": "rows"}
