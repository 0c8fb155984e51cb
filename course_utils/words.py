"""The words that quiz, check and commands say, in every language of the course."""

from __future__ import annotations

LANGUAGES = ("en", "zh")

WORDS: dict[str, dict[str, str]] = {
    "kit_missing": {
        "en": "No kit for {lesson} in {folder}/.course: open the notebook from the course's own "
        "folder, or run `course build` to make it.",
        "zh": "{folder}/.course 中没有 {lesson} 的课件包：请从课程自带的文件夹打开笔记本，"
        "或运行 `course build` 生成它。",
    },
    "difference_type": {
        "en": "{where} should be of type {expected}, but is of type {got}.",
        "zh": "{where}的类型应为 {expected}，现在是 {got}。",
    },
    "difference_shape": {
        "en": "{where} should have shape {expected}, but has shape {got}.",
        "zh": "{where}的形状应为 {expected}，现在是 {got}。",
    },
    "difference_dtype": {
        "en": "{where} should hold {expected} numbers, but its dtype is {got}.",
        "zh": "{where}应存放 {expected} 类型的数，现在的 dtype 是 {got}。",
    },
    "difference_value": {
        "en": "{where} is wrong (expected → got): {entries}.",
        "zh": "{where}的值不对（应为 → 得到）：{entries}。",
    },
    "difference_values": {
        "en": "{wrong} of {total} entries of {where} are wrong (expected → got): {entries}.",
        "zh": "{where}的 {total} 个元素中有 {wrong} 个不对（应为 → 得到）：{entries}。",
    },
    "difference_length": {
        "en": "{where} should have {expected} parts, but has {got}.",
        "zh": "{where}应有 {expected} 项，现在有 {got} 项。",
    },
    "difference_keys": {
        "en": "{where} should have the keys {expected}, but has {got}.",
        "zh": "{where}的键应为 {expected}，现在是 {got}。",
    },
    "result": {"en": "the result", "zh": "返回值"},
    "result_part": {"en": "part {where} of the result", "zh": "返回值的 {where} 部分"},
    "gradient_part": {"en": "the gradient {where}", "zh": "梯度 {where} "},
    "raised": {
        "en": "The call raised {type}: {message}",
        "zh": "调用时抛出 {type}：{message}",
    },
    "raised_at": {
        "en": "The call raised {type}: {message} (line {number} of your cell: {line})",
        "zh": "调用时抛出 {type}：{message}（你的单元格第 {number} 行：{line}）",
    },
    "unsupported": {
        "en": "The result cannot be judged: {problem}.",
        "zh": "无法评判返回值：{problem}。",
    },
    "changed_arguments": {
        "en": "The call changed its argument number {positions} in place; work on a copy.",
        "zh": "调用改动了传入的第 {positions} 个参数；请在副本上操作。",
    },
    "case_not_attempted": {"en": "Not attempted yet.", "zh": "尚未作答。"},
    "check_open": {"en": "{name}: not attempted yet.", "zh": "{name}：尚未作答。"},
    "check_right": {
        "en": "{name} is right: all {total} cases pass.",
        "zh": "{name} 正确：{total} 个用例全部通过。",
    },
    "check_part": {
        "en": "{name} is not right yet: {passed} of {total} cases pass.",
        "zh": "{name} 还不完全对：{total} 个用例通过了 {passed} 个。",
    },
    "check_wrong": {
        "en": "{name} is not right yet.",
        "zh": "{name} 还不对。",
    },
    "hint": {"en": "Hint:", "zh": "提示："},
    "more_failures": {
        "en": "… and {count} more.",
        "zh": "……还有 {count} 个用例未通过。",
    },
    "no_such_exercise": {
        "en": "No exercise of this lesson is called {name}. There are: {known}.",
        "zh": "本课没有名为 {name} 的练习。本课的练习有：{known}。",
    },
    # Quiz: the answers file
    "answers_set_aside": {
        "en": "Your answers file was damaged, so it was kept as {name} and a new one was started. "
        "Answers missing here may still be in it.",
        "zh": "答案文件已损坏，已另存为 {name}，并新建了一份。这里缺少的答案也许还在那个文件里。",
    },
    "answers_read_only": {
        "en": "Not saved: this folder is read-only. Copy the course to a folder of your own to "
        "keep your answers.",
        "zh": "没有保存：这个文件夹是只读的。请把课程复制到自己的文件夹里，答案才能保留。",
    },
    "answers_disk_full": {
        "en": "Not saved: the disk is full. Free some space, then submit again.",
        "zh": "没有保存：磁盘已满。请腾出一些空间，然后重新提交。",
    },
    "answers_busy": {
        "en": "Not saved: another program is holding the answers file. Submit again in a moment.",
        "zh": "没有保存：另一个程序正占用答案文件。请稍后重新提交。",
    },
    "answers_failed": {
        "en": "Not saved: the answers file in .course cannot be read or written.",
        "zh": "没有保存：.course 中的答案文件无法读写。",
    },
    "answers_problem_missing": {"en": "No answers file was handed in.", "zh": "没有提交答案文件。"},
    "answers_problem_not_a_file": {
        "en": "The answers file is a link or no plain file; it was not read.",
        "zh": "答案文件是链接或不是普通文件，因此没有读取。",
    },
    "answers_problem_too_large": {
        "en": "The answers file is too large; it was not read.",
        "zh": "答案文件过大，因此没有读取。",
    },
    "answers_problem_unreadable": {
        "en": "The answers file cannot be opened.",
        "zh": "答案文件无法打开。",
    },
    "answers_problem_not_json": {
        "en": "The answers file is damaged: it is not valid JSON.",
        "zh": "答案文件已损坏：不是有效的 JSON。",
    },
    "answers_problem_repeated_key": {
        "en": "The answers file is damaged: a key appears twice.",
        "zh": "答案文件已损坏：有重复的键。",
    },
    "answers_problem_wrong_shape": {
        "en": "The answers file is damaged: it does not have the expected shape.",
        "zh": "答案文件已损坏：结构不符合要求。",
    },
    "answers_problem_other_lesson": {
        "en": "The answers file belongs to another lesson.",
        "zh": "这份答案文件属于另一课。",
    },
    "answers_problem_bad_entries": {
        "en": "Some entries of the answers file are damaged and were left out.",
        "zh": "答案文件中有些条目已损坏，未予采用。",
    },
    # Quiz: verdicts
    "reason_not_answered": {"en": "Not answered.", "zh": "未作答。"},
    "reason_wrong_type": {
        "en": "The stored answer is not of this question's kind.",
        "zh": "保存的答案与题型不符。",
    },
    "reason_unknown_choice": {
        "en": "The stored answer names a choice that this question does not have.",
        "zh": "保存的答案中有本题没有的选项。",
    },
    "reason_repeated_choice": {
        "en": "The stored answer names one choice twice.",
        "zh": "保存的答案重复选择了同一选项。",
    },
    "reason_not_finite": {
        "en": "The stored answer is not a finite number.",
        "zh": "保存的答案不是有限的数。",
    },
    "reason_too_large": {
        "en": "The stored answer is too large a number.",
        "zh": "保存的答案数值过大。",
    },
    # Quiz: the panel
    "quiz_head": {"en": "Question", "zh": "小测"},
    "quiz_ask_single": {"en": "Choose one", "zh": "单选题"},
    "quiz_ask_multiple": {"en": "Choose all that apply", "zh": "多选题，请选出所有正确的选项"},
    "quiz_ask_numeric": {"en": "Give a number", "zh": "填空题，请填写一个数"},
    "quiz_point": {"en": "{points} point", "zh": "{points} 分"},
    "quiz_points": {"en": "{points} points", "zh": "{points} 分"},
    "quiz_score": {"en": "{points} of {out_of}", "zh": "得分 {points}，满分 {out_of}"},
    "quiz_right": {"en": "Right", "zh": "正确"},
    "quiz_wrong": {"en": "Not right", "zh": "不正确"},
    "quiz_partly": {"en": "Partly right", "zh": "部分正确"},
    "quiz_saved": {"en": "Saved", "zh": "已保存"},
    "quiz_fault": {"en": "Not counted", "zh": "未计分"},
    "quiz_your_answer": {"en": "Your answer", "zh": "你的答案"},
    "quiz_choice_right": {"en": "right", "zh": "正确"},
    "quiz_choice_wrong": {"en": "wrong", "zh": "错误"},
    "quiz_partly_note": {
        "en": "Each right pick counts up, each wrong pick counts down.",
        "zh": "每选对一项加分，每选错一项扣分。",
    },
    "quiz_key_number": {"en": "The answer is {answer}.", "zh": "正确答案是 {answer}。"},
    "quiz_how": {
        "en": "Run this cell to answer. Without the panel, answer in a cell of your own:",
        "zh": "运行本单元格即可作答。如果看不到答题面板，请在自己的单元格中作答：",
    },
    "progress_lesson": {"en": "Lesson", "zh": "课程"},
    "progress_points": {"en": "Points", "zh": "得分"},
    "progress_questions": {"en": "Questions answered", "zh": "已答小测"},
    "progress_exercises": {"en": "Exercises solved", "zh": "已完成练习"},
    "progress_so_far": {
        "en": "{points} of {out_of} points so far",
        "zh": "目前得 {points} 分，满分 {out_of} 分",
    },
    "progress_open": {"en": "{count} questions open", "zh": "还有 {count} 道小测未答"},
    "progress_open_one": {"en": "1 question open", "zh": "还有 1 道小测未答"},
    "progress_all": {"en": "all questions answered", "zh": "小测已全部作答"},
    "progress_join": {"en": ", ", "zh": "，"},
    "progress_none": {"en": "No lessons here.", "zh": "这里没有课程。"},
}


def say(key: str, lang: str, **values: object) -> str:
    """The text of `key` in `lang`, with `values` filled in; English where a language lacks it."""
    texts = WORDS[key]
    return texts.get(lang, texts["en"]).format(**values)
