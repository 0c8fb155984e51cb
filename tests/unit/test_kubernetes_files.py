"""The files for Kubernetes, as far as they can be looked at without a cluster.

Manifests are held to Kubernetes' own schemas, strictly. The chart's schema is not part of this
project: KEYS lists, from its documentation (chart 4, JupyterHub 5.4), which settings there are
where values.yaml sets some, so that a misspelt one is found; what values mean is not tested.
"""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from traitlets.config import Config

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "kubernetes"
MANIFESTS = sorted((DEPLOY / "manifests").glob("*.yaml"))
VERSIONS = ("1.33", "1.37")
POLICY = {
    "enabled": bool,
    "egressAllowRules": {
        "cloudMetadataServer": bool,
        "dnsPortsCloudMetadataServer": bool,
        "dnsPortsKubeSystemNamespace": bool,
        "dnsPortsPrivateIPs": bool,
        "nonPrivateIPs": bool,
        "privateIPs": bool,
    },
}
SHARE = {"limit": (int, float, str), "guarantee": (int, float, str)}
KEYS = {
    "custom": dict,
    "hub": {
        "config": dict,
        "extraConfig": dict,
        "db": {"type": ("sqlite-pvc", "sqlite-memory", "mysql", "postgres", "other")},
        "networkPolicy": POLICY,
    },
    "proxy": {
        "https": {
            "enabled": bool,
            "type": ("letsencrypt", "manual", "offload", "secret"),
            "hosts": list,
            "letsencrypt": {"contactEmail": str, "acmeServer": str},
        }
    },
    "singleuser": {
        "image": {
            "name": str,
            "tag": str,
            "pullPolicy": ("IfNotPresent", "Always", "Never"),
            "pullSecrets": list,
        },
        "cmd": (list, str),
        "uid": (int, type(None)),
        "fsGid": (int, type(None)),
        "allowPrivilegeEscalation": bool,
        "cloudMetadata": {"blockWithIptables": bool, "ip": str},
        "memory": SHARE,
        "cpu": SHARE,
        "storage": {
            "type": ("dynamic", "static", "none"),
            "capacity": str,
            "homeMountPath": str,
            "dynamic": {"storageAccessModes": list, "storageClass": str},
            "extraVolumes": list,
            "extraVolumeMounts": list,
        },
        "networkPolicy": POLICY,
        "startTimeout": int,
    },
    "cull": {"enabled": bool, "timeout": int, "every": int, "users": bool},
    "prePuller": {"hook": {"enabled": bool}, "continuous": {"enabled": bool}},
    "scheduling": {"userScheduler": {"enabled": bool}},
}


def values():
    return yaml.safe_load((DEPLOY / "values.yaml").read_text(encoding="utf-8"))


def documents():
    for path in MANIFESTS:
        yield from yaml.safe_load_all(path.read_text(encoding="utf-8"))


def problems(found, known, place=""):
    """What stands in `found` and not in `known`, or is of another kind."""
    if isinstance(known, dict):
        for key, value in found.items():
            if key not in known:
                yield f"{place}{key} is no setting"
            else:
                yield from problems(value, known[key], f"{place}{key}.")
    elif isinstance(known, tuple) and isinstance(known[0], str):
        if found not in known:
            yield f"{place} is none of {known}"
    elif not isinstance(found, known):
        yield f"{place} is a {type(found).__name__}"


class TestManifests:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_are_what_kubernetes_takes(self, version):
        import kubernetes_validate

        for document in documents():
            kubernetes_validate.validate(document, version, strict=True)

    def test_there_are_some(self):
        kinds = {document["kind"] for document in documents()}
        assert {"CronJob", "Deployment", "Job", "NetworkPolicy", "StatefulSet"} <= kinds

    def test_workers_hold_nothing_worth_taking(self):
        deployments = [d for d in documents() if d["kind"] == "Deployment"]
        worker = next(d for d in deployments if d["metadata"]["name"] == "course-worker")
        pod = worker["spec"]["template"]["spec"]
        assert "volumes" not in pod
        assert pod["automountServiceAccountToken"] is False
        assert not any("valueFrom" in entry for entry in pod["containers"][0]["env"])

    def test_passwords_come_from_a_secret(self):
        for path in [*MANIFESTS, DEPLOY / "values.yaml"]:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?i)(password|secret|token): *[\"']?[a-z0-9]{12,}", text), path
            assert not re.search(r"://\w+:\w+@", text), path


class TestValues:
    def test_set_what_the_chart_knows(self):
        assert list(problems(values(), KEYS)) == []

    def test_a_misspelt_setting_would_be_found(self):
        assert list(problems({"cull": {"timout": 3600}}, KEYS)) == ["cull.timout is no setting"]
        assert list(problems({"cull": {"timeout": "1h"}}, KEYS)) == ["cull.timeout. is a str"]

    def test_every_line_is_explained(self):
        lines = (DEPLOY / "values.yaml").read_text(encoding="utf-8").splitlines()
        opening = r"\s*(- )?[\w.]+:( \|)?$"  # opens a group, whose lines are explained
        bare = [line for line in lines if line and "#" not in line and not re.match(opening, line)]
        assert len(bare) < 15, bare

    def test_nobody_is_let_in_unasked(self):
        assert "allow_all" not in str(values())
        assert values()["hub"]["config"]["Authenticator"]["allowed_users"]


class Hub:
    """course_hub.py, run as the chart runs it."""

    def __init__(self):
        self.config = Config()
        self.config.Authenticator.update(values()["hub"]["config"]["Authenticator"])
        self.config.JupyterHub.load_roles = []
        self.names = {"c": self.config, "get_config": self.value}
        path = DEPLOY / "course_hub.py"
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), self.names)

    @staticmethod
    def value(key, default=None):
        found = values()
        for part in key.split("."):
            found = found.get(part, {})
        return found or default

    def spawner(self, name, number=1, asked="", **more):
        request = SimpleNamespace(headers={"Accept-Language": asked})
        spawner = SimpleNamespace(
            user=SimpleNamespace(name=name, id=number),
            handler=SimpleNamespace(request=request),
            environment={"A": "1"},
            extra_labels={},
            cmd=["learner"],
            **({"volumes": [], "volume_mounts": []} | more),
        )
        self.config.Spawner.pre_spawn_hook(spawner)
        return spawner


class TestHub:
    def test_everybody_has_a_number_of_their_own(self):
        hub = Hub()
        number = hub.config.KubeSpawner.uid
        numbers = [number(hub.spawner(name, i)) for i, name in enumerate(["ada", "bob"], 1)]
        numbers.append(number(hub.spawner("course-nlp", 3)))
        assert numbers == [10001, 10002, 9000]
        with pytest.raises(Exception, match="more people than numbers"):
            number(hub.spawner("eve", 20000))

    def test_the_class_and_its_password_go_to_the_course_alone(self):
        hub = Hub()
        learner, course = hub.spawner("ada", asked="zh-CN"), hub.spawner("course-nlp")
        assert learner.environment == {"A": "1", "COURSE_LANG": "zh"}
        assert (learner.volumes, learner.cmd, learner.extra_labels) == ([], ["learner"], {})
        assert course.environment["PGPASSWORD"]["valueFrom"]["secretKeyRef"]
        assert course.cmd[-1].endswith("formgrader.py")
        assert course.volume_mounts == [{"name": "class", "mountPath": "/srv/class"}]
        assert hub.spawner("course-nlp", volumes={}, volume_mounts={}).volumes["class"]

    def test_instructors_reach_the_course_and_nobody_logs_in_as_it(self):
        hub = Hub()
        (role,) = hub.config.JupyterHub.load_roles
        assert role["groups"] == ["formgrade-nlp"]
        assert all(scope.endswith("!user=course-nlp") for scope in role["scopes"])
        groups = hub.config.JupyterHub.load_groups
        assert groups["formgrade-nlp"] == {"users": ["wang"]}
        refuse = hub.config.Authenticator.post_auth_hook
        with ThreadPoolExecutor(1) as aside:  # in this thread a browser's loop may be running
            allowed, refused = (
                aside.submit(asyncio.run, refuse(None, None, {"name": name}))
                for name in ("ada", "course-nlp")
            )
            assert allowed.result() == {"name": "ada"}
            with pytest.raises(Exception, match="belongs to a course"):
                refused.result()


class TestImage:
    def test_copies_what_there_is(self):
        text = (ROOT / "deploy" / "image" / "Dockerfile").read_text(encoding="utf-8")
        for line in re.findall(r"(?m)^COPY (.*) \S+$", text):
            for name in line.split():
                assert (ROOT / name).exists(), name

    def test_has_a_name_for_every_number(self):
        text = (ROOT / "deploy" / "image" / "Dockerfile").read_text(encoding="utf-8")
        first, last = map(int, re.search(r"seq (\d+) (\d+)", text).groups())
        hub = Hub().names
        assert first <= hub["ACCOUNT_NUMBER"]
        assert last == hub["NUMBERS"][-1]
