"""What the hub on Kubernetes does for the course, beyond values.yaml.

The chart runs this inside its own jupyterhub_config.py, where `c` and `get_config` (which reads
values.yaml) are defined: helm --set-file hub.extraConfig.course=course_hub.py
"""

# ruff: noqa: F821
from tornado import web

COURSE = get_config("custom.course")
INSTRUCTORS = get_config("custom.instructors", [])
LANGUAGE = get_config("custom.lang", "browser")
ACCOUNT = f"course-{COURSE}"  # the hub's user whose server is formgrader; nobody's own
ACCOUNT_NUMBER = 9000
RIGHTS = ("read:users", "servers", "access:servers")  # of instructors over that user
NUMBERS = range(10000, 30000)  # of people; the image has names for them all
PASSWORD = {"valueFrom": {"secretKeyRef": {"name": "course-database", "key": "password"}}}


def number(spawner):
    """The Unix number of somebody's container: by it the exchange keeps people apart."""
    if spawner.user.name == ACCOUNT:
        return ACCOUNT_NUMBER
    own = NUMBERS.start + spawner.user.id
    if own not in NUMBERS:
        raise web.HTTPError(500, "more people than numbers: see NUMBERS in course_hub.py")
    return own


def before_start(spawner):
    """Give a server its language; give the course's account its class and formgrader."""
    wish = LANGUAGE
    if wish == "browser":
        headers = spawner.handler.request.headers if spawner.handler else {}
        wish = "zh" if headers.get("Accept-Language", "").lower().startswith("zh") else "en"
    spawner.environment = {**spawner.environment, "COURSE_LANG": wish}
    if spawner.user.name != ACCOUNT:
        return
    spawner.cmd = ["python", "/opt/course/deploy/jupyterhub/formgrader.py"]
    spawner.environment |= {"COURSE_CLASS": f"/srv/class/{COURSE}", "PGPASSWORD": PASSWORD}
    claim = {"name": "class", "persistentVolumeClaim": {"claimName": "course-class"}}
    spawner.volumes = with_one_more(spawner.volumes, claim)
    mount = {"name": "class", "mountPath": "/srv/class"}
    spawner.volume_mounts = with_one_more(spawner.volume_mounts, mount)
    spawner.extra_labels = {**spawner.extra_labels, "course-database": "allowed"}


def with_one_more(entries, entry):
    """A list or a dict of volumes with another one; charts differ in which they use."""
    if isinstance(entries, dict):
        return {**entries, entry["name"]: entry}
    return [*entries, entry]


async def refuse_account(authenticator, handler, model):
    """The course's account is nobody's: a person of that name does not get in."""
    if model["name"] == ACCOUNT:
        raise web.HTTPError(403, "this name belongs to a course")
    return model


c.KubeSpawner.uid = number
c.KubeSpawner.gid = number
c.KubeSpawner.fs_gid = number
c.Spawner.pre_spawn_hook = before_start
c.Spawner.server_token_scopes = [  # by which nbgrader asks the hub for the learner's courses
    "users:activity!user",
    "access:servers!server",
    "read:users:name!user",
    "read:users:groups!user",
]
c.Authenticator.post_auth_hook = refuse_account
LEARNERS = sorted(c.Authenticator.get("allowed_users", []))
c.Authenticator.allowed_users = {*LEARNERS, *INSTRUCTORS}
c.JupyterHub.load_groups = {
    f"nbgrader-{COURSE}": {"users": LEARNERS},
    f"formgrade-{COURSE}": {"users": list(INSTRUCTORS)},
    ACCOUNT: {"users": [ACCOUNT]},
}
c.JupyterHub.load_roles.append(
    {
        "name": f"formgrade-{COURSE}",
        "groups": [f"formgrade-{COURSE}"],
        "scopes": [f"{right}!user={ACCOUNT}" for right in RIGHTS],
    }
)
