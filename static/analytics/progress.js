// Follows a report while it is made. Without this script the link "Look again" does.
"use strict";

const shown = document.getElementById("progress");
const told = document.getElementById("progress-status");
const PAUSE = 2000;
const LONGEST_PAUSE = 30000;
const PENDING = ["queued", "running"];
let pause = PAUSE;
let stage = "";

function tell(text) {
  if (told.textContent !== text) told.textContent = text;
}

async function look() {
  try {
    const reply = await fetch(shown.dataset.address, { credentials: "same-origin" });
    if (!reply.ok || reply.redirected) throw new Error(String(reply.status));
    // A new page only once it is over: a person with a keyboard stays at the button they are at.
    if (!PENDING.includes(reply.headers.get("X-Report-State"))) {
      location.reload();
      return;
    }
    shown.innerHTML = await reply.text();
    const words = shown.querySelector("[data-told]").textContent;
    // A stage is announced once, not each of its percents.
    if (words.split(":")[0] !== stage) tell(words);
    stage = words.split(":")[0];
    pause = PAUSE;
  } catch {
    tell("This page could not look how far the report is. Use the link Look again.");
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
  setTimeout(look, pause);
}

if (shown) setTimeout(look, pause);
