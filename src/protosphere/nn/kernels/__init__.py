"""Products with all prototypes: compiled loops on CPUs."""
