"""obdfilter-survey of the Lustre I/O kit: its summaries are imported."""

from weir.tools.obdfilter_survey.tool import ObdfilterSurvey

TOOL = ObdfilterSurvey()
