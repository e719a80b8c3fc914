"""Elements of the page that paint in the browser: a Python class and its script each."""
