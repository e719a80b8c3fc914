"""The lab: a web page that shows the cut, moves the slider and asks the question.

`page` lays it out and each part of it is a file; `views` are the elements that paint text and
charts in the browser, and `state` is what the address holds. All values come from the functions
that the command line calls.
"""
