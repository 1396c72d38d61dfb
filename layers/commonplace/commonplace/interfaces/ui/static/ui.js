// What the page does beyond what it does without a script.
"use strict";

const typing = (target) => target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const question = document.querySelector("#question");
  if (question === null) return;
  event.preventDefault();
  question.focus();
  question.select();
});
