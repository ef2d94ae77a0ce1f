"""Settings, addresses, the typed environment, logs, mail, the server: nothing of the product."""
