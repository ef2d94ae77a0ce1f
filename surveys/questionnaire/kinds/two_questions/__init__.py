"""Kinds of questions that hide a sensitive question behind a second, harmless one."""
