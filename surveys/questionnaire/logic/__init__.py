"""Rules: which questions a person is asked, and what that tells of them."""
