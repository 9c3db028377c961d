"""What the zoo raises."""


class CannotStageError(Exception):
    """The machine lacks what the animal needs; the text names it."""
