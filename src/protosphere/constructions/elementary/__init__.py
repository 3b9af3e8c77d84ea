"""Elementary constructions: simplices, polytopes, circles of latitude."""
