"""Files of histograms, named methods and ranked tables. Needs no database."""
