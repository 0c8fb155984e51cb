"""The report of a class whose gradebook is on a server."""

from datetime import timedelta

from course_utils.reporting.analysis import analyse
from course_utils.reporting.gather import read_whole_class
from tests.reporting.conftest import Classroom


def test_it_reads_a_gradebook_on_postgresql(repository, server, tmp_path):
    room = Classroom(tmp_path / "class", "en", url=server.new_database())
    room.generate([("ada", "Ada", "Byron"), ("bob", "", "")])
    room.hand_in("ada", {"twice": [(0, "four")]})
    room.grade("ada", {"check-double": 3.0}, {"check-total": "mean"}, late=timedelta(hours=3))
    group = read_whole_class(room.folder)
    stats = analyse(group.lessons[0], group.students)
    assert (stats.shares, stats.missing) == ([0.375], ["bob"])
    assert stats.late == [("ada", timedelta(hours=2))]
    assert [mistake.name for mistake in stats.exercises[1].mistakes] == ["mean"]
