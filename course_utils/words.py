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
        "en": "{where} should be a {expected}, but is a {got}.",
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
}


def say(key: str, lang: str, **values: object) -> str:
    """The text of `key` in `lang`, with `values` filled in; English where a language lacks it."""
    texts = WORDS[key]
    return texts.get(lang, texts["en"]).format(**values)
