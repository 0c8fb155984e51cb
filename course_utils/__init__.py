"""What the lessons import: the quiz, the check, corpora, plots and training helpers.

Importing this package is cheap on purpose (no numpy, no torch, no widgets); each part is loaded
when a lesson first uses it.
"""

import sys

from course_utils.lesson import open_lesson, show_progress

# jsonschema, and so whatever reads a notebook, would load it to check addresses, which nothing
# here does; that alone takes a second of each process.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

__all__ = ["open_lesson", "show_progress"]
