"""nbgrader for the hub's learners: where the exchange is, and which courses are theirs."""

import os

c = get_config()  # noqa: F821
c.Exchange.root = os.environ["COURSE_EXCHANGE"]
c.Authenticator.plugin_class = "nbgrader.auth.JupyterHubAuthPlugin"
