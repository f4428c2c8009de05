"""Files whose rows commands read in blocks: which they are, who works through them, and the models fitted to them."""
