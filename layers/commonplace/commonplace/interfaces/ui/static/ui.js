// Improvements over the page without a script: search while typing, parts that load later, a check of the size of files, and
// keys.
"use strict";

const WAIT = 150; // milliseconds after the last letter

const form = document.querySelector("form[data-found]");
const found = document.querySelector("#found");
let timer, asked;

async function search() {
  const filled = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
  const query = new URLSearchParams(filled).toString();
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await fetch(`${form.dataset.found}?${query}`, { signal: asked.signal });
    if (!answer.ok) return form.submit(); // the full page shows the error
    found.innerHTML = await answer.text();
    document.querySelector("#said").textContent = found.querySelector("[data-said]")?.textContent ?? "";
    history.replaceState(null, "", query === "" ? form.action : `${form.action}?${query}`);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

form?.addEventListener("input", (event) => {
  clearTimeout(timer);
  if (!event.isComposing) timer = setTimeout(search, WAIT);
});
form?.addEventListener("compositionend", () => { timer = setTimeout(search, WAIT); });

for (const part of document.querySelectorAll("[data-later]")) {
  fetch(part.dataset.later).then(async (answer) => {
    if (answer.ok) part.innerHTML = await answer.text(); // else its link stays
  });
}

// The server reads only part of a body that is too large, so a browser would only report that the connection ended.
const sending = document.querySelector("form[data-most]");
sending?.addEventListener("change", () => {
  const fields = [...sending.querySelectorAll("input[type=file]")];
  const bytes = fields.flatMap((field) => [...field.files]).reduce((sum, file) => sum + file.size, 0);
  const why = bytes > Number(sending.dataset.most) ? sending.dataset.larger : "";
  for (const field of fields) field.setCustomValidity(field.files.length > 0 ? why : "");
});

const typing = (target) => target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);

function step(by) {
  const links = [...document.querySelectorAll(".open")];
  const at = links.indexOf(document.activeElement);
  links[at === -1 ? (by > 0 ? 0 : links.length - 1) : at + by]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const question = document.querySelector("#question");
  if (event.key === "/" && question) {
    event.preventDefault();
    question.focus();
    question.select();
  } else if (event.key === "j" || event.key === "k") {
    step(event.key === "j" ? 1 : -1);
  }
});
