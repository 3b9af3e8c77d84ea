"""Error-correcting codes over finite fields, and the arithmetic that they need.

An element of a finite field is stored as an integer. A binary codeword is stored as a row of bytes. Each byte contains
eight bits of the codeword, the first of them in the highest bit of the byte.
"""
