"""Error-correcting codes over finite fields, with one module for each family of codes.

Field elements are stored as integers, and codewords as packed bits.
"""
