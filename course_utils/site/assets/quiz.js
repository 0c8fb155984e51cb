// Questions answered in the page: judged by the key that the page carries, kept in this browser.

{
  const SIGNS = { right: "✓", wrong: "✗", partly: "◐" };
  const words = JSON.parse(document.getElementById("words").textContent);

  const readAll = () => {
    try {
      return JSON.parse(stored("answers")) ?? {};
    } catch {
      return {};
    }
  };

  // As in Python: full-width digits, a decimal comma and a real minus are fine.
  const readNumber = (typed) => {
    let plain = typed.normalize("NFKC").trim().replaceAll("−", "-").replaceAll(" ", "");
    if (/^[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,}))$/.test(plain)) plain = plain.replace(",", ".");
    const fits = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(plain);
    return fits && Math.abs(Number(plain)) <= 1e100 ? Number(plain) : NaN;
  };

  const near = (value, target, tolerance) =>
    Math.abs(value - target) <= tolerance + 1e-12 * Math.max(1, Math.abs(target));

  const verdictOnNumber = (key, value) => {
    if (near(value, key.answer, key.tolerance)) return { state: "right", note: key.why };
    const slip = key.slips.find((one) => near(value, one.value, key.tolerance));
    return { state: "wrong", note: slip?.why ?? key.hint };
  };

  const verdictOnPicks = (right, picks) => {
    const hits = picks.filter((pick) => right.includes(pick)).length;
    const misses = picks.length - hits;
    const share = Math.max(0, (hits - misses) / right.length);
    if (share === 1) return { state: "right", note: "" };
    const note = hits ? words[misses ? "mixed" : "missing"] : "";
    return { state: share > 0 ? "partly" : "wrong", note };
  };

  class Question {
    constructor(section) {
      this.section = section;
      this.find = (selector) => section.querySelector(selector);
      this.choices = [...section.querySelectorAll(".cq-choice")];
      this.inputs = [...section.querySelectorAll("input")];
      this.field = this.find(".cq-number");
      this.id = [section.dataset.lesson, section.dataset.question];
      this.find("form").addEventListener("submit", (event) => {
        event.preventDefault();
        this.submit();
      });
      this.find(".cq-again").addEventListener("click", () => this.again());
      this.find(".cq-explain").addEventListener("click", () => this.explain());
      section.addEventListener("keydown", (event) => this.key(event));
      const kept = readAll()[this.id[0]]?.[this.id[1]];
      if (kept !== undefined) this.restore(kept.answer);
    }

    restore(answer) {
      if (this.field) this.field.value = typeof answer === "number" ? String(answer) : "";
      const picks = [answer].flat();
      for (const input of this.choices.map((choice) => choice.querySelector("input"))) {
        input.checked = picks.includes(input.value);
      }
      if (this.given().length || this.field?.value) this.judge();
    }

    given() {
      return this.inputs.filter((input) => input.checked).map((input) => input.value);
    }

    // Enter answers from a choice too; a choice's letter picks it.
    key(event) {
      const { target } = event;
      if (target.tagName !== "INPUT" || target.type === "text") return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === "Enter") {
        event.preventDefault();
        this.submit();
        return;
      }
      const letter = event.key.toUpperCase();
      const choice = this.choices.find(
        (one) => one.querySelector(".cq-letter").textContent === letter,
      );
      choice?.querySelector("input").focus();
      choice?.querySelector("input").click();
    }

    submit() {
      if (this.section.dataset.phase === "done") return;
      const picks = this.given();
      const typed = this.field?.value.trim() ?? "";
      if (!picks.length && !typed) {
        this.ask(words[this.field ? "type_first" : "pick_first"]);
      } else if (this.field && Number.isNaN(readNumber(typed))) {
        this.ask(words.no_number.replace("{given}", () => typed.slice(0, 40)));
      } else {
        this.judge();
        this.keep();
        this.find(".cq-verdict").focus();
      }
    }

    ask(text) {
      this.find(".cq-hint").textContent = text;
      (this.inputs.find((input) => input.checked) ?? this.inputs[0]).focus();
    }

    judge() {
      const picks = this.given();
      const right = this.choices.filter((choice) => choice.dataset.key === "right");
      const { state, note } = this.field
        ? verdictOnNumber(JSON.parse(this.find(".cq-key").textContent), readNumber(this.field.value))
        : verdictOnPicks(right.map((choice) => choice.querySelector("input").value), picks);
      this.phase("done", state);
      for (const choice of this.choices) {
        if (choice.querySelector("input").checked) this.tell(choice, true);
      }
      const others = this.choices.length > picks.length;
      this.find(".cq-explain").hidden = !(state === "right" && others);
      const verdict = this.find(".cq-verdict");
      verdict.innerHTML = `<p><strong class="cq-title">${SIGNS[state]} ${words[state]}</strong></p>`;
      if (note) verdict.insertAdjacentHTML("beforeend", note.startsWith("<") ? note : `<p>${note}</p>`);
    }

    tell(choice, picked) {
      const mark = choice.dataset.key;
      const said = `${SIGNS[mark]} ${words[`choice_${mark}`]}`;
      choice.dataset.mark = mark;
      choice.toggleAttribute("data-picked", picked);
      choice.querySelector(".cq-said").textContent = picked ? `${words.your_answer} ${said}` : said;
      choice.querySelector(".cq-why").hidden = false;
    }

    explain() {
      for (const choice of this.choices) {
        if (!choice.querySelector("input").checked) this.tell(choice, false);
      }
      this.find(".cq-explain").hidden = true;
      this.find(".cq-verdict").focus();
    }

    again() {
      for (const choice of this.choices) {
        delete choice.dataset.mark;
        delete choice.dataset.picked;
        choice.querySelector(".cq-said").textContent = "";
        choice.querySelector(".cq-why").hidden = true;
        choice.querySelector("input").checked = false;
      }
      this.phase("open", "open");
      this.find(".cq-explain").hidden = true;
      this.inputs[0].focus();
      this.field?.select();
    }

    phase(phase, state) {
      const done = phase === "done";
      Object.assign(this.section.dataset, { phase, state });
      for (const input of this.inputs) input.disabled = done;
      this.find(".cq-submit").hidden = done;
      this.find(".cq-again").hidden = !done;
      this.find(".cq-verdict").hidden = !done;
      this.find(".cq-hint").textContent = "";
    }

    keep() {
      const [lesson, name] = this.id;
      const picks = this.given();
      const answer = this.field ? readNumber(this.field.value) : picks;
      const all = readAll();
      const right = this.section.dataset.state === "right";
      all[lesson] = { ...all[lesson], [name]: { answer, right } };
      store("answers", JSON.stringify(all));
    }
  }

  for (const section of document.querySelectorAll(".cq-panel")) new Question(section);

  // The start page tells how far one has come.
  const answers = readAll();
  for (const link of document.querySelectorAll(".lessons li a")) {
    const lesson = link.pathname.split("/").pop().replace(".html", "");
    const given = Object.values(answers[lesson] ?? {});
    if (!given.length) continue;
    const score = document.createElement("span");
    const right = given.filter((one) => one.right).length;
    score.className = "score";
    score.textContent = words.score.replace("{right}", right).replace("{total}", given.length);
    link.after(" ", score);
  }
}
