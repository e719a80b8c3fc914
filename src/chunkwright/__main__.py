"""`python -m chunkwright`."""

from chunkwright.cli import main

main()
