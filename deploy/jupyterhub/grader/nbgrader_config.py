"""nbgrader for a course's account on the hub; the class's own settings come on top."""

import os
import pwd

c = get_config()  # noqa: F821

# On a server with accounts, a folder's owner is who handed it in. In containers everybody has one
# name, by which nbgrader knows to ask the hub, and numbers that it cannot tell apart.
accounts = pwd.getpwuid(os.getuid()).pw_name != "jovyan"
c.CourseCollect.owners_only = accounts
c.CourseCollect.check_owner = accounts
