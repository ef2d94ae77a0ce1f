"""What answers a submission: a page for people without script, codes and numbers for the script."""
