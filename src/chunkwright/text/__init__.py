"""What a text is made of: characters, graphemes, words, sentences, blocks and tokens.

Every function takes a string and gives arrays of code-point positions. Nothing here knows what
a chunk is; `Analysis` keeps the arrays of one document so that all setups share them.
"""
