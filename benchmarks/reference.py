"""Every address for programs, from the document of the interface, for ``docs/api.md``.

``python -m benchmarks.reference > docs/api.md`` writes the page anew. Its examples are those that
``tests/surveys/programs/test_examples.py`` asks the program for and keeps.
"""

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "tests" / "surveys" / "programs" / "examples.json"
HEAD = """# Every address for programs

What [programs](programs.md) can ask for, below `/api/v1` of your site. This page is written from
[schemas/api.json](schemas/api.json), which every site hands out at `/api/v1/openapi.json`, by
`python -m benchmarks.reference > docs/api.md`. In the examples `$base` ends in `/api/v1`, `$auth`
is the header with the token, `$survey` and `$key` are an `id`, and `…` stands for what is left out.
"""
DRAFT = "[a definition](importing.md)"
SCHEMAS = "#/components/schemas/"
KEYS = {
    "survey_id": "The survey, by its `id` in the list of surveys.",
    "key": "The file, by its `id` in the list of files.",
}
PLACES = {"path": "In the address", "query": "Behind `?`", "header": "A header"}
Schema = dict[str, Any]


def page() -> str:
    """The whole page."""
    from surveys.programs.openapi import document

    return "".join(_parts(document()))


def _parts(book: Schema) -> Iterator[str]:
    yield HEAD
    examples = {one["operation"]: one for one in json.loads(EXAMPLES.read_text())}
    operations = list(_operations(book))
    errors = [_errors_of(operation) for _, _, operation in operations]
    everywhere = set.intersection(*map(set, errors))
    for verb, path, operation in operations:
        example = examples[operation["operationId"]]
        yield from _operation(verb.upper(), path, operation, everywhere)
        yield from _example(verb.upper(), example)
    yield from _all_errors(errors)
    yield "\n## What answers are made of\n"
    for name, schema in book["components"]["schemas"].items():
        if _is_ours(name):
            yield from _record(name, schema)


def _operations(book: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Each with its verb and path."""
    for path, verbs in book["paths"].items():
        for verb, operation in verbs.items():
            yield verb, path, operation


def _errors_of(operation: Schema) -> dict[str, str]:
    """What each status of an error means."""
    replies = operation["responses"].items()
    return {status: reply["description"] for status, reply in replies if status >= "400"}


def _is_ours(name: str) -> bool:
    """Parts of a definition have a page and a schema of their own."""
    return name != "draft" and not name.startswith("draft_")


# ---- One operation ------------------------------------------------------------------------------


def _operation(verb: str, path: str, operation: Schema, everywhere: set[str]) -> Iterator[str]:
    yield f"\n## {verb} {_short(path)}\n\n`{verb} /api/v1{path}`\n\n"
    yield f"{operation['description'].replace('Scope: ', 'Scope: `').removesuffix('.')}`.\n"
    if operation["parameters"]:
        yield "\n| Parameter | What it is |\n|---|---|\n"
        yield from map(_parameter, operation["parameters"])
    if "requestBody" in operation:
        yield from _body(operation["requestBody"]["content"]["application/json"]["schema"])
    yield "\n| Answer | What it means |\n|---|---|\n"
    for status, reply in operation["responses"].items():
        if status not in everywhere:
            yield f"| {status} | {_cell(_reply(reply))} |\n"
    yield f"| {', '.join(sorted(everywhere))} | [As at every address](#errors) |\n"


def _short(path: str) -> str:
    """The address below a survey, as a heading has it: ``exports/key``."""
    below = path.removeprefix("/surveys/{survey_id}").lstrip("/") or "surveys/id"
    return below.replace("{", "").replace("}", "")


def _parameter(parameter: Schema) -> str:
    where = PLACES[parameter["in"]] + (", needed." if parameter["required"] else ".")
    words = [where, parameter.get("description") or KEYS[parameter["name"]], _values(parameter)]
    return f"| `{parameter['name']}` | {_cell(' '.join(filter(None, words)))} |\n"


def _values(parameter: Schema) -> str:
    """What a parameter may be, where its type says more than a text."""
    schema = parameter["schema"]
    if "enum" in schema:
        return f"One of {_choices(schema)}."
    if "minimum" in schema:
        return f"From {schema['minimum']} to {schema['maximum']}."
    return ""


def _body(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield f"\nThe body is {DRAFT}, as [schemas/draft.json](schemas/draft.json) has it.\n"
        return
    yield "\n| Field of the body | What it is |\n|---|---|\n"
    needed = schema.get("required", ())
    for name, field in schema["properties"].items():
        yield f"| `{name}` | {_cell(_type(field))}{', needed' if name in needed else ''} |\n"


def _reply(reply: Schema) -> str:
    """What is in it, and in which forms; of an error what it means."""
    content = reply.get("content", {})
    schemas = [one["schema"] for one in content.values()]
    if not content or any(one.get("$ref", "").endswith("/Problem") for one in schemas):
        return str(reply["description"])
    types = dict.fromkeys(_type(one) for one in schemas if one)
    words = ", ".join([*types, *(f"`{kind}`" for kind in content)])
    return f"{words}, with an `ETag`" if "headers" in reply else words


def _example(verb: str, example: Schema) -> Iterator[str]:
    sent = [f"-X {verb}"] if verb != "GET" else []
    sent += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in example["headers"].items()]
    if example["body"] is not None:
        sent.append("-H 'Content-Type: application/json'")
        large = len(json.dumps(example["body"])) > 100
        body = "@draft.json" if large else shlex.quote(json.dumps(example["body"]))
        sent.append(f"--data {body}")
    address = f'"$base/{example["path"]}"'
    lines = " \\\n  ".join(['curl -s -H "$auth"', *sent, address])
    answer = "\n".join(example["answer"])
    yield f"\n```text\n{lines}\n```\n\n```json\n{answer}\n```\n"


# ---- Errors, records and types ------------------------------------------------------------------


def _all_errors(errors: list[dict[str, str]]) -> Iterator[str]:
    yield "\n## Errors\n\nThe body of each is a [Problem](#problem), `application/problem+json`.\n"
    yield "\n| Status | What it means |\n|---|---|\n"
    words = {status: meaning for one in errors for status, meaning in one.items()}
    yield from (f"| {status} | {_cell(words[status])} |\n" for status in sorted(words))


def _record(name: str, schema: Schema) -> Iterator[str]:
    yield f"\n### {name}\n\n{schema['description']}\n\n| Field | Type |\n|---|---|\n"
    for field, kind in schema["properties"].items():
        yield f"| `{field}` | {_cell(_type(kind))} |\n"


def _type(schema: Schema) -> str:
    """A type in words, with a link to what is explained below."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(SCHEMAS)
        return f"[{name}](#{name.lower()})" if _is_ours(name) else DRAFT
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "enum" in schema:
        return f"one of {_choices(schema)}"
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"list of {_type(schema['items'])}"
    if isinstance(kind, list):
        return " or ".join(kind)
    return f"{kind} ({schema['format']})" if "format" in schema else str(kind)


def _choices(schema: Schema) -> str:
    return ", ".join(f"`{one}`" for one in schema["enum"])


def _cell(words: str) -> str:
    return words.replace("|", "&#124;")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    print(page(), end="")
