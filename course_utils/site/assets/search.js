// Search over both languages, in the page: sections that hold every word, the best first.

{
  const dialog = document.querySelector("dialog.search");
  const input = dialog.querySelector("input");
  const count = dialog.querySelector(".count");
  const results = dialog.querySelector(".results");
  const here = document.body.dataset.lang;
  const HAN = /[\u3400-\u9fff]/;
  const MOST = 30;
  const sections = [];
  let loading = null;

  const plain = (text) => text.normalize("NFKC").toLowerCase();

  // The two index files call this.
  globalThis.courseIndex = ({ lang, entries }) => {
    for (const entry of entries) {
      sections.push({ ...entry, lang, inHeading: plain(entry.heading), inText: plain(entry.text) });
    }
  };

  const load = (lang) =>
    new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = `../assets/index-${lang}.js`;
      script.onload = script.onerror = resolve;
      document.head.append(script);
    });

  // Chinese has no spaces: what is not found as a whole is looked for in pairs of characters.
  const pairs = (term) =>
    HAN.test(term) && term.length > 2
      ? Array.from({ length: term.length - 1 }, (_, start) => term.slice(start, start + 2))
      : [term];

  const holds = ({ inHeading, inText }, text) => inHeading.includes(text) || inText.includes(text);

  const times = (text, term) => text.split(term).length - 1;

  const worth = (section, term) => {
    const { inHeading, inText } = section;
    const whole = 20 * times(inHeading, term) + Math.min(5, times(inText, term));
    if (whole) return whole + 5;
    const parts = pairs(term);
    const share = parts.filter((part) => holds(section, part)).length / parts.length;
    return share > 0.6 ? share : 0;
  };

  const find = (terms) =>
    sections
      .map((section) => {
        const each = terms.map((term) => worth(section, term));
        const own = section.lang === here ? 1.5 : 1;
        return { section, score: Math.min(...each) && own * each.reduce((a, b) => a + b) };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);

  const marked = (text, terms) => {
    const node = document.createElement("span");
    const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    for (const part of text.split(new RegExp(`(${escaped.join("|")})`, "i"))) {
      const hit = terms.includes(plain(part));
      const piece = hit ? document.createElement("mark") : document.createTextNode(part);
      if (hit) piece.textContent = part;
      node.append(piece);
    }
    return node;
  };

  const snippet = (section, terms) => {
    const places = terms.map((term) => section.inText.indexOf(term)).filter((place) => place >= 0);
    const reach = section.lang === "zh" ? 30 : 60;
    const start = Math.max(0, (places.length ? Math.min(...places) : 0) - reach);
    const cut = section.text.slice(start, start + 4 * reach);
    return `${start ? "… " : ""}${cut}${section.text.length > start + 4 * reach ? " …" : ""}`;
  };

  const result = (section, wanted) => {
    const terms = wanted.flatMap((term) =>
      holds(section, term) ? [term] : pairs(term).filter((part) => holds(section, part)),
    );
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `../${section.lang}/${section.url}`;
    link.lang = section.lang === "zh" ? "zh-CN" : "en";
    const heading = document.createElement("strong");
    heading.append(marked(section.heading, terms));
    const page = document.createElement("small");
    page.textContent = section.page === section.heading ? "" : section.page;
    link.append(heading, " ", page);
    const text = document.createElement("span");
    text.className = "snippet";
    text.append(marked(snippet(section, terms), terms));
    link.append(text);
    item.append(link);
    return item;
  };

  const draw = () => {
    const terms = plain(input.value).split(/\s+/).filter(Boolean);
    const found = terms.length ? find(terms) : [];
    results.replaceChildren(...found.slice(0, MOST).map(({ section }) => result(section, terms)));
    const { none, one, many } = count.dataset;
    const text = { 0: none, 1: one }[found.length] ?? many.replace("{count}", found.length);
    count.textContent = terms.length ? text : "";
  };

  const open = async () => {
    dialog.showModal();
    input.select();
    loading ??= Promise.all(["en", "zh"].map(load));
    await loading;
    draw();
  };

  const move = (step) => {
    const stops = [input, ...results.querySelectorAll("a")];
    const next = stops[stops.indexOf(document.activeElement) + step];
    next?.focus();
  };

  document.querySelector(".find").addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open();
  });
  input.addEventListener("input", draw);
  results.addEventListener("click", (event) => event.target.closest("a") && dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      move(step);
    } else if (event.key === "Enter" && event.target === input && !event.isComposing) {
      event.preventDefault();
      results.querySelector("a")?.click();
    }
  });
}
