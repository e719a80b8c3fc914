"""The version of chunkwright, in one place: the build and the program both read it here.

And the versions of what decides texts, cuts and figures beside it.
"""

__version__ = "0.1.0"

_PACKAGES = (
    *("charset-normalizer", "html-to-markdown", "markdown-it-py"),
    *("regex", "sentencex", "tiktoken", "tokenizers"),
    *("numpy", "scipy", "wordllama"),
)


def package_versions() -> dict[str, str]:
    """The version of each package on which texts, cuts or figures depend.

    >>> "numpy" in package_versions()
    True
    """
    from importlib import metadata

    return {name: metadata.version(name) for name in _PACKAGES}
