"""Passwords that hash fast; the server reads them, because the algorithm is the real one."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class OneIteration(PBKDF2PasswordHasher):
    iterations = 1
