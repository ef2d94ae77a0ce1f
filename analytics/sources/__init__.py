"""Where texts come from, part by part: surveys, files, clusters of machines."""
