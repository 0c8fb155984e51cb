"""The hub's files: what needs no hub to be tested."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from traitlets.config import Config

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "jupyterhub"


def load(name):
    """One of the hub's scripts, as a module."""
    spec = importlib.util.spec_from_file_location(f"hub_{name}", DEPLOY / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def learner(monkeypatch):
    monkeypatch.setitem(sys.modules, "rfc3987_syntax", sys.modules.get("rfc3987_syntax"))
    return load("learner")


@pytest.fixture
def lessons(tmp_path):
    """Two lessons as the repository has them, and a learner's empty folder."""
    source, folder = tmp_path / "zh", tmp_path / "home" / "lessons"
    (source / ".course").mkdir(parents=True)
    start = {"metadata": {"course": {"lang": "zh"}}}
    (source / "00_start.ipynb").write_text(json.dumps(start), encoding="utf-8")
    (source / "01_one.ipynb").write_text("lesson", encoding="utf-8")
    (source / ".course" / "01_one.kit.json").write_text("kit", encoding="utf-8")
    return source, folder


class TestLessons:
    def test_are_laid_out_with_their_kits(self, learner, lessons):
        source, folder = lessons
        assert [path.name for path in learner.lay_out(source, folder)] == [
            "00_start.ipynb",
            "01_one.ipynb",
        ]
        assert (folder / ".course" / "01_one.kit.json").read_text() == "kit"

    def test_of_a_learner_are_never_touched(self, learner, lessons):
        source, folder = lessons
        learner.lay_out(source, folder)
        (folder / "01_one.ipynb").write_text("my work", encoding="utf-8")
        (source / "01_one.ipynb").write_text("newer lesson", encoding="utf-8")
        (source / ".course" / "01_one.kit.json").write_text("newer kit", encoding="utf-8")
        assert learner.lay_out(source, folder) == []
        assert (folder / "01_one.ipynb").read_text() == "my work"
        assert (folder / ".course" / "01_one.kit.json").read_text() == "kit"

    def test_come_again_as_a_pair_when_a_learner_moves_one_away(self, learner, lessons):
        source, folder = lessons
        learner.lay_out(source, folder)
        (folder / "01_one.ipynb").rename(folder / "mine.ipynb")
        (source / ".course" / "01_one.kit.json").write_text("newer kit", encoding="utf-8")
        assert [path.name for path in learner.lay_out(source, folder)] == ["01_one.ipynb"]
        assert (folder / ".course" / "01_one.kit.json").read_text() == "newer kit"
        assert (folder / "mine.ipynb").exists()

    def test_do_not_follow_a_link_out_of_the_folder(self, learner, lessons):
        source, folder = lessons
        folder.mkdir(parents=True)
        (folder / "01_one.ipynb").symlink_to(folder.parent / "elsewhere")
        learner.lay_out(source, folder)
        assert not (folder.parent / "elsewhere").exists()

    def test_keep_their_language(self, learner, lessons):
        source, folder = lessons
        assert learner.language(folder, "en") == "en"
        learner.lay_out(source, folder)
        assert learner.language(folder, "en") == "zh"
        (folder / "00_start.ipynb").write_text("damaged", encoding="utf-8")
        assert learner.language(folder, "zh") == "zh"
        assert learner.language(folder, "../../etc") == "en"


@pytest.mark.parametrize("spawner", ["local", "systemd"])
def test_every_setting_of_the_hub_exists(spawner):
    """A misspelt setting would be ignored in silence."""
    from jupyterhub.app import JupyterHub
    from jupyterhub.auth import Authenticator
    from jupyterhub.proxy import ConfigurableHTTPProxy
    from jupyterhub.spawner import Spawner
    from systemdspawner import SystemdSpawner

    classes = (JupyterHub, Authenticator, ConfigurableHTTPProxy, Spawner, SystemdSpawner)
    known = {found.__name__: found for found in classes}
    text = (DEPLOY / "jupyterhub_config.py").read_text(encoding="utf-8")
    config = Config()
    names = {"get_config": lambda: config}
    exec(text.replace('SPAWNER = "systemd"', f'SPAWNER = "{spawner}"'), names)
    stated = [(part, name) for part, settings in config.items() for name in settings]
    assert len(stated) > 10
    for part, name in stated:
        assert known[part].class_traits(config=True).get(name), f"{part} has no {name}"
    assert ("SystemdSpawner" in config) == (spawner == "systemd")


def test_the_hub_keeps_its_secrets_to_itself():
    text = (DEPLOY / "jupyterhub_config.py").read_text(encoding="utf-8")
    for setting in ("cookie_secret =", "auth_token", "allow_all", "open_signup", "api_token"):
        assert setting not in text


class TestPrepare:
    def test_a_person_is_no_course(self, monkeypatch):
        import pwd

        prepare = load("prepare")
        person = pwd.struct_passwd(("wang", "x", 1000, 1000, "", "/home/wang", "/bin/sh"))
        monkeypatch.setattr(prepare.pwd, "getpwnam", lambda name: person)
        with pytest.raises(SystemExit, match="a person's account"):
            prepare.make_account("wang")

    def test_a_link_is_no_folder(self, tmp_path):
        (tmp_path / "exchange").symlink_to(tmp_path)
        with pytest.raises(SystemExit, match="is a link"):
            load("prepare").make_folder(tmp_path / "exchange", 0o755, None)
