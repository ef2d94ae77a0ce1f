"""From a text to counted words. Needs no Django."""
