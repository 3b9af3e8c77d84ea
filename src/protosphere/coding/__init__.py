"""Error-correcting codes over integers and packed bits, independent of the sphere. Import the module of each code."""
