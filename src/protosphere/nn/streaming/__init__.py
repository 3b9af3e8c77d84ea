"""Losses over any number of classes without materializing the B x K logits."""
