"""Error-correcting codes: integers and packed bits only, no sphere. Import the file of the code you want."""
