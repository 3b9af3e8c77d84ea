"""PyTorch modules on fixed prototypes."""
