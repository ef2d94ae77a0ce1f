// The screens: one after the other in one document. Answers live in the inputs until they are sent.

import { ask, bodyOf, checked, isComplete, post, read, tell } from "./send.js";

const main = document.querySelector("main");
const all = (selector, within = main) => [...within.querySelectorAll(selector)];
const stepOf = (element) => element.closest("[data-step]");

const survey = document.title;
let body = null; // drawn at the moment of sending, then kept unchanged until a reply arrives

// ---- Moving between screens ----------------------------------------------------------------

function show(step) {
  for (const other of all("[data-step]")) other.hidden = other !== step;
  refresh(step);
  entitle(step);
  tell("shown", step);
  window.scrollTo(0, 0);
  step.querySelector("[tabindex='-1']").focus();
}

/** The tab says where one is, and not what is asked there: browsers keep titles for long. */
function entitle(step, problem) {
  const name = step.querySelector(".where") ?? step.querySelector("h1");
  const place = step.matches("[data-step=start]") ? [] : [name.firstChild.textContent.trim()];
  document.title = (problem ? `${main.dataset.error} ` : "") + [...place, survey].join(" · ");
}

/** Only the questions of a screen are shown that are asked now. */
function refresh(step) {
  for (const question of all("[data-question]", step)) {
    question.hidden = Boolean(ask("skips", question));
  }
}

function isAsked(step) {
  const questions = all("[data-question]", step);
  return !questions.length || questions.some((question) => !ask("skips", question));
}

function move(from, by) {
  const steps = all("[data-step]").filter((step) => step === from || isAsked(step));
  show(steps[steps.indexOf(from) + by]);
}

async function next(step) {
  if (hasProblem(step)) return;
  const problem = await ask("leave", step);
  if (complain(step, problem)) return entitle(step, problem);
  move(step, +1);
}

/** Say at each question of a screen what is wrong with its answer; the first gets the focus. */
function hasProblem(step) {
  const problems = all("[data-question]:not([hidden])", step).reverse().map((question) => {
    const found = all("fieldset[data-name], fieldset[data-consent]", question).map(problemOf);
    return complain(question, found.find(Boolean));
  });
  const problem = problems.findLast(Boolean);
  entitle(step, problem);
  return Boolean(problem);
}

function problemOf(fieldset) {
  if (fieldset.querySelector("[data-refuses]:checked")) return "refused"; // no consent, no Send
  return ask("problem", fieldset) ?? (unanswered(fieldset).length ? "missing" : "");
}

/** Show one of the messages (all are in the page, translated), or none. */
function complain(within, problem) {
  for (const line of all("[data-problem]", within)) line.hidden = line.dataset.problem !== problem;
  const open = problem ? unanswered(within) : [];
  for (const field of all("input, textarea, select", within)) {
    field.setAttribute("aria-invalid", String(open.includes(field)));
  }
  open[0]?.focus();
  return problem;
}

function isMissing(step, answer) {
  const problem = complain(step, answer ? "" : "missing");
  entitle(step, problem);
  return Boolean(problem);
}

/** The fields that are open still; typed answers have no name. */
function unanswered(step) {
  const given = checked(step).map(({ name }) => name);
  const fields = all("input:not([type=search], [type=checkbox]), textarea, select", step);
  return fields.filter(({ name }) => !name || !given.includes(name));
}

// ---- Sending -------------------------------------------------------------------------------

/** Draw once. From here on the true answers are nowhere: what is kept is what is sent. */
function drawAndForget() {
  body = bodyOf(main.dataset.revision, all("fieldset[data-name]").map(read));
  const emptied = { checked: false, value: "" };
  for (const input of all("input, textarea, select")) Object.assign(input, emptied);
  for (const step of all("[data-step]:not([data-step=send])")) step.remove();
  tell("forget");
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
  send,
};

function press(event) {
  const button = event.target.closest("button[data-act]");
  if (!button) return;
  const { act } = button.dataset;
  if (acts[act]) acts[act](stepOf(button));
  else tell("press", act, stepOf(button), isMissing);
}

function onEnter(event) {
  if (event.key !== "Enter" || !event.target.matches("input")) return;
  event.preventDefault();
  stepOf(event.target).querySelector("[data-act=next], [data-act=check]").click();
}

/** Nothing can be pressed unless every file of the page came as it should. */
function begin() {
  main.addEventListener("click", press);
  main.addEventListener("keydown", onEnter);
  main.addEventListener("change", (event) => refresh(stepOf(event.target)));
  for (const list of all("select:empty")) {
    const { content } = list.closest("[data-slots]").querySelector("template");
    list.append(content.cloneNode(true));
  }
  for (const element of all("[data-without-script]")) element.hidden = true;
  for (const element of all("[data-needs-script]")) element.hidden = false;
}

if (isComplete(main.dataset.modules.split(" ").filter(Boolean))) begin();
