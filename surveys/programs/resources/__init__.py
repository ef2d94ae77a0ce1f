"""What programs read and change: each by the query or service of the page that shows the same."""
