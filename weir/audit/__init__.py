"""The audit: whether what was requested is what ran. Rules live in weir/audit/rules, one function each."""

from weir.audit.judge import Judgement, judge
from weir.audit.registry import Rule
from weir.audit.subject import RunFacts, Subject

__all__ = ["Judgement", "Rule", "RunFacts", "Subject", "judge"]
