// The live question: draws the view that Python sends, and sends back what the learner does.
// All judging and storing happens in Python; texts arrive as safe HTML.

const WAIT_MS = 1500;
const SUPPRESS = "data-lm-suppress-shortcuts";

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "html") node.innerHTML = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

function head(view) {
  return make(
    "p",
    { class: "cq-head" },
    make("span", {}, make("strong", { class: "cq-kind" }, view.head), ` · ${view.ask} · ${view.worth}`),
  );
}

class Panel {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.name = `cq-${Math.random().toString(36).slice(2)}`; // this file is loaded once per panel
    this.aloud = make("div", { class: "cq-aloud", role: "status", "aria-live": "polite" });
    this.onView = () => this.draw();
    this.onProgress = () => this.drawProgress();
    this.onMessage = (message) => this.renewStill(message.still);
    this.onKeyFirst = (event) => this.claimKey(event);
  }

  start() {
    this.model.on("change:view", this.onView);
    this.model.on("change:progress", this.onProgress);
    this.model.on("msg:custom", this.onMessage);
    window.addEventListener("keydown", this.onKeyFirst, true);
    this.draw();
    return () => {
      clearTimeout(this.timer);
      this.model.off("change:view", this.onView);
      this.model.off("change:progress", this.onProgress);
      this.model.off("msg:custom", this.onMessage);
      window.removeEventListener("keydown", this.onKeyFirst, true);
    };
  }

  // The question's static copy in the notebook that JupyterLab will save. Only needed after the
  // page was reloaded: before, the kernel's own update reaches it.
  renewStill(data) {
    const cells = this.model.widget_manager?.context?.model?.cells ?? [];
    const mark = `cq-static ${this.view.name}"`;
    for (const { outputs } of cells) {
      for (let index = 0; index < (outputs?.length ?? 0); index += 1) {
        const output = outputs.get(index).toJSON();
        const html = [output.data?.["text/html"] ?? ""].flat().join("");
        if (!html.includes(mark) || html === data["text/html"]) continue;
        outputs.set(index, { ...output, data });
      }
    }
  }

  // JupyterLab takes plain keys (arrows, Enter, D, D …) for its own before a panel sees them.
  // Plain keys typed in the panel are the panel's; Ctrl+S, Shift+Enter, Escape stay JupyterLab's.
  claimKey(event) {
    if (!this.section?.contains(event.target)) return;
    const chord = event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape";
    const runs = event.key === "Enter" && event.shiftKey;
    event.target.toggleAttribute(SUPPRESS, !chord && !runs);
  }

  get view() {
    return this.model.get("view");
  }

  get open() {
    return this.view.phase === "open";
  }

  draw() {
    clearTimeout(this.timer);
    const view = this.view;
    const focused = this.section?.contains(document.activeElement);
    const before = this.section?.dataset.phase;
    this.section = make(
      "section",
      {
        class: "cq cq-panel",
        lang: view.lang,
        "data-state": view.state,
        "data-phase": view.phase,
        "aria-labelledby": `${this.name}-text`,
        onkeydown: (event) => this.key(event),
      },
      head(view),
      this.field(view),
      this.verdict(view),
      ...view.warnings.map((text) => make("p", { class: "cq-warning" }, text)),
      this.actions(view),
      this.aloud,
      this.styleForOthers(view),
    );
    this.el.replaceChildren(this.section);
    this.drawProgress();
    this.settle(view, focused, before);
  }

  // Outside JupyterLab the static copy of the question is hidden from here.
  styleForOthers(view) {
    if (this.el.closest(".jp-OutputArea")) return null;
    return make("style", { html: `.cq-static.${view.name}{display:none}` });
  }

  // Where the focus goes after a redraw: to the verdict, or back to the choices.
  settle(view, focused, before) {
    this.aloud.textContent = "";
    if (before === undefined) return;
    if (focused && this.said) this.said.focus({ preventScroll: false });
    else if (focused) this.firstInput()?.focus();
    else if (this.said) this.aloud.textContent = this.said.textContent;
  }

  firstInput() {
    return this.section.querySelector("input:checked") ?? this.section.querySelector("input");
  }

  field(view) {
    const text = make("div", { class: "cq-text", id: `${this.name}-text`, html: view.text });
    const role = view.kind === "single" ? "radiogroup" : "group";
    const inner = view.kind === "numeric" ? [this.number(view)] : [this.choices(view)];
    return make(
      "fieldset",
      { class: "cq-field", role, "aria-labelledby": `${this.name}-text` },
      text,
      ...inner,
    );
  }

  number(view) {
    return make("input", {
      class: "cq-number",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      "aria-labelledby": `${this.name}-text`,
      placeholder: view.words.number,
      value: this.model.get("typed"),
      disabled: !this.open,
      oninput: (event) => this.keep("typed", event.target.value),
    });
  }

  choices(view) {
    return make(
      "div",
      { class: "cq-choices" },
      ...view.choices.map((choice) => this.choice(choice, view)),
    );
  }

  choice(choice, view) {
    const why = `${this.name}-why-${choice.id}`;
    const input = make("input", {
      type: view.kind === "single" ? "radio" : "checkbox",
      name: this.name,
      value: choice.id,
      disabled: !this.open,
      "aria-describedby": choice.why ? why : null,
      onchange: () => this.keep("picks", this.picked()),
    });
    input.checked = this.model.get("picks").includes(choice.id);
    return make(
      "label",
      { class: "cq-choice", "data-mark": choice.mark, "data-picked": choice.picked },
      input,
      make("span", { class: "cq-letter" }, choice.letter),
      make(
        "span",
        {},
        make("span", { class: "cq-words", html: choice.html }),
        choice.said ? make("strong", { class: "cq-said" }, choice.said) : null,
      ),
      choice.why ? make("div", { class: "cq-why", id: why, html: choice.why }) : null,
    );
  }

  verdict(view) {
    this.said = null;
    if (!view.badge && !view.note) return null;
    const title = make("strong", { class: "cq-title" }, view.badge);
    const score = view.score ? make("span", { class: "cq-score" }, view.score) : null;
    const note = view.note ? make("div", { html: view.note }) : null;
    this.said = make("div", { class: "cq-verdict", tabindex: "-1" }, make("p", {}, title, score));
    if (note) this.said.append(note);
    return this.said;
  }

  actions(view) {
    const { words } = view;
    const button = (text, act, main) =>
      make("button", { type: "button", class: main ? "cq-main" : "", onclick: act }, text);
    this.hint = make("span", { class: "cq-hint" }, view.left);
    this.progress = make("span", { class: "cq-progress" });
    this.submitButton = this.open ? button(words.submit, () => this.submit(), true) : null;
    return make(
      "div",
      { class: "cq-actions" },
      this.submitButton,
      view.again ? button(view.again, () => this.send({ do: "again" })) : null,
      view.explain ? button(view.explain, () => this.send({ do: "explain" })) : null,
      this.hint,
      this.progress,
    );
  }

  drawProgress() {
    this.progress.innerHTML = this.model.get("progress");
  }

  picked() {
    return [...this.section.querySelectorAll("input:checked")].map((input) => input.value);
  }

  keep(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
    this.say(this.view.left);
  }

  say(text) {
    this.hint.textContent = text;
    this.aloud.textContent = text;
  }

  // Plain keys: Enter submits from a choice or the field; a choice's letter picks it.
  key(event) {
    if (!this.open || event.target.tagName !== "INPUT" || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.submit();
    } else if (event.target.type !== "text") {
      const wanted = event.key.toUpperCase();
      const index = this.view.choices.findIndex((choice) => choice.letter === wanted);
      const input = this.section.querySelectorAll(".cq-choice > input")[index];
      input?.focus();
      input?.click();
    }
  }

  submit() {
    const { kind, words } = this.view;
    if (this.submitButton.getAttribute("aria-disabled") === "true") return;
    const field = this.section.querySelector(".cq-number");
    const answer = field ? field.value : this.picked();
    if (answer.length === 0) {
      this.say(kind === "numeric" ? words.type_first : words.pick_first);
      this.firstInput()?.focus();
      return;
    }
    this.send({ do: "submit", answer });
  }

  // One message, and a word if the kernel does not answer soon: it may be busy or gone.
  send(message) {
    const button = this.submitButton;
    button?.setAttribute("aria-disabled", "true");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.say(this.view.words.waiting);
      button?.removeAttribute("aria-disabled");
    }, WAIT_MS);
    this.model.send(message);
  }
}

export default {
  render({ model, el }) {
    return new Panel(model, el).start();
  },
};
