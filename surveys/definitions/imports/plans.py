"""ImportPlan: the definition that a form becomes, the place of each question in it, all remarks."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from surveys.definitions.definition import Definition
from surveys.definitions.documents import ROOT
from surveys.definitions.imports.remarks import Grade, Remark, Spot

FORMAT, VERSION = "deniable_plan", 1


@dataclass(frozen=True)
class PlannedQuestion:
    """A question of the plan, the place that it comes from, and whether nothing of it is lost."""

    name: str
    spot: Spot
    is_whole: bool

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, **asdict(self.spot), "whole": self.is_whole}


@dataclass(frozen=True)
class ImportPlan:
    """``asked`` counts the questions and notes of the form, those that are left out included;
    ``held_count`` those of which nothing is lost.

    The rows of a table are counted one by one where the form has a row for each. Without a
    definition the form is not imported: a remark says why.
    """

    form: str
    definition: Definition | None
    questions: tuple[PlannedQuestion, ...]
    asked: int
    held_count: int
    remarks: tuple[Remark, ...]

    def count(self, grade: Grade) -> int:
        """How many remarks have this grade."""
        return sum(remark.grade == grade for remark in self.remarks)

    def to_json(self) -> dict[str, Any]:
        """The JSON that ``deniable import --plan`` prints; ``schema`` describes it."""
        return {
            FORMAT: VERSION,
            "form": self.form,
            "summary": {
                "asked": self.asked,
                "held": self.held_count,
                **{str(grade): self.count(grade) for grade in Grade},
            },
            "definition": self.definition and ROOT.write(self.definition),
            "questions": [question.to_json() for question in self.questions],
            "remarks": [remark.to_json() for remark in self.remarks],
        }


def stopped(form: str, remarks: Iterable[Remark], asked: int = 0) -> ImportPlan:
    """The plan of a form that is not imported."""
    return ImportPlan(form, None, (), asked, 0, tuple(remarks))


def schema() -> dict[str, Any]:
    """The published JSON Schema (2020-12) of a plan."""
    text, number = {"type": "string"}, {"type": "integer", "minimum": 0}
    spot = {"sheet": text, "row": number, "column": text}
    summary = dict.fromkeys(("asked", "held", *map(str, Grade)), number)
    question = {"name": text, **spot, "whole": {"type": "boolean"}}
    grade = {"enum": [str(grade) for grade in Grade]}
    remark = {"grade": grade, **spot, "text": text, "outcome": text, "remedy": text}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:deniable:plan:{VERSION}",
        "title": f"The plan of an import into Deniable, version {VERSION}",
        **_object(
            {
                FORMAT: {"const": VERSION},
                "form": {"enum": ["xlsform", "redcap", "limesurvey", "deniable", "unknown"]},
                "summary": _object(summary),
                "definition": {"anyOf": [{"type": "null"}, {"$ref": "urn:deniable:draft:1"}]},
                "questions": {"type": "array", "items": _object(question)},
                "remarks": {"type": "array", "items": _object(remark)},
            }
        ),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    fixed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **fixed}
