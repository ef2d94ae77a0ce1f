"""A sensitive question that is hidden behind a second, harmless one."""
