"""What the lessons import: the quiz, the check, corpora, plots and training helpers.

Importing this package is cheap on purpose (no numpy, no torch, no widgets); each part is loaded
when a lesson first uses it.
"""

from course_utils.lesson import open_lesson, show_progress

__all__ = ["open_lesson", "show_progress"]
