"""Error-correcting codes over finite fields, with one module for each family of codes.

Field elements are stored as integers. Codewords are packed rows: a byte contains eight bits, highest bit first.
"""
