// Draws what respondents see of a question anew while its form is filled in. Without this script a button
// of the page does.
"use strict";

const host = document.getElementById("sketch");
const form = document.getElementById("question_form");
const problem = document.getElementById("sketch-problem");
const PAUSE = 400; // milliseconds without a key: most words are typed faster
let waiting = 0;
let asked = null;

async function draw() {
  asked?.abort();
  asked = new AbortController();
  const sent = new FormData(form);
  sent.append("_sketch", "1");
  const { signal } = asked;
  try {
    const reply = await fetch(form.action, { method: "POST", body: sent, redirect: "error", signal });
    if (!reply.ok) throw new Error(reply.status);
    show(await reply.text());
    problem.textContent = "";
  } catch (error) {
    if (error.name === "AbortError") return;
    problem.textContent = document.getElementById("sketch-failed").content.textContent.trim();
  }
}

function show(text) {
  const drawn = new DOMParser().parseFromString(text, "text/html").querySelector("template");
  if (!drawn) {
    host.shadowRoot?.replaceChildren();
    return;
  }
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const old = root.querySelector(".sketched");
  // The style sheet stays: without it the question would be seen unstyled for a moment.
  if (old) old.replaceWith(drawn.content.querySelector(".sketched"));
  else root.replaceChildren(drawn.content);
}

if (host && form) {
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, PAUSE);
  };
  form.addEventListener("input", later);
  form.addEventListener("change", later);
}
