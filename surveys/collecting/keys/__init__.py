"""The keys of answers: of batches, of openings, in files; and what is sealed for an opening."""
