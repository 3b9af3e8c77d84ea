"""Cross-entropy and log-sum-exp of B x K logits, computed without materializing the logits."""
