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
}


def say(key: str, lang: str, **values: object) -> str:
    """The text of `key` in `lang`, with `values` filled in; English where a language lacks it."""
    texts = WORDS[key]
    return texts.get(lang, texts["en"]).format(**values)
