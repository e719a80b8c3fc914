"""Values as JSON takes them."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> Any:
    """A value in which every number that is undefined is None.

    >>> finite({"share": float("nan"), "rows": (1, 2)})
    {'share': None, 'rows': [1, 2]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return value
