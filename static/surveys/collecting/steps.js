// The screens: one after the other in one document. Answers live in the inputs until they are sent.

import { receiptOf, refused } from "./replies.js";
import { all, ask, bodyOf, checked, main, post, read, registered, tell } from "./send.js";

const stepOf = (element) => element.closest("[data-step]");
const survey = document.title;
let body = null; // promised: drawn at the moment of sending, unchanged until a reply arrives
let isChanging = false; // one answer, from the list before Send
let isInside = false; // the browser's history: at the entry that Start made
let isReturning = false; // there, after Back

const questionsOf = (step) => all("[data-question]", step);
const isAsked = (question) => !ask("skips", question);
const isStart = (step) => step?.matches("[data-step=start]");
const isSend = (step) => step.matches("[data-step=send]");

/** The screens that are asked, and the one that is shown. */
function screens() {
  const hasQuestions = (step) => !questionsOf(step).length || questionsOf(step).some(isAsked);
  return all("[data-step]").filter((step) => !step.hidden || hasQuestions(step));
}

function show(step, changes = isChanging && !isSend(step)) {
  isChanging = changes;
  for (const other of all("[data-step]")) other.hidden = other !== step;
  refresh(step);
  for (const text of all("[data-when]", step))
    text.hidden = isChanging !== (text.dataset.when === "changing");
  list(isSend(step) ? screens().flatMap(questionsOf).filter(isAsked) : []);
  entitle(step);
  window.scrollTo(0, 0);
  step.querySelector("[tabindex='-1']").focus();
}

/** Only the questions of a screen are shown that are asked now. */
const refresh = (step) => questionsOf(step).forEach((one) => (one.hidden = !isAsked(one)));

/** The tab says where one is, and not what is asked there: browsers keep titles for long. */
function entitle(step, problem) {
  const name = step.querySelector(":scope > .where") ?? step.querySelector("h1");
  const place = isStart(step) ? [] : [name.firstChild.textContent.trim().replace(/\s+/g, " ")];
  document.title = (problem ? `${main.dataset.error} ` : "") + [...place, survey].join(" · ");
}

async function next(step) {
  if (hasProblem(step)) return;
  const problem = await ask("leave", step);
  if (complain(step, problem)) return;
  if (!isInside) {
    const { state: kept } = history; // of one entry alone
    history.replaceState(null, "", location.pathname); // until here a reload keeps the code
    history.pushState(kept, "");
  }
  isInside = true;
  const later = screens().slice(screens().indexOf(step) + 1);
  // After a change only what one is asked because of it comes before the list.
  show(later.find((other) => !isChanging || isSend(other) || isOpen(other)));
}

const before = (step) => screens().at(isChanging ? -1 : screens().indexOf(step) - 1);

/** To the screen before; the first one has its own entry in the browser's history. */
function back(step) {
  if (isInside && isStart(before(step))) history.back();
  else show(before(step));
}

/**
 * The browser's Back leads one screen back: to the entry of the first one, from which the page goes
 * forward again by itself. So its history has two entries for any answers, and says no more.
 */
function onHistory() {
  if (location.hash) return; // another link, opened in this tab
  if (main.dataset.reply) return history.back(); // from the receipt, or a refusal that stays
  const step = main.querySelector("[data-step]:not([hidden])");
  if (isStart(step)) return;
  isInside = body !== null || !isStart(before(step));
  if (isReturning || !isInside) {
    if (body === null) show(before(step));
    isReturning = false;
  } else {
    isReturning = true;
    history.forward();
  }
}

/** Say at each question of a screen what is wrong with its answer; the first gets the focus. */
function hasProblem(step) {
  const asked = questionsOf(step).filter(isAsked).reverse();
  const problem = asked.map((one) => complain(one, problemOf(one))).findLast(Boolean);
  entitle(step, problem);
  return Boolean(problem);
}

/** No consent, no Send; and no question without an answer. */
function problemOf(question) {
  const problem = (fieldset) =>
    ask("problem", fieldset) ?? (unanswered(fieldset).length ? "missing" : "");
  if (question.querySelector("[data-refuses]:checked")) return "refused";
  return all("fieldset[data-name], fieldset[data-unsent]", question).map(problem).find(Boolean);
}

const isOpen = (step) => questionsOf(step).some((one) => isAsked(one) && problemOf(one));

/** Show one of the messages (all are in the page, translated), or none. */
function complain(within, problem) {
  for (const line of all("[data-problem]", within)) line.hidden = line.dataset.problem !== problem;
  const open = problem ? unanswered(within) : [];
  for (const field of all("input, textarea, select", within))
    field.setAttribute("aria-invalid", String(open.includes(field)));
  entitle(stepOf(within), problem);
  open[0]?.focus();
  return problem;
}

/** The fields that are open still; typed answers have no name. */
function unanswered(step) {
  const given = checked(step).map(({ name }) => name);
  const fields = all("input:not([type=search], [type=checkbox]), textarea, select", step);
  return fields.filter(({ name }) => !name || !given.includes(name));
}

/** The answers in words: in the page as long as it shows the list, and nowhere else. */
function list(questions) {
  const rows = questions.filter((one) => one.querySelector("fieldset")).map((question) => {
    const row = document.querySelector("#answer").content.cloneNode(true);
    const button = row.querySelector("button");
    row.querySelector(".where").textContent = question.dataset.label;
    row.querySelector("b").textContent = question.querySelector("[tabindex='-1']").textContent;
    row.querySelector(".answer").textContent = wordsOf(question).join("\n");
    button.before(...all(".mark", question).map((mark) => mark.cloneNode(true)));
    button.ariaLabel = `${button.textContent} ${question.dataset.label}`;
    button.addEventListener("click", () => show(stepOf(question), true));
    return row;
  });
  main.querySelector("[data-answers]").replaceChildren(...rows);
}

/** Of several answers to one question, each with what was asked. */
function wordsOf(question) {
  const given = all("input:checked, select, textarea, [type=text], [type=date]", question);
  return given.filter(({ value }) => value.trim()).map((field) => {
    const legend = field.closest("fieldset").querySelector("legend");
    const name = legend.querySelector(".text, [tabindex='-1']") ?? legend;
    const [word] = field.selectedOptions ?? (field.checked ? field.labels : [field]);
    const answer = word.textContent.trim() || word.value;
    return name.matches("[tabindex='-1']") ? answer : `${name.textContent.trim()}: ${answer}`;
  });
}

/** The browser asks before a reload or a closed tab loses what was answered; nothing keeps it. */
const warn = (event) => main.dataset.reply ?? event.preventDefault();

/** An answer, "prefer not to say" and what else can be ticked in its place exclude each other. */
function exclude(target, whole) {
  for (const it of all("[data-declined]", whole)) if (it !== target) it.checked &&= !target.value;
  const isTicked = all("[data-declined]:checked", whole).length;
  for (const one of isTicked ? all("input:not([data-declined]), select", whole) : [])
    Object.assign(one, one.type === "checkbox" ? { checked: false } : { value: "" });
}

function onInput(event) {
  const question = event.target.closest("[data-question]");
  if (question) exclude(event.target, question);
  refresh(stepOf(event.target));
  if (question) addEventListener("beforeunload", warn);
}

/** Draw once. From here on the true answers are nowhere: what is kept is what is sent. */
function drawAndForget() {
  tell("drawing");
  const drawn = bodyOf(main.dataset.revision, all("fieldset[data-name]").map(read));
  for (const it of all("input, textarea, select")) Object.assign(it, { checked: false, value: "" });
  for (const step of all("[data-step]:not([data-step=send])")) step.remove();
  list([]);
  tell("forget");
  return drawn;
}

async function send(step) {
  const open = screens().find(isOpen);
  if (open) show(open, true);
  if (open && hasProblem(open)) return;
  body ??= drawAndForget();
  state(step, "sending");
  const { sent = await body, reply = await post(main.dataset.sendTo, sent) } =
    (await ask("again", await body, (now) => state(step, now))) ?? {};
  const receipt = await receiptOf(reply, sent);
  const now = receipt ? "received" : refused(reply, step);
  const isOver = now !== "lost" && !reply.again && reply.reply !== "work";
  if (isOver) main.dataset.reply = now; // from here on Back leaves the page, and loses nothing
  if (!receipt) return state(step, now);
  history.replaceState(null, "");
  document.title = receipt.dataset.title;
  main.replaceWith(receipt);
  receipt.querySelector("h1").focus();
  // Leave no receipt behind on a shared screen: a blank start takes its place in the history.
  receipt.querySelector("[data-clear]").onclick = () => Boolean(location.replace("."));
}

function state(step, now) {
  for (const part of all("[data-state]", step)) part.hidden = part.dataset.state !== now;
  entitle(step, now === "refused");
  step.querySelector(`[data-state=${now}] [tabindex='-1']`)?.focus();
}

function press(event) {
  const button = event.target.closest("button[data-act]");
  const act = { next, back, send }[button?.dataset.act];
  if (act) act(stepOf(button));
  else if (button) tell("press", button.dataset.act, stepOf(button), complain);
}

function onEnter(event) {
  if (event.key !== "Enter" || !event.target.matches("input")) return;
  event.preventDefault();
  stepOf(event.target).querySelector("[data-act=next], [data-act=check], [data-if=again]").click();
}

/** Nothing can be pressed unless every file of the page came as it should. */
function begin() {
  main.addEventListener("click", press);
  main.addEventListener("keydown", onEnter);
  main.addEventListener("input", onInput);
  addEventListener("popstate", onHistory);
  for (const one of all("[data-without-script], [data-needs-script]")) one.hidden = !one.hidden;
}

const needed = main.dataset.modules.split(" ").filter(Boolean);
if (needed.every((name) => registered.has(name))) begin();
