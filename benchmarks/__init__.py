"""Peers and chunkwright side by side; it tells, and fails nothing.

`texts` makes what is cut, `tools` are the cutters, `throughput` times them, each in a process of
its own, `quality` looks at where they cut, and `python -m benchmarks.run` prints it all.
"""
