"""One learner at one question: what is stored, what may be done next, what to tell. No display."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course_utils.kit import Kit, answers_path
from course_utils.quiz.answers import Answers, now, read_submitted_answers, record_answer
from course_utils.quiz.given import Unclear, read_given
from course_utils.quiz.order import learner_name, shown_to
from course_utils.quiz.progress import Progress, progress_of
from course_utils.quiz.scoring import Verdict, fault_of, has_key, judge_answer
from course_utils.words import say


class Session:
    """The state of one question between learner, kit and answers file.

    Attributes:
        question: the kit's entry, choices in the learner's order.
        phase: `open` (an answer is awaited) or `done` (an answer is shown).
        notes: what the learner should be told of the answers file.
        fault: why the last answer was not taken, or an empty string.
        reveal: every choice's explanation is shown.
    """

    def __init__(self, kit: Kit, question_id: str, folder: Path) -> None:
        self.id = question_id
        self.kit = kit
        self.lang: str = kit["lang"]
        self.path = answers_path(kit["lesson"], folder)
        self.question = shown_to(kit["questions"][question_id], question_id, learner_name())
        self.notes: list[str] = []
        self.fault = ""
        self.reveal = False
        self._entry: dict[str, Any] = {"answer": None, "attempts": []}
        self._load(self._read())
        self.phase = "open" if self.stored is None else "done"

    @property
    def stored(self) -> Any:
        """The answer that counts now, or None."""
        return self._entry["answer"]

    @property
    def keyed(self) -> bool:
        """Whether this kit can judge the question here and now."""
        return has_key(self.question)

    @property
    def verdict(self) -> Verdict | None:
        """What the stored answer is worth, where there is one and the kit can tell."""
        if self.stored is None or not self.keyed:
            return None
        return judge_answer(self.question, self.stored)

    @property
    def attempts_left(self) -> int | None:
        """How many more answers the class allows; None without a limit."""
        limit = self.kit.get("attempts")
        return None if limit is None else max(0, limit - len(self._entry["attempts"]))

    @property
    def explainable(self) -> bool:
        """Whether the other choices may be explained: answered rightly, or nothing left to try."""
        verdict = self.verdict
        if self.phase != "done" or verdict is None:
            return False
        return verdict.right or self.attempts_left == 0

    def submit(self, given: Any) -> None:
        """Read, store and judge an answer; ignored while an answer is already shown."""
        if self.phase != "open":
            return
        self.fault = ""
        try:
            self._take(read_given(self.question, given, self.lang))
        except Unclear as unclear:
            self.fault = str(unclear)

    def answer(self, given: Any) -> None:
        """Answer anew, whatever is shown now; what cannot be read changes nothing but `fault`."""
        before, self.phase = self.phase, "open"
        self.submit(given)
        if self.fault:
            self.phase = before

    def try_again(self) -> None:
        """Await another answer, unless no attempt is left."""
        if self.attempts_left != 0:
            self.phase, self.fault, self.reveal = "open", "", False

    def explain(self) -> None:
        """Show the explanations of all choices where that is allowed."""
        self.reveal = self.explainable

    def progress(self) -> Progress:
        """The lesson's sum as the answers file has it now."""
        return progress_of(self.kit, self._read()[0])

    def _take(self, answer: Any) -> None:
        """Store an answer that could be read, if an attempt is left for it."""
        answers, problem = self._read()
        if problem is None:
            self._load((answers, None))
        if self.attempts_left == 0 and answer != self.stored:
            raise Unclear(say("quiz_no_attempts", self.lang))
        recorded = record_answer(self.path, self.kit["lesson"], self.id, answer)
        self.notes = recorded.notes(self.lang)
        if recorded.saved:
            self._load((self._read()[0], None))
        else:
            attempt = {"answer": answer, "time": now()}
            self._entry = {**attempt, "attempts": [*self._entry["attempts"], attempt]}
        self.phase, self.reveal = "done", False

    def _read(self) -> tuple[Answers, str | None]:
        return read_submitted_answers(self.path, lesson=self.kit["lesson"], follow_links=True)

    def _load(self, read: tuple[Answers, str | None]) -> None:
        """Take this question's entry from what was read; say so when the file is damaged."""
        answers, problem = read
        if problem not in (None, "missing"):
            self.notes = [say("answers_damaged", self.lang)]
        entry = answers["answers"].get(self.id)
        if entry is not None and not fault_of(self.question, entry["answer"]):
            self._entry = entry
