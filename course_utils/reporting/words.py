"""The words of the report, in every language of the course."""

from __future__ import annotations

from course_utils.words import filled

REPORT: dict[str, dict[str, str]] = {
    "title": {"en": "Class report: {name}", "zh": "班级报告：{name}"},
    "learner": {"en": "Learner {code}", "zh": "学员 {code}"},
    "made": {"en": "Made on {time} UTC", "zh": "生成于 {time}（UTC）"},
    "learners_one": {"en": "1 learner", "zh": "1 名学员"},
    "learners_many": {"en": "{count} learners", "zh": "{count} 名学员"},
    "names_hidden": {
        "en": "names hidden (the same learner always has the same code)",
        "zh": "姓名已隐藏（同一学员的代号始终不变）",
    },
    "glance": {"en": "At a glance", "zh": "概览"},
    "lesson": {"en": "Lesson", "zh": "课"},
    "handed_in": {"en": "Handed in", "zh": "已提交"},
    "late": {"en": "Late", "zh": "迟交"},
    "scores": {"en": "Scores, 0 to 100%", "zh": "得分分布（0–100%）"},
    "mean": {"en": "Mean", "zh": "平均"},
    "median": {"en": "Median", "zh": "中位数"},
    "time": {"en": "Time at work", "zh": "用时"},
    "minutes": {"en": "{count} min", "zh": "{count} 分钟"},
    "nobody": {
        "en": "Nobody is in this class yet: the gradebook has no learner and nothing was handed "
        "in. `nbgrader db student import FILE` tells it who takes part; `nbgrader collect LESSON` "
        "or `nbgrader zip_collect LESSON` brings work in. Then make this report again.",
        "zh": "班里还没有人：成绩册中没有学员，也没有人提交作业。用 `nbgrader db student import "
        "FILE` 导入名单，用 `nbgrader collect LESSON` 或 `nbgrader zip_collect LESSON` 收作业，"
        "然后重新生成本报告。",
    },
    "no_lessons": {"en": "This class has no lessons.", "zh": "这个班还没有课程。"},
    "not_handed_in_yet": {
        "en": "Nobody has handed in this lesson yet.",
        "zh": "这一课还没有人提交。",
    },
    "not_graded_yet": {
        "en": "Nothing is graded yet: `course grade DIR --lesson {lesson}` does it. What follows "
        "comes from the learners' own answers.",
        "zh": "尚未评分：请运行 `course grade DIR --lesson {lesson}`。以下内容来自学员的答题记录。",
    },
    "some_ungraded": {
        "en": "{count} of {total} submissions are not graded yet (`course grade DIR --lesson "
        "{lesson}`).",
        "zh": "{total} 份提交中还有 {count} 份未评分（`course grade DIR --lesson {lesson}`）。",
    },
    "few": {
        "en": "With fewer than 5 graded submissions, shares say little; the numbers below are "
        "single learners.",
        "zh": "已评分的提交不足 5 份，百分比参考价值不大，下面反映的只是个别学员的情况。",
    },
    "without_detail": {
        "en": "{count} submissions were graded by an earlier version, which did not note known "
        "mistakes. `course grade DIR --lesson {lesson} --force` adds them; scores stay.",
        "zh": "有 {count} 份提交由较早的版本评分，没有记录常见错误。运行 `course grade DIR "
        "--lesson {lesson} --force` 可补上，得分不变。",
    },
    "look": {"en": "Worth a look first", "zh": "值得先看的"},
    "look_nothing": {
        "en": "Nothing stands out: no question or exercise that most got wrong, no mistake that "
        "many share, no lesson that many have not handed in.",
        "zh": "没有特别突出的问题：没有多数人做错的题目，没有许多人共同的错误，"
        "也没有哪一课有许多人未交。",
    },
    "look_missing": {
        "en": "{count} of {total} have handed in nothing.",
        "zh": "{total} 人中有 {count} 人没有提交。",
    },
    "look_question": {
        "en": "Only {share} had this question right at the first try.",
        "zh": "只有 {share} 的人第一次就答对这道题。",
    },
    "look_lure": {
        "en": "Only {share} had this question right at the first try; {lured} chose “{text}”.",
        "zh": "只有 {share} 的人第一次就答对这道题；{lured} 的人选了“{text}”。",
    },
    "look_exercise": {
        "en": "Only {share} solved this exercise wholly.",
        "zh": "只有 {share} 的人完全做对这道练习。",
    },
    "look_mistake": {
        "en": "{count} of {total} made the same mistake: {hint}",
        "zh": "{total} 人中有 {count} 人犯了同一个错误：{hint}",
    },
    "look_backwards": {
        "en": "Those who did well elsewhere did worse here (discrimination {value}): is the text "
        "misleading, or the key wrong?",
        "zh": "其他题做得好的人，这一题反而更差（区分度 {value}）：题意是否有误导，答案是否有误？",
    },
    "distribution": {"en": "Scores", "zh": "得分分布"},
    "distribution_alt": {
        "en": "How many learners have a score in each tenth, from 0 to 100%: {counts}.",
        "zh": "得分从 0 到 100% 每一成的人数：{counts}。",
    },
    "axis_learners": {"en": "learners", "zh": "人数"},
    "axis_score": {"en": "score in % of {points} points", "zh": "得分（占满分 {points} 分的 %）"},
    "mean_mark": {"en": "mean {value}", "zh": "平均 {value}"},
    "questions": {"en": "Questions", "zh": "选择题与数值题"},
    "question": {"en": "Question", "zh": "题目"},
    "first_try": {"en": "Right at first try", "zh": "首次答对"},
    "last_try": {"en": "Right in the end", "zh": "最终答对"},
    "discrimination": {"en": "Discrimination", "zh": "区分度"},
    "step": {"en": "Minutes", "zh": "分钟"},
    "answered": {"en": "{count} answered", "zh": "{count} 人作答"},
    "not_answered": {"en": "nobody answered", "zh": "无人作答"},
    "lure": {"en": "Drew most: “{text}” ({share})", "zh": "最易误选：“{text}”（{share}）"},
    "lure_number": {
        "en": "Most frequent slip: {text} ({share})",
        "zh": "最常见的错误答数：{text}（{share}）",
    },
    "all_choices": {"en": "All choices", "zh": "各选项"},
    "all_numbers": {"en": "Numbers given", "zh": "所填的数"},
    "choice": {"en": "Choice", "zh": "选项"},
    "first_share": {"en": "First try", "zh": "首次"},
    "last_share": {"en": "In the end", "zh": "最终"},
    "exercises": {"en": "Exercises", "zh": "编程练习"},
    "exercise": {"en": "Exercise", "zh": "练习"},
    "outcome": {"en": "Outcome", "zh": "结果"},
    "right": {"en": "right", "zh": "全对"},
    "part": {"en": "in part", "zh": "部分对"},
    "wrong": {"en": "wrong", "zh": "错误"},
    "open": {"en": "not attempted", "zh": "未做"},
    "weak": {"en": "weak", "zh": "偏低"},
    "backwards": {"en": "look!", "zh": "请检查"},
    "missing_title": {"en": "Not handed in ({count})", "zh": "未提交（{count} 人）"},
    "late_title": {"en": "Late ({count})", "zh": "迟交（{count} 人）"},
    "ungraded_title": {"en": "Not graded yet ({count})", "zh": "未评分（{count} 人）"},
    "due": {"en": "Due {time} UTC.", "zh": "截止时间：{time}（UTC）。"},
    "late_days": {"en": "{days} d {hours} h", "zh": "{days} 天 {hours} 小时"},
    "late_hours": {"en": "{hours} h {minutes} min", "zh": "{hours} 小时 {minutes} 分钟"},
    "late_lms": {"en": "marked late", "zh": "标记为迟交"},
    "table": {"en": "Learners", "zh": "学员"},
    "table_show": {"en": "Points of all {count} learners", "zh": "全部 {count} 名学员的得分"},
    "name": {"en": "Name", "zh": "姓名"},
    "total": {"en": "Total", "zh": "合计"},
    "cell_missing": {"en": "not handed in", "zh": "未提交"},
    "cell_ungraded": {"en": "not graded", "zh": "未评分"},
    "cell_late": {"en": "late", "zh": "迟"},
    "legend": {"en": "How to read this", "zh": "怎样读这份报告"},
    "legend_first": {
        "en": "**Right at first try** and **in the end** are shares of those who answered; half "
        "right is not right. “Drew most” is the wrong choice that most took at their first try.",
        "zh": "**首次答对**和**最终答对**的百分比以作答者为准，只对一部分不算对。"
        "“最易误选”指首次作答时选的人最多的错误选项。",
    },
    "legend_discrimination": {
        "en": "**Discrimination** is the correlation of a learner's points here with the points "
        "in the rest of the lesson (point-biserial). Above 0.3 an item tells strong work from "
        "weak; near 0 it says nothing, often because nearly all have it right; below 0 it "
        "deserves a look. A dash: too few learners, or all equal.",
        "zh": "**区分度**是该题得分与本课其余部分得分的相关系数（点二列相关）。高于 0.3 "
        "说明该题能区分掌握程度；接近 0 说明不起区分作用，往往是几乎人人都对；低于 0 的题目"
        "值得检查。横线表示人数太少或大家得分相同。",
    },
    "legend_time": {
        "en": "**Minutes** are the median time from a learner's step before (any answer or check) "
        "to the first answer, or to the last check that found something new; steps after more "
        "than an hour's pause do not count. They come from the learners' own files and are not "
        "proof of anything.",
        "zh": "**分钟**是学员从上一步（任一作答或检查）到首次作答、或到最近一次有变化的检查所用"
        "时间的中位数；间隔超过一小时的不计。这些时间来自学员自己的文件，不能作为凭据。",
    },
    "legend_mistakes": {
        "en": "**Known mistakes** are recognised by the values that an exercise returned on the "
        "hidden cases; the hint is what the learner was told.",
        "zh": "**常见错误**根据练习在隐藏用例上的返回值识别，提示语即学员看到的内容。",
    },
    "legend_scores": {
        "en": "Scores are the gradebook's: points given by hand count, late penalties are taken "
        "off.",
        "zh": "得分以成绩册为准：手工给分计入，迟交扣分已扣除。",
    },
}


def tell(key: str, lang: str, **values: object) -> str:
    """The text of `key` in `lang`, with `values` filled in."""
    return filled(REPORT[key], lang, **values)
