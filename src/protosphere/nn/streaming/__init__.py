"""Losses over any number of classes without holding the B x K logits."""
