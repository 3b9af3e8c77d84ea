"""Losses for B examples and any number K of classes that need not materialize the B x K logits."""
