// Items that are rated: drawn here, so that no server knows or chooses what a person is shown.

import { drawSubset } from "./channel.js";
import { register } from "./send.js";

const main = document.querySelector("main");
const rated = [...main.querySelectorAll("[data-items]")];

/** Every set and every order of items is equally likely. The file is the one that was published. */
async function draw(question) {
  const { items, integrity, width } = question.dataset;
  const reply = await fetch(items, { integrity, credentials: "omit" });
  const { names } = await reply.json();
  const slots = [...question.querySelectorAll("fieldset")];
  const places = [...drawSubset(names.length, slots.length)];
  slots.forEach((slot, number) => {
    slot.dataset.item = String(places[number] + 1).padStart(Number(width), "0");
    slot.querySelector(".text bdi").textContent = names[places[number]];
  });
}

// Until the names are there, nothing is asked; nor where another module found that nothing can be.
const start = main.querySelector("[data-step=start] [data-act=next]");
start.disabled = rated.length > 0;
Promise.all(rated.map(draw)).then(() => {
  start.disabled = Boolean(main.querySelector("[data-cannot-seal]:not([hidden])"));
}, () => (main.querySelector("[data-no-items]").hidden = false));
register("ratings", {});
