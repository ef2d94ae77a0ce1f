"""Forms of other programs, and drafts as files, become drafts of one's own."""
