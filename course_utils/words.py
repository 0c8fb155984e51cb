"""The words that quiz, check and commands say, in every language of the course."""

from __future__ import annotations

LANGUAGES = ("en", "zh")

WORDS: dict[str, dict[str, str]] = {
    "kit_missing": {
        "en": "The questions and checks of {lesson} are not in {folder}/.course. Was the notebook "
        "copied without its folder .course? Open it in the course's own folder.",
        "zh": "{folder}/.course 中没有 {lesson} 的题目和检查。是否只复制了笔记本，没有复制旁边的 "
        ".course 文件夹？请在课程自带的文件夹中打开它。",
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
    "check_partly": {
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
    "quiz_score": {"en": "{points} of {out_of}", "zh": "得 {points} 分（满分 {out_of}）"},
    "quiz_right": {"en": "Right", "zh": "正确"},
    "quiz_wrong": {"en": "Not right", "zh": "不正确"},
    "quiz_partly": {"en": "Partly right", "zh": "部分正确"},
    "quiz_saved": {"en": "Saved", "zh": "已保存"},
    "quiz_fault": {"en": "Not counted", "zh": "未计分"},
    "quiz_your_answer": {"en": "Your answer", "zh": "你的答案"},
    "quiz_choice_right": {"en": "right", "zh": "正确"},
    "quiz_choice_wrong": {"en": "wrong", "zh": "错误"},
    "quiz_missing": {
        "en": "What you picked is right, but something is still missing.",
        "zh": "选中的都对，但还没有选全。",
    },
    "quiz_mixed": {
        "en": "Each right pick counts up, each wrong pick counts down.",
        "zh": "每选对一项加分，每选错一项扣分。",
    },
    "quiz_key_number": {"en": "The answer is {answer}.", "zh": "正确答案是 {answer}。"},
    "quiz_how": {
        "en": "Run this cell to answer. Without the panel, answer in a cell of your own:",
        "zh": "运行本单元格即可作答。如果看不到答题面板，请在自己的单元格中作答：",
    },
    "answers_damaged": {
        "en": "Your answers file is damaged. It will be kept under another name when you "
        "submit an answer.",
        "zh": "答案文件已损坏。你提交答案时，它会以另一个名字保留下来。",
    },
    "quiz_unknown": {
        "en": "There is no question {name} in this lesson. Its questions: {known}.",
        "zh": "本课没有题目 {name}。本课的题目有：{known}。",
    },
    "quiz_submit": {"en": "Submit", "zh": "提交"},
    "quiz_again": {"en": "Try again", "zh": "再试一次"},
    "quiz_change": {"en": "Change answer", "zh": "修改答案"},
    "quiz_explain": {"en": "Explain the other choices", "zh": "查看其他选项的解析"},
    "quiz_saved_note": {
        "en": "You can change it until you hand in the lesson.",
        "zh": "提交作业之前都可以修改。",
    },
    "quiz_final_note": {
        "en": "It counts when you hand in the lesson.",
        "zh": "提交作业后计分。",
    },
    "quiz_pick_first": {"en": "Pick a choice first.", "zh": "请先选择一个选项。"},
    "quiz_type_first": {"en": "Type a number first.", "zh": "请先填写一个数。"},
    "quiz_number": {"en": "a number", "zh": "填一个数"},
    "quiz_only_one": {"en": "This question takes one choice.", "zh": "本题只能选一项。"},
    "quiz_no_choice": {
        "en": "There is no choice “{given}”. The choices are {letters}.",
        "zh": "没有选项“{given}”，可选的有 {letters}。",
    },
    "quiz_no_number": {
        "en": "“{given}” is no number. Write one like 2.5.",
        "zh": "“{given}”不是一个数，请写成 2.5 这样的形式。",
    },
    "quiz_list_join": {"en": ", ", "zh": "、"},
    "quiz_attempts_left": {"en": "{count} attempts left", "zh": "还可以作答 {count} 次"},
    "quiz_attempt_left": {"en": "1 attempt left", "zh": "还可以作答 1 次"},
    "quiz_no_attempts": {"en": "No attempts left.", "zh": "作答次数已用完。"},
    "quiz_waiting": {
        "en": "Waiting for the kernel. It may be busy with a cell; if it was restarted, run this "
        "cell again.",
        "zh": "正在等待内核。它可能正忙于运行其他单元格；如果内核重启过，请重新运行本单元格。",
    },
    "quiz_unanswered": {"en": "Not answered yet.", "zh": "尚未作答。"},
    "widget_lost": {
        "en": "Run this cell to bring its controls back.",
        "zh": "运行本单元格，控件就会重新出现。",
    },
    "quiz_answer_with": {"en": "Answer with {how}", "zh": "作答方式：{how}"},
    "progress_lesson": {"en": "Lesson", "zh": "课程"},
    "progress_points": {"en": "Points", "zh": "得分"},
    "progress_questions": {"en": "Questions answered", "zh": "已答小测"},
    "progress_exercises": {"en": "Exercises solved", "zh": "已完成练习"},
    "progress_so_far": {
        "en": "{points} of {out_of} points so far",
        "zh": "目前得 {points} 分（满分 {out_of} 分）",
    },
    "progress_answered": {
        "en": "{count} of {questions} questions answered",
        "zh": "已答 {count} 道小测，共 {questions} 道",
    },
    "progress_solved": {
        "en": "{count} of {exercises} exercises solved",
        "zh": "已完成 {count} 道练习，共 {exercises} 道",
    },
    "progress_open": {"en": "{what} open", "zh": "还有 {what}未完成"},
    "progress_open_question": {"en": "1 question", "zh": "1 道小测"},
    "progress_open_questions": {"en": "{count} questions", "zh": "{count} 道小测"},
    "progress_open_exercise": {"en": "1 exercise", "zh": "1 道练习"},
    "progress_open_exercises": {"en": "{count} exercises", "zh": "{count} 道练习"},
    "progress_and": {"en": " and ", "zh": "和 "},
    "progress_all": {"en": "nothing open", "zh": "已全部完成"},
    "progress_join": {"en": ", ", "zh": "，"},
    "progress_none": {"en": "No lessons here.", "zh": "这里没有课程。"},
    "submitted_no_notebook": {
        "en": "No notebook of this lesson was handed in.",
        "zh": "提交中没有本课的笔记本。",
    },
    "submitted_link": {
        "en": "A file of the submission is a link or no regular file; it was not opened.",
        "zh": "提交中有一个文件是链接或不是普通文件，没有打开它。",
    },
    "submitted_unreadable": {
        "en": "The notebook that was handed in cannot be opened.",
        "zh": "提交的笔记本无法打开。",
    },
    "submitted_too_large": {
        "en": "The notebook that was handed in is too large to be graded.",
        "zh": "提交的笔记本太大，无法评分。",
    },
    "submitted_not_json": {
        "en": "The file that was handed in is damaged or no notebook: it cannot be read.",
        "zh": "提交的文件已损坏或不是笔记本，无法读取。",
    },
    "submitted_renamed": {
        "en": "The notebook was handed in under another name ({name}); it was graded all the same.",
        "zh": "提交的笔记本改了名字（{name}），仍已评分。",
    },
    "submitted_many_cells": {
        "en": "The notebook has very many cells; only the first {limit} were looked at.",
        "zh": "笔记本的单元格过多，只看了前 {limit} 个。",
    },
    "submitted_long_cell": {
        "en": "Cells of more than {limit} characters were left out.",
        "zh": "超过 {limit} 个字符的单元格没有采用。",
    },
    "submitted_other_lesson": {
        "en": "This is the notebook of another lesson ({found}); {due} is due here.",
        "zh": "这是另一课的笔记本（{found}）；这里应交 {due}。",
    },
    "submitted_other_language": {
        "en": "The notebook is in the course's other language; it was graded all the same.",
        "zh": "提交的是另一种语言的笔记本，仍已评分。",
    },
    "submitted_bad_time": {
        "en": "The time of submission that came with the work is impossible and was ignored.",
        "zh": "随作业提交的时间不可能成立，已忽略。",
    },
    "graft_missing": {
        "en": "The notebook that was handed in does not hold this exercise's cell.",
        "zh": "提交的笔记本中没有这道练习的单元格。",
    },
    "graft_copies": {
        "en": "This exercise's cell was handed in {count} times; the first one that was worked on "
        "was graded.",
        "zh": "这道练习的单元格提交了 {count} 份，以第一份作答过的为准。",
    },
    "graft_retyped": {
        "en": "This exercise's cell was no code cell any more; its text was run as code.",
        "zh": "这道练习的单元格已不是代码单元格，其内容仍按代码运行。",
    },
    "graft_locked": {
        "en": "The cell that checks this was changed; the course's own was used.",
        "zh": "检查这一题的单元格被改动过，已改用课程原来的单元格。",
    },
    "stopped_missing": {
        "en": "The function is not defined: its cell was not run to the end, or it has another "
        "name.",
        "zh": "没有定义这个函数：它所在的单元格没有运行完，或者函数换了名字。",
    },
    "stopped_time": {
        "en": "It was stopped: it took more than {seconds} seconds.",
        "zh": "运行被中止：超过了 {seconds} 秒。",
    },
    "stopped_total_time": {
        "en": "It was not run any more: the whole notebook had taken more than {seconds} seconds.",
        "zh": "没有再运行：整个笔记本已超过 {seconds} 秒。",
    },
    "stopped_died": {
        "en": "The code ended the process that ran it {how}.",
        "zh": "代码使运行它的进程退出了 {how}。",
    },
    "stopped_memory": {
        "en": "It was stopped: it took more than {limit} MB of memory.",
        "zh": "运行被中止：占用的内存超过了 {limit} MB。",
    },
    "stopped_output": {
        "en": "It was stopped: it gave back far too much data.",
        "zh": "运行被中止：返回的数据太多。",
    },
    "cell_raised": {
        "en": "The cell raised {type}: {message}",
        "zh": "单元格运行时抛出 {type}：{message}",
    },
    "cell_raised_at": {
        "en": "The cell raised {type}: {message} (line {number}: {line})",
        "zh": "单元格运行时抛出 {type}：{message}（第 {number} 行：{line}）",
    },
    "judge_failed": {
        "en": "This could not be judged because of a fault of the course, not of yours; your "
        "instructor has been told.",
        "zh": "由于课程自身的故障，这一题未能评判，并非你的错；已告知教师。",
    },
    "grade_quiz_right": {"en": "✓ {name}: right.", "zh": "✓ {name}：正确。"},
    "grade_quiz_part": {"en": "◐ {name}: partly right.", "zh": "◐ {name}：部分正确。"},
    "grade_quiz_wrong": {"en": "✗ {name}: wrong.", "zh": "✗ {name}：不对。"},
    "grade_quiz_open": {"en": "○ {name}: not answered.", "zh": "○ {name}：未作答。"},
    "feedback_total": {"en": "{score} of {points} points", "zh": "得分 {score} / {points}"},
    "feedback_late": {
        "en": "{off} points off for handing in late.",
        "zh": "因迟交扣 {off} 分。",
    },
    "feedback_remarks": {"en": "About this submission", "zh": "关于这次提交"},
    "feedback_question": {"en": "Question", "zh": "问题"},
    "feedback_exercise": {"en": "Exercise", "zh": "练习"},
    "feedback_your_code": {"en": "Your {name}", "zh": "你写的 {name}"},
    "feedback_own_cell": {"en": "A cell of your own", "zh": "你添加的单元格"},
    "feedback_comment": {"en": "Comment", "zh": "评语"},
    "class_readme": {
        "en": """# {name}

A class of this course, as nbgrader keeps it. Run these commands in this folder; every step can
be done in formgrader too (`jupyter lab`, then Nbgrader, Formgrader).

| step | command |
|---|---|
| make the learners' version | `nbgrader generate_assignment LESSON` |
| hand it out | `nbgrader release_assignment LESSON` |
| bring in what was handed in | `nbgrader collect LESSON` (later: with `--update`) |
| bring in a download of Canvas's or Moodle's | `nbgrader zip_collect LESSON` |
| grade | `nbgrader autograde LESSON` |
| make the learners' pages | `nbgrader generate_feedback LESSON` |
| give them back | `nbgrader release_feedback LESSON` |
| write a table of all grades | `nbgrader export` (makes `grades.csv`) |
| keep a copy of it all | `course class backup .` (restore: `course class restore FILE DIR`) |
| see how the class is doing | `course report .` (makes `report.html`) |
| write grades for Canvas or Moodle | `course export . --for canvas` |

The download of all submissions from Canvas or Moodle goes into `downloaded/LESSON/archive/`. Work
that comes another way goes to `submitted/STUDENT/LESSON/`: the notebook, and its answers in
`.course/LESSON.answers.json` (`course submit` packs both).

Running a step again is safe: only what is new or changed is graded, and scores that you gave by
hand stay. `judge/` holds the hidden cases and the key, `class.json` the seed they are drawn from:
keep both to yourself. Learners' code runs confined (Linux), with limits on time and memory;
`class.json` can state others under `limits`, and `run_demos: true` runs demonstration cells too.

`course grade .` grades all that was handed in side by side and makes the learners' pages in the
same run: hundreds a minute. `--only STUDENT`, `--force`, `--log FILE` do what they say.
""",
        "zh": """# {name}

这是本课程的一个班级，由 nbgrader 管理。请在本文件夹中运行下列命令；每一步也都可以在 formgrader
中完成（`jupyter lab`，然后 Nbgrader、Formgrader）。

| 步骤 | 命令 |
|---|---|
| 生成学生版 | `nbgrader generate_assignment LESSON` |
| 发布 | `nbgrader release_assignment LESSON` |
| 收取作业 | `nbgrader collect LESSON`（以后加 `--update`） |
| 收取 Canvas 或 Moodle 的下载 | `nbgrader zip_collect LESSON` |
| 评分 | `nbgrader autograde LESSON` |
| 生成反馈页 | `nbgrader generate_feedback LESSON` |
| 发还反馈 | `nbgrader release_feedback LESSON` |
| 导出成绩表 | `nbgrader export`（生成 `grades.csv`） |
| 整班备份 | `course class backup .`（恢复：`course class restore 文件 文件夹`） |
| 查看班级情况 | `course report .`（生成 `report.html`） |
| 给 Canvas 或 Moodle 的成绩表 | `course export . --for canvas` |

从 Canvas 或 Moodle 下载的全部提交放进 `downloaded/LESSON/archive/`。
以其他方式收到的作业放到 `submitted/学生/LESSON/`：笔记本，以及
`.course/LESSON.answers.json` 中的答案（`course submit` 会把两者打包）。

每一步都可以放心重复：只有新的或改过的作业会重新评分，你手工给的分数会保留。`judge/` 中是隐藏用例
和答案，`class.json` 中是生成它们的种子：请勿外传。学生的代码（在 Linux 上）隔离运行，并限制时间和
内存；可以在 `class.json` 的 `limits` 中另行规定，`run_demos: true` 则连同演示单元格一起运行。

`course grade .` 并行评完所有已交的作业，并同时生成反馈页，每分钟可评数百份。`--only 学生`、
`--force`、`--log 文件` 的作用如其名。
""",
    },
    "submit_too_large": {
        "en": "The notebook is larger than {limit} MB and will not be graded: clear large outputs "
        "and save it.",
        "zh": "笔记本超过 {limit} MB，不会被评分：请清除较大的输出后保存。",
    },
    "submit_no_kit": {
        "en": "No kit of {lesson} lies beside the notebook, so exercises and questions were not "
        "looked at.",
        "zh": "笔记本旁边没有 {lesson} 的课件包，因此没有检查练习和问题。",
    },
    "submit_no_cell": {
        "en": "{name}: its cell is not in the notebook.",
        "zh": "{name}：笔记本中没有它的单元格。",
    },
    "submit_broken_cell": {
        "en": "{name}: its cell does not define the function, or is no valid Python.",
        "zh": "{name}：它的单元格没有定义这个函数，或不是合法的 Python 代码。",
    },
    "submit_not_attempted": {
        "en": "{name}: not attempted yet.",
        "zh": "{name}：尚未作答。",
    },
    "submit_not_checked": {
        "en": "{name}: never checked. Run its cell and the check below it, then save.",
        "zh": "{name}：从未检查过。请运行它的单元格和下面的 check，然后保存。",
    },
    "submit_changed": {
        "en": "{name}: the saved notebook is not what was checked last. Run its cell and the "
        "check again, then save.",
        "zh": "{name}：保存的笔记本与最近一次检查的代码不同。请重新运行它的单元格和 check，"
        "然后保存。",
    },
    "submit_not_right": {
        "en": "{name}: its last check was not right yet.",
        "zh": "{name}：最近一次检查还不完全对。",
    },
    "submit_unanswered": {
        "en": "Questions without an answer: {names}.",
        "zh": "还没有回答的问题：{names}。",
    },
    "submit_strict": {
        "en": "Nothing was packed, because not everything is in order (--strict).",
        "zh": "尚有问题，没有打包（--strict）。",
    },
    "submit_packed": {"en": "Packed {target} ({names}).", "zh": "已打包 {target}（{names}）。"},
    "alone_running": {
        "en": "Running {notebook} on fresh cases …",
        "zh": "正在用新的用例运行 {notebook} ……",
    },
    "alone_total": {"en": "Total", "zh": "总分"},
    "alone_page": {"en": "Everything in detail: {page}", "zh": "详细结果：{page}"},
    # Lessons on Binder and Colab
    "elsewhere_line": {
        "en": "Without installing: [run on Binder]({binder}), or [on Colab]({colab}) after one "
        "cell that you paste. [What is different there]({guide}).",
        "zh": "不安装也能学：[在 Binder 上运行]({binder})，或者[在 Colab 上运行]({colab})"
        "（要先粘贴一格代码）。[那里有什么不同]({guide})。",
    },
    # The site
    "site_course": {
        "en": "Sequence models and the origins of attention",
        "zh": "序列模型与注意力的由来",
    },
    "site_skip": {"en": "Skip to the text", "zh": "跳到正文"},
    "site_contents": {"en": "Contents", "zh": "目录"},
    "site_search": {"en": "Search", "zh": "搜索"},
    "site_search_label": {"en": "Search all lessons", "zh": "在全部课程中搜索"},
    "site_close": {"en": "Close", "zh": "关闭"},
    "site_found_none": {"en": "Nothing found.", "zh": "没有找到。"},
    "site_found_one": {"en": "1 place", "zh": "找到 1 处"},
    "site_found_many": {"en": "{count} places", "zh": "找到 {count} 处"},
    "site_other_language": {"en": "中文", "zh": "English"},
    "site_dark": {"en": "Dark colours", "zh": "深色模式"},
    "site_light": {"en": "Light colours", "zh": "浅色模式"},
    "site_run_it": {"en": "Run it on Binder or Colab", "zh": "在 Binder 或 Colab 上运行"},
    "site_made": {
        "en": "All plots and numbers come from a run of the notebooks.",
        "zh": "所有图和数字都来自笔记本的实际运行。",
    },
    "site_source": {"en": "Source", "zh": "源代码"},
    "site_turn": {"en": "Neighbouring lessons", "zh": "相邻的课"},
    "site_previous": {"en": "Previous", "zh": "上一课"},
    "site_next": {"en": "Next", "zh": "下一课"},
    "site_plot": {
        "en": "Plot {number}, in “{section}”, drawn by the code above.",
        "zh": "图 {number}，见“{section}”，由上面的代码画出。",
    },
    "site_cover": {
        "en": "A heatmap from lesson 6: each French word of a translation looks back at the "
        "English words that it comes from.",
        "zh": "第 6 课的热力图：译文的每个法语词都回头看它所来自的英语词。",
    },
    "site_exercise": {
        "en": "<code>{name}</code> is for you to write, in the notebook. The check there calls "
        "your function on small cases and recognises the usual mistakes.",
        "zh": "<code>{name}</code> 请你在笔记本里写。那里的检查会用几个小例子调用你的函数，"
        "常见的错误能直接认出来。",
    },
    "site_exercise_where": {"en": "Where it runs", "zh": "在哪里运行"},
    "site_submit": {"en": "Submit", "zh": "提交"},
    "site_again": {"en": "Try again", "zh": "再试一次"},
    "site_explain": {"en": "Explain the other choices", "zh": "查看其他选项的解析"},
    "site_number": {"en": "a number", "zh": "填一个数"},
    "site_no_script": {
        "en": "Answering needs JavaScript.",
        "zh": "作答需要启用 JavaScript。",
    },
    "site_score": {"en": "{right} of {total} answers right", "zh": "答对 {right} / {total} 题"},
    "site_about": {"en": "Reading here, working there", "zh": "在这里读，在笔记本里做"},
    "site_about_reading": {
        "en": "These pages show the lessons with everything that their code printed and drew. The "
        "questions can be answered right here; this browser keeps your answers, and nobody else "
        "sees them.",
        "zh": "这里是各课的全文，连同代码打印和画出的一切。小测可以直接在页面上作答，"
        "答案只保存在这个浏览器里，别人看不到。",
    },
    "site_about_running": {
        "en": "To run the code, change it and solve the exercises, open the notebooks. With "
        "Python 3.11 or newer, three lines install and open everything:",
        "zh": "想运行、修改代码，想做练习，就打开笔记本。装好 Python 3.11 或更新的版本后，"
        "三行命令就能安装并打开整门课：",
    },
    "site_about_elsewhere": {
        "en": "Without installing: on Binder or Colab, and what is different there",
        "zh": "不想安装：Binder、Colab 以及它们有什么不同",
    },
}


def say(key: str, lang: str, **values: object) -> str:
    """The text of `key` in `lang`, with `values` filled in; English where a language lacks it."""
    return filled(WORDS[key], lang, **values)


def filled(texts: dict[str, str], lang: str, /, **values: object) -> str:
    """One of the texts by language, with `values` filled in; English where `lang` is lacking."""
    return texts.get(lang, texts["en"]).format(**values)
