"""From typed functions to addresses: who may ask, what they send, what they read, its document."""
