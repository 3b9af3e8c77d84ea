"""Elementary constructions, such as simplices, polytopes and layers of equal latitude."""
