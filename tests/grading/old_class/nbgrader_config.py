"""nbgrader's settings for this class. Your own settings may follow below."""

from course_utils.grading.nbgrader_hooks import configure

c = get_config()  # noqa: F821
configure(c, __file__)
