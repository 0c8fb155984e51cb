"""JupyterHub for a department: classes of this course on one Linux server.

Copy this file to STATE, edit the lines at its top, and follow README.md beside it. Everything
else may stay as it is; settings of your own may follow at the end.
"""

# ruff: noqa: F821
import pwd
import sys
from pathlib import Path

# ------------------------------------------------------------------------------ what you edit

REPOSITORY = "/opt/course"  # this repository with its .venv; belongs to root, all may read it
STATE = "/srv/jupyterhub"  # the hub's database, its cookie secret, lists of names; root's alone
EXCHANGE = "/srv/exchange"  # nbgrader's exchange, made by prepare.py
COURSES = {"nlp": ["wang"]}  # each course: its instructors. Learners: one a line, STATE/nlp.txt
ADMINS = ["admin"]  # may add users, and open and stop everybody's server
LANGUAGE = "browser"  # of a learner's lessons: "en", "zh", or as the learner's browser asks
SPAWNER = "systemd"  # "systemd" enforces the limits below; "local" is for trying things out
MEMORY = "3G"  # for each person's server and kernels together
CPUS = 1.0  # the same, in cores
IDLE = 3600  # a server that nobody has used for so many seconds is stopped; work is on disk
ADDRESS = "http://127.0.0.1:8000"  # where the hub listens; put HTTPS in front (README.md)

# ------------------------------------------------------------------------------- who is who

HERE = f"{REPOSITORY}/deploy/jupyterhub"


def learners(course):
    """The names in STATE/COURSE.txt, one a line; # begins a remark."""
    path = Path(STATE) / f"{course}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {name for name in (line.split("#")[0].strip() for line in lines) if name}


def with_accounts(names):
    """Those of `names` that are accounts; a slip of the pen must not keep the hub from starting."""
    found = {name for name in names if is_account(name)}
    for name in sorted(set(names) - found):
        print(f"{name} is no account of this server and is left out", file=sys.stderr)
    return found


def is_account(name):
    """Whether the server knows `name`."""
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False


ADMINISTRATORS = with_accounts(ADMINS)
GROUPS = {f"nbgrader-{course}": with_accounts(learners(course)) for course in COURSES}
GROUPS |= {f"formgrade-{course}": with_accounts(people) for course, people in COURSES.items()}

c = get_config()
c.JupyterHub.authenticator_class = "pam"  # the server's own accounts; or an OAuthenticator
c.Authenticator.allowed_users = ADMINISTRATORS.union(*GROUPS.values())  # and nobody else
c.Authenticator.allow_existing_users = False  # not even those whom the hub's database knows
c.Authenticator.admin_users = ADMINISTRATORS
c.JupyterHub.load_groups = {name: {"users": sorted(people)} for name, people in GROUPS.items()}

# --------------------------------------------------------------------------- people's servers


def choose_language(spawner):
    """Tell learner.py which language to begin in; the first that the browser names decides."""
    wish = LANGUAGE
    if wish == "browser":
        headers = spawner.handler.request.headers if spawner.handler else {}
        wish = "zh" if headers.get("Accept-Language", "").lower().startswith("zh") else "en"
    spawner.environment = {**spawner.environment, "COURSE_LANG": wish}


c.Spawner.pre_spawn_hook = choose_language
c.Spawner.cmd = [sys.executable, f"{HERE}/learner.py"]
c.Spawner.environment = {"COURSE_EXCHANGE": EXCHANGE}
c.Spawner.server_token_scopes = [  # by which nbgrader asks the hub for the learner's courses
    "users:activity!user",
    "access:servers!server",
    "read:users:name!user",
    "read:users:groups!user",
]
c.Spawner.mem_limit = MEMORY
c.Spawner.cpu_limit = CPUS
c.Spawner.start_timeout = 120
if SPAWNER == "systemd":
    c.JupyterHub.spawner_class = "systemd"
    c.JupyterHub.cleanup_servers = False  # people's servers outlive a restart of the hub
    c.SystemdSpawner.isolate_tmp = True  # a /tmp of one's own
    c.SystemdSpawner.isolate_devices = True
    c.SystemdSpawner.disable_user_sudo = True  # no way to another account's rights
    c.SystemdSpawner.unit_extra_properties = {"TasksMax": "512", "ProtectSystem": "full"}

# ------------------------------------------------- formgrader, one for each course, and the culler

c.JupyterHub.services = [
    {
        "name": course,
        "url": f"http://127.0.0.1:{10100 + number}",
        "user": course,  # the account that owns the class; prepare.py makes it
        "cwd": "/",
        "command": [sys.executable, f"{HERE}/formgrader.py"],
        "environment": {"COURSE_EXCHANGE": EXCHANGE},
        "oauth_no_confirm": True,
    }
    for number, course in enumerate(COURSES)
]
c.JupyterHub.services.append(
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE}"],
    }
)
CULLER = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
c.JupyterHub.load_roles = [
    {"name": "idle-culler", "services": ["idle-culler"], "scopes": CULLER},
    *(
        {
            "name": f"formgrade-{course}",
            "groups": [f"formgrade-{course}"],
            "scopes": [f"access:services!service={course}"],
        }
        for course in COURSES
    ),
]

# ------------------------------------------------------------------------- the hub, and its secrets

# The cookie secret is made at the first start and kept in a file of root's; the proxy's token is
# new at each start and told to the proxy alone. Neither stands here.
c.JupyterHub.bind_url = ADDRESS
c.JupyterHub.db_url = f"sqlite:///{STATE}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = f"{STATE}/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = f"{STATE}/proxy.pid"
