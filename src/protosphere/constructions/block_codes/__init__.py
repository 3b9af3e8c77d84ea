"""Constructions from block codes: Reed-Muller, BCH, Reed-Solomon, Kerdock and their relatives."""
