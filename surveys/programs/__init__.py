"""The interface for programs: what staff's pages show and change, as JSON below /api/v1."""
