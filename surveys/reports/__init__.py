"""Results as documents of blocks: what pages, pictures and files of every report are made from."""
