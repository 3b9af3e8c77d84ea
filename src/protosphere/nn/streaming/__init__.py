"""Cross-entropy and log-sum-exp of B x K logits, computed without materializing the logits.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""
