"""nbgrader for a course's account on the hub; the class's own settings come on top."""

c = get_config()  # noqa: F821
c.CourseCollect.owners_only = True  # on this server a folder's owner is who handed it in
