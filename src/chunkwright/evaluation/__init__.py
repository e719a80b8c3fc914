"""Measuring a setup: references on the collection's line, metrics, and what is luck."""
