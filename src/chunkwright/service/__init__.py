"""Documents kept open and asked about over HTTP.

`workspace` holds them with what was made of them, `chunks` and `search` answer from it, `app` is
the API with its `messages`, and `guard` decides who may ask.
"""
