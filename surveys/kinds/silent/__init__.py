"""Pages of which nothing is sent: information and consent."""
