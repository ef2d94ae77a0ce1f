// Shows what the form asks for while it is filled in. Without this script the form's button does.
"use strict";

const form = document.getElementById("ranking-form");
const result = document.getElementById("ranking-result");
const told = document.getElementById("ranking-status");
const PAUSE = 300;
let timer = 0;
let asked = 0;

function query() {
  return new URLSearchParams(new FormData(form)).toString();
}

async function show() {
  const number = ++asked;
  const wanted = query();
  result.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(`${form.dataset.preview}?${wanted}`, { credentials: "same-origin" });
    if (number !== asked) return;
    if (!reply.ok || reply.redirected) throw new Error(String(reply.status));
    result.innerHTML = await reply.text();
    history.replaceState(null, "", `${form.action}?${wanted}`);
    told.textContent = "The preview was updated.";
  } catch {
    told.textContent = "The preview could not be updated. Use the button Show.";
  } finally {
    if (number === asked) result.removeAttribute("aria-busy");
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(show, PAUSE);
}

if (form) {
  form.addEventListener("input", later);
  form.addEventListener("change", later);
}
