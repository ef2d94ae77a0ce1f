// The screens: one after the other in one document. Answers live in the inputs until they are sent.

import { uniform } from "./channel.js";
import { canonical, problemOfCode } from "./invitation.js";
import { bodyOf, checked, declined, post, read, typed } from "./send.js";

const main = document.querySelector("main");
const all = (selector, within = main) => [...within.querySelectorAll(selector)];
const stepOf = (element) => element.closest("[data-step]");
const chosen = (within) => within.querySelector("input[type=radio]:checked");

const survey = document.title;
let body = null; // drawn at the moment of sending, then kept unchanged until a reply arrives

// ---- Moving between screens ----------------------------------------------------------------

function show(step) {
  for (const other of all("[data-step]")) other.hidden = other !== step;
  entitle(step);
  window.scrollTo(0, 0);
  step.querySelector("[tabindex='-1']").focus();
}

/** The tab says where one is, and not what is asked there: browsers keep titles for long. */
function entitle(step, problem) {
  const name = step.querySelector(".where") ?? step.querySelector("h1");
  const place = step.matches("[data-step=start]") ? [] : [name.firstChild.textContent.trim()];
  document.title = (problem ? `${main.dataset.error} ` : "") + [...place, survey].join(" · ");
}

function move(from, by) {
  const steps = all("[data-step]");
  show(steps[steps.indexOf(from) + by]);
}

function next(step) {
  const problems = all("fieldset[data-name]", step).map(problemOf);
  const code = step.querySelector("[data-invitation]");
  const wrong = code && problemOfCode(canonical(code.value), code.dataset.length);
  const problem = wrong ?? problems.find(Boolean);
  if (complain(step, problem)) return;
  if (code && main.dataset.revision) enter(step, code);
  else move(step, +1); // a preview has no door
}

/** Ask at the door whether the code counts, before anything is asked of the person. */
async function enter(step, code) {
  const sent = `path=browser&invitation=${canonical(code.value)}`;
  const reply = await post("door/", sent);
  const answer = reply?.querySelector?.("main").dataset.reply;
  if (answer === "admitted") return move(step, +1);
  code.closest("[data-typed]").hidden = false;
  complain(step, answer === "rejected" ? answer : "unchecked");
}

/** Show one of the step's messages (all are in the page, translated), or none. */
function complain(step, problem) {
  for (const line of all("[data-problem]", step)) line.hidden = line.dataset.problem !== problem;
  const open = problem ? unanswered(step) : [];
  for (const field of all("input, textarea, select", step)) {
    field.setAttribute("aria-invalid", String(open.includes(field)));
  }
  entitle(step, problem);
  open[0]?.focus();
  return problem;
}

/** The fields that are open still; typed answers have no name. */
function unanswered(step) {
  const given = checked(step).map(({ name }) => name);
  const fields = all("input:not([type=search], [type=checkbox]), textarea, select", step);
  return fields.filter(({ name }) => !name || !given.includes(name));
}

// ---- Questions -----------------------------------------------------------------------------

function problemOf(fieldset) {
  const area = fieldset.querySelector("textarea");
  if (area) return problemOfText(area);
  const input = fieldset.querySelector("[data-width]");
  if (!input) return unanswered(fieldset).length ? "missing" : null;
  return declined(fieldset) ? null : problemOfNumber(input);
}

function problemOfText(area) {
  const text = area.value.trim();
  if (!text && "required" in area.dataset) return "missing";
  return [...text].length > Number(area.dataset.longest) ? "too-long" : null;
}

function problemOfNumber(input) {
  const { minimum, maximum, places } = input.dataset;
  const text = typed(input);
  if (!text) return "missing";
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return "not-a-number";
  if ((text.split(".")[1] ?? "").length > Number(places)) return "places";
  const inside = Number(minimum) <= Number(text) && Number(text) <= Number(maximum);
  return inside ? null : "bounds";
}

const lists = new Map(); // the whole list of options of each, as the page came

/**
 * Show only the options of a long list in which every typed word occurs, and the chosen one. The
 * only one that fits is picked, until another text fits more or none.
 */
function filter(event) {
  if (event.target.type !== "search") return;
  const fieldset = event.target.closest("fieldset");
  const list = fieldset.querySelector("select");
  const chosen = list.value === list.dataset.only ? "" : list.value;
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain(event.target.value).split(/\s+/);
  if (!lists.has(list)) lists.set(list, [...list.options]);
  const fits = ({ value, text }) => value && words.every((word) => plain(text).includes(word));
  const found = lists.get(list).filter(fits);
  const kept = (option) => ["", chosen].includes(option.value) || found.includes(option);
  list.replaceChildren(...lists.get(list).filter(kept));
  list.dataset.only = found.length === 1 ? found[0].value : "none";
  list.value = found.length === 1 ? found[0].value : chosen;
  fieldset.querySelector("[data-found]").textContent = found.length;
  fieldset.querySelector("[data-picked]").textContent = found.length === 1 ? found[0].text : "";
  fieldset.querySelector("[data-finding]").hidden = !event.target.value.trim();
}

/** A number and "prefer not to say" exclude each other. */
function exclude(event) {
  const fieldset = event.target.closest("fieldset");
  const number = fieldset?.querySelector("[data-width]");
  const box = fieldset?.querySelector("[data-declined]");
  if (!number || !box) return;
  if (event.target === box && box.checked) number.value = "";
  if (event.target === number && number.value) box.checked = false;
}

// ---- Trying the coins ----------------------------------------------------------------------

const tally = { answer: null, sent: { yes: 0, no: 0 } };

function practise(step, times) {
  const answer = chosen(step)?.value;
  if (complain(step, answer ? null : "missing")) return;
  if (tally.answer !== answer) Object.assign(tally, { answer, sent: { yes: 0, no: 0 } });
  let told;
  for (let flip = 0; flip < times; flip += 1) {
    told = uniform(2) === 0 ? `truth-${answer}` : `coin-${uniform(2) === 0 ? "yes" : "no"}`;
    tally.sent[told.split("-")[1]] += 1;
  }
  tell(step, times === 1 ? told : "many");
  if (times === 1) spin(step.querySelector(".coin"), told);
}

function tell(step, told) {
  const { yes, no } = tally.sent;
  for (const line of all("[data-told]", step)) line.hidden = line.dataset.told !== told;
  step.querySelector("[data-tally]").hidden = false;
  for (const text of all("[data-fill]", step)) {
    text.textContent = { yes, no, all: yes + no }[text.dataset.fill];
  }
  for (const bar of all("[data-bar]", step)) {
    bar.max = yes + no;
    bar.value = tally.sent[bar.dataset.bar];
  }
}

function spin(coin, told) {
  coin.classList.remove("flipping");
  coin.classList.toggle("tails", told.startsWith("coin"));
  coin.getBoundingClientRect(); // lets the animation start anew
  coin.classList.add("flipping");
}

// ---- Two checks: explained, never counted --------------------------------------------------

function check(step) {
  const answer = chosen(step)?.value;
  if (complain(step, answer ? null : "missing")) return;
  const isRight = answer === step.dataset.right;
  const isLast = isRight || step.dataset.tried === "once";
  step.dataset.tried = "once";
  const told = isRight ? "right" : isLast ? "explained" : "again";
  for (const line of all("[data-told]", step)) line.hidden = line.dataset.told !== told;
  step.querySelector("[data-act=check]").hidden = isLast;
  step.querySelector("[data-act=next]").hidden = !isLast;
  if (isLast) step.querySelector("[data-act=next]").focus();
}

// ---- Sending -------------------------------------------------------------------------------

/** Draw once. From here on the true answers are nowhere: what is kept is what is sent. */
function drawAndForget() {
  const questions = all("fieldset[data-name]").map(read);
  body = bodyOf(main.dataset.revision, questions, main.querySelector("[data-invitation]")?.value);
  const emptied = { checked: false, value: "" };
  for (const input of all("input, textarea, select")) Object.assign(input, emptied);
  for (const step of all("[data-step]:not([data-step=send])")) step.remove();
  lists.clear();
  Object.assign(tally, { answer: null, sent: { yes: 0, no: 0 } });
}

async function send(step) {
  if (body === null) drawAndForget();
  state(step, "sending");
  const reply = await post(main.dataset.sendTo, body);
  if (reply === null || reply === "busy") state(step, reply ?? "lost");
  else receive(reply);
}

function state(step, now) {
  for (const part of all("[data-state]", step)) part.hidden = part.dataset.state !== now;
  step.querySelector(`[data-state=${now}] [tabindex='-1']`)?.focus();
}

function receive(reply) {
  const received = document.adoptNode(reply.querySelector("main"));
  const raw = received.querySelector("[data-raw]");
  if (raw) {
    const verdict = raw.textContent === body ? "#receipt-same" : "#receipt-differs";
    raw.closest("details").before(document.querySelector(verdict).content.cloneNode(true));
  }
  body = null;
  document.title = reply.title;
  main.replaceWith(received);
  received.addEventListener("click", clear);
  window.scrollTo(0, 0);
  received.querySelector("h1").focus();
}

/** Leave no receipt behind on a shared screen: a blank start takes its place in the history. */
function clear(event) {
  const link = event.target.closest("[data-clear]");
  if (!link) return;
  event.preventDefault();
  location.replace(link.href);
}

// ---- Start ---------------------------------------------------------------------------------

const acts = {
  next,
  back: (step) => move(step, -1),
  flip: (step) => practise(step, 1),
  "flip-100": (step) => practise(step, 100),
  check,
  send,
};

main.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-act]");
  if (button) acts[button.dataset.act](stepOf(button));
  const link = event.target.closest("a[data-takes-code]");
  const code = main.querySelector("[data-invitation]");
  if (link && code) link.hash = canonical(code.value);
});
main.addEventListener("input", exclude);
main.addEventListener("input", filter);
main.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("input")) {
    event.preventDefault();
    stepOf(event.target).querySelector("[data-act=next], [data-act=check]").click();
  }
});
for (const list of all("select:empty")) {
  const { content } = list.closest("[data-slots]").querySelector("template");
  list.append(content.cloneNode(true));
}
for (const element of all("[data-without-script]")) element.hidden = true;
for (const element of all("[data-needs-script]")) element.hidden = false;
