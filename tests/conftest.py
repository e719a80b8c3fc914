"""What all tests share: how hard hypothesis tries, and the real data."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parents[1]

# The same examples on every run, so that a change is judged by what it changes; `random` looks for
# new ones.
settings.register_profile("default", max_examples=30, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=400, deadline=None, derandomize=True)
settings.register_profile("random", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents with real questions; without it the test is skipped.

    It is `CHUNKWRIGHT_SHARED_DATA`, or `shared/data` beside the repository.
    """
    named = os.environ.get("CHUNKWRIGHT_SHARED_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        origin = "named by CHUNKWRIGHT_SHARED_DATA" if named else "set CHUNKWRIGHT_SHARED_DATA"
        pytest.skip(f"needs the real data: {folder} is not a folder ({origin})")
    return folder
