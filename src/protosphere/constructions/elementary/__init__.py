"""Elementary constructions, such as simplices, cross-polytopes and other polytopes."""
