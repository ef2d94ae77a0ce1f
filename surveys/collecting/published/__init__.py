"""What outsiders compare: the launched document, the files of a page, and their digests."""
