// What every page does: theme, contents, language at the same place, scrolling by keyboard, print.

const root = document.documentElement;

function stored(name) {
  try {
    return localStorage.getItem(`course:${name}`);
  } catch {
    return null; // a browser that keeps nothing: the page works all the same
  }
}

function store(name, value) {
  try {
    localStorage.setItem(`course:${name}`, value);
  } catch {}
}

// Theme: the system's, until the reader chooses.

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const themeButton = document.querySelector(".theme");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : darkSystem.matches;
}

function nameTheme() {
  const { dark, light } = themeButton.dataset;
  themeButton.title = isDark() ? light : dark;
  themeButton.setAttribute("aria-label", themeButton.title);
  root.classList.toggle("dark", isDark());
}

themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  store("theme", root.dataset.theme);
  nameTheme();
});
darkSystem.addEventListener("change", nameTheme);
nameTheme();

// Contents: a drawer on small screens, and the current section marked.

const menu = document.querySelector(".menu");
const contents = document.querySelector("#contents");

function showContents(open) {
  menu.setAttribute("aria-expanded", String(open));
  root.classList.toggle("contents-open", open);
}

menu.addEventListener("click", () => showContents(menu.ariaExpanded !== "true"));
contents.addEventListener("click", (event) => event.target.closest("a") && showContents(false));
document.addEventListener("click", ({ target }) => {
  if (!contents.contains(target) && !menu.contains(target)) showContents(false);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || menu.ariaExpanded !== "true") return;
  showContents(false);
  menu.focus();
});

const links = [...document.querySelectorAll(".toc a")];
const headings = links.map((link) => document.getElementById(link.hash.slice(1)));
let current = null;

function markSection() {
  const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
  const link = links[passed.length - 1] ?? null;
  if (link === current) return;
  current?.removeAttribute("aria-current");
  link?.setAttribute("aria-current", "true");
  if (link && contents.scrollHeight > contents.clientHeight) {
    const top = link.offsetTop - contents.clientHeight / 2;
    contents.scrollTo({ top });
  }
  current = link;
}

if (links.length) {
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      markSection();
    });
  });
  markSection();
}

// Headings have the same ids in both languages.

const language = document.querySelector(".language");
language.addEventListener("click", () => {
  markSection();
  language.hash = current?.hash ?? "";
});

// What is wider than the page scrolls; then the keyboard must reach it.

function noteScrollers() {
  for (const box of document.querySelectorAll("pre, .scroll, .math.block")) {
    const wide = box.scrollWidth > box.clientWidth + 1;
    if (wide) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

noteScrollers();
addEventListener("resize", noteScrollers);

// On paper nothing can be unfolded.

addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details:not([open])")) {
    folded.open = true;
    folded.dataset.folded = "";
  }
});
addEventListener("afterprint", () => {
  for (const folded of document.querySelectorAll("details[data-folded]")) folded.open = false;
});
