"""From counted words to topics: exact factorizations and their quality. Needs no Django."""
