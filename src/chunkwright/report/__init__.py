"""Showing a study: tables as plain values, charts, the HTML report."""
