"""From a draft to an open survey: the admin, the preview, launch and close."""
