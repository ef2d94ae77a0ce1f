"""How words and numbers are said in the language of the page."""
