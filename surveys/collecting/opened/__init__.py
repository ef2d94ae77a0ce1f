"""What an opening decides of rows and of locked answers, apart from its chunks and transactions."""
