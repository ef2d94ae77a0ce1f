"""ReadFields: what a question's page shows of what no column of its own holds."""

from django.contrib import admin
from django.utils.translation import gettext_lazy

from surveys.authoring.editor.rule_texts import RuleTexts
from surveys.authoring.inlines import protection
from surveys.authoring.question_forms import alone_of, option_lines_of
from surveys.models import Question


class ReadFields(admin.ModelAdmin):
    """A form has fields of most of these names; pages that are only read have these."""

    @admin.display(description=gettext_lazy("resulting epsilon"))
    def protection(self, question: Question) -> str:
        return protection(question)

    @admin.display(description=gettext_lazy("rule as a text"))
    def rule_text(self, question: Question) -> str:
        return "" if question._state.adding else RuleTexts(question.survey, question).own

    @admin.display(description=gettext_lazy("rule of the section"))
    def section_rule(self, question: Question) -> str:
        return "" if question._state.adding else RuleTexts(question.survey, question).of_section

    @admin.display(description=gettext_lazy("options"))
    def option_lines(self, question: Question) -> str:
        return option_lines_of(question)

    @admin.display(description=gettext_lazy("options that exclude all others"))
    def alone(self, question: Question) -> str:
        return "\n".join(alone_of(question))
