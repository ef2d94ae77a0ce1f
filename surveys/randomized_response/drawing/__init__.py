"""Drawing a report: by a computer, or by a person with a coin."""
