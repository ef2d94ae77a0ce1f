"""Topics from noisy releases, each charged."""
