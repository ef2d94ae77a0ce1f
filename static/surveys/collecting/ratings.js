// Items that are rated: drawn here, so that no server knows or chooses what a person is shown.

import { drawSubset } from "./channel.js";
import { all, main, register } from "./send.js";

const namesOf = new Map(); // the names of all items, by the field of a question's first slot
const rated = [...main.querySelectorAll("[data-items]")];

/** Every set and every order of items is equally likely. The file is the one that was published. */
async function draw(question) {
  const { items, integrity, width } = question.dataset;
  const reply = await fetch(items, { integrity, credentials: "omit" });
  const { names } = await reply.json();
  if (!question.isConnected) return; // chance left this question out
  const slots = [...question.querySelectorAll("fieldset")];
  namesOf.set(slots[0].dataset.name, names);
  const places = [...drawSubset(names.length, slots.length)];
  slots.forEach((slot, number) => {
    slot.dataset.item = String(places[number] + 1).padStart(Number(width), "0");
    slot.querySelector(".text bdi").textContent = names[places[number]];
  });
}

// Until the names are there, nothing is asked; nor where another module found that nothing can be.
const waits = (now) =>
  all("[data-step=start] [data-act=next]").forEach((start) => (start.disabled = now));
waits(rated.length > 0);
Promise.all(rated.map(draw)).then(() => {
  waits(Boolean(main.querySelector("[data-cannot-lock]:not([hidden])")));
}, () => (main.querySelector("[data-no-items]").hidden = false));
register("ratings", { named: (field, number) => namesOf.get(field)?.[number - 1] });
