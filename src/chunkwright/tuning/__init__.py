"""Searching for the best setup: the space of setups, the study with its journal, the choice."""
