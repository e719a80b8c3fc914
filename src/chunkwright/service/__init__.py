"""Documents kept open and asked about over HTTP.

`workspace` holds them with what was made of them, `app` is the API, and `guard` decides who may
ask.
"""
