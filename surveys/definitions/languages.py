"""The languages of respondents' pages, and how other programs name them."""

# A test holds them to those of the settings, which need Django.
LANGUAGES = ("en", "de", "fr", "es", "ar")
NAMED = {
    "english": "en",
    "englisch": "en",
    "anglais": "en",
    "german": "de",
    "deutsch": "de",
    "allemand": "de",
    "french": "fr",
    "français": "fr",
    "francais": "fr",
    "französisch": "fr",
    "spanish": "es",
    "español": "es",
    "espanol": "es",
    "spanisch": "es",
    "arabic": "ar",
    "العربية": "ar",
    "عربي": "ar",
    "arabisch": "ar",
    "arabe": "ar",
}


def language_named(name: str) -> str:
    """The code of a language as forms write it: ``de``, ``German``, ``Deutsch (de)``, ``de-CH``.

    Empty if it is none of ``LANGUAGES``.
    """
    words = name.strip().casefold()
    before, bracket, inside = words.partition("(")
    code = inside.partition(")")[0].strip() if bracket else words
    short = code.replace("_", "-").partition("-")[0]
    if short in LANGUAGES:
        return short
    # In brackets there may be a code of three letters, or a country.
    return NAMED.get(before.strip(), "") or NAMED.get(code, "")
