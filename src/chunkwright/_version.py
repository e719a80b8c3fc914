"""The version of chunkwright, in one place: the build and the program both read it here."""

__version__ = "0.1.0"
