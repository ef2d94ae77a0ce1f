"""The published JSON schemas, as the program has them: ``python -m benchmarks.schemas``."""

import json
from pathlib import Path

from surveys.definitions import documents
from surveys.definitions.imports import plans

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schemas"
SCHEMAS = {"draft.json": documents.schema, "plan.json": plans.schema}


def main() -> None:
    for name, schema in SCHEMAS.items():
        text = json.dumps(schema(), indent=1, ensure_ascii=False)
        (FOLDER / name).write_text(f"{text}\n")


if __name__ == "__main__":
    main()
