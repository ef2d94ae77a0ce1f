"""``plan_import``: the file of a form, by whichever program, as a plan with all remarks."""

from pathlib import PurePath

from surveys.definitions.documents import FORMAT, MOST_BYTES, BadDefinition, from_bytes
from surveys.definitions.imports.assembly import plan_of
from surveys.definitions.imports.entries import ReadForm
from surveys.definitions.imports.plans import ImportPlan, PlannedQuestion, stopped
from surveys.definitions.imports.readers.limesurvey import is_limesurvey, read_limesurvey
from surveys.definitions.imports.readers.redcap import is_redcap, read_redcap
from surveys.definitions.imports.readers.tables import note_beyond, table_of, text_of
from surveys.definitions.imports.readers.workbooks import sheets_of
from surveys.definitions.imports.readers.xlsform import SHEETS, read_xlsform
from surveys.definitions.imports.remarks import FormRefused, Remarks, Spot
from surveys.definitions.xlsforms.reading import ARMS, is_ours, plan_of_ours
from surveys.randomized_response.messages import sentence

ZIP, OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
LIMESURVEY_XML = b"<LimeSurveyDocType"
KNOWN = sentence(
    "Choose an XLSForm (.xlsx), a data dictionary of REDCap (.csv), a tab-separated structure of "
    "LimeSurvey (.txt) or a draft of Deniable (.json)."
)


def plan_import(content: bytes, file_name: str, language: str = "en") -> ImportPlan:
    """The plan of a file. What stops an import is a remark; nothing is raised.

    ``language`` is that of texts whose file names none.
    """
    remarks = Remarks()
    try:
        if len(content) > MOST_BYTES:
            words = sentence("The file has more than {most} MB.", most=MOST_BYTES // 1024**2)
            raise FormRefused(
                words,
                sentence(
                    "Remove pictures, sounds and films from the file, and divide the form into "
                    "several files."
                ),
            )
        if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
            return _plan_of_definition(content, remarks)
        read = _read(content, PurePath(file_name).stem, language, remarks)
    except FormRefused as refusal:
        remarks.stops(refusal.spot, "", refusal.outcome, refusal.remedy)
        return stopped("unknown", remarks)
    return read if isinstance(read, ImportPlan) else plan_of(read, remarks)


def _read(content: bytes, name: str, language: str, remarks: Remarks) -> ReadForm | ImportPlan:
    """The form in a file, or all of the plan of a workbook of our own. Raises FormRefused."""
    if content.startswith(OLD_EXCEL):
        words = sentence("The file is an Excel workbook in an old format, or it is encrypted.")
        raise FormRefused(words, sentence("Save the workbook as .xlsx, without a password."))
    if content.startswith(ZIP):
        sheets = sheets_of(content, SHEETS, remarks)
        if is_ours(sheets):
            arms = sheets_of(content, [ARMS], remarks)
            return plan_of_ours({**sheets, **arms}, remarks)
        return read_xlsform(sheets, language, name, remarks)
    if LIMESURVEY_XML in content[:1000]:
        words = sentence(
            "This is a LimeSurvey file of the type .lss, which cannot be read. The tables in such "
            "files differ between versions of LimeSurvey."
        )
        remedy = sentence(
            "Export the structure from LimeSurvey as tab-separated values (.txt) instead."
        )
        raise FormRefused(words, remedy)
    table = table_of(text_of(content, remarks))
    if is_redcap(table):
        note_beyond(table, remarks)
        return read_redcap(table, language, name, remarks)
    if is_limesurvey(table):
        note_beyond(table, remarks)
        return read_limesurvey(table, language, name, remarks)
    raise FormRefused(sentence("The file is not a form in a format that Deniable knows."), KNOWN)


def _plan_of_definition(content: bytes, remarks: Remarks) -> ImportPlan:
    """A draft's own file, as it is."""
    try:
        definition = from_bytes(content)
    except BadDefinition as refusal:
        for problem in refusal.problems:
            spot = Spot(column=problem.pointer)
            remedy = sentence(
                "Correct the file at this JSON pointer. The published schema of “{format}” "
                "describes what is allowed."
            )
            remarks.stops(spot, "", problem.words, remedy.format(format=FORMAT))
        return stopped("deniable", remarks)
    questions = tuple(
        PlannedQuestion(each.name, Spot(), not each.unfinished) for each in definition.questions
    )
    counts = len(questions), sum(question.is_whole for question in questions)
    return ImportPlan("deniable", definition, questions, *counts, tuple(remarks))
