"""Error-correcting codes over finite fields, as integers and packed bits; one module per family of codes."""
