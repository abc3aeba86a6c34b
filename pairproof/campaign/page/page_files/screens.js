// The three screens: the start with the instructions, the work, and the end.
let at = 0;  // the HIT in sight, as a position in data.hits

const records = () => data.hits.map(recordOf);
const countOf = (test) => records().filter(test).length;

function showScreen(name) {
  for (const screen of ["start", "work", "end"]) byId(screen).hidden = screen !== name;
  byId("where").hidden = name === "start";
  byId("keyboard").hidden = name !== "work";
  // The instructions can be read again beside the work.
  if (name === "work") byId("again").append(byId("guide"));
  if (name === "start") byId("start").prepend(byId("guide"));
  say("");
  window.scrollTo(0, 0);
}

function onAnswer() {
  const done = countOf(isComplete);
  const place = [word("place", { page: at + 1, pages: data.hits.length }), word("answered", { done })].join(" · ");
  if (byId("place").textContent !== place) byId("place").textContent = place;
  byId("progress").max = data.hits.length;
  byId("progress").value = done;
  if (!kept.all && !kept.told && byId("message").textContent !== word("not_kept")) say("not_kept");
}

// ---- start ----

const nameNow = () => data.annotator || byId("worker").value.trim();

function showStart() {
  byId("worker").value = annotator;
  byId("worker").readOnly = data.annotator !== "";
  fill(byId("kept"), kept.all ? "kept" : "not_kept");
  kept.told = !kept.all;
  greet();
  showScreen("start");
}

// Whoever has begun already goes on.
function greet() {
  annotator = nameNow();
  fill(byId("begin"), annotator && countOf(isBegun) ? "continue" : "begin");
}

function begin() {
  annotator = nameNow();
  if (!annotator) {
    say("need_name");
    return byId("worker").focus();
  }
  put(keyOf("last"), annotator);
  const open = records().findIndex((r) => !isComplete(r) && !r.saved);
  goTo(open < 0 ? 0 : open);
}

// ---- work ----

function goTo(position) {
  at = position;
  showHit(data.hits[at]);
  const last = at === data.hits.length - 1;
  byId("back").disabled = at === 0;
  byId("next").hidden = last;
  byId("finish").classList.toggle("chief", last);
  showScreen("work");
  onAnswer();
  if (recordOf(hit).saved) {
    say("locked");
    byId(last ? "finish" : "next").focus({ preventScroll: true });
  } else focusOn(0);
  window.scrollTo(0, 0);
}

function onNext() {
  const record = recordOf(hit);
  const open = rows.findIndex((row) => !isAnswered(record, row.i));
  if (open >= 0 && !data.partial && !record.saved) {
    say("open_item", { item: open + 1 });
    rows[open].entry.classList.add("wanted");
    focusOn(open);
  } else if (at < data.hits.length - 1) goTo(at + 1);
  else showEnd();
}

// ---- end ----

function showEnd() {
  const parts = countOf((r) => isBegun(r) && !isComplete(r) && !r.saved);
  const pieces = [word("count", { done: countOf((r) => isComplete(r) || r.saved), pages: data.hits.length })];
  if (parts) pieces.push(word("count_parts", { parts }));
  byId("count").textContent = pieces.join(" ");
  byId("parts-label").hidden = !(data.partial && parts);
  byId("parts").checked = false;
  byId("code-box").hidden = true;
  byId("code").value = "";
  hit = null;
  showScreen("end");
  byId("end-title").focus({ preventScroll: true });
}

// The results, and from now on what is in them stays as it is.
function handOut() {
  const parts = byId("parts").checked;
  const out = data.hits.filter((h) => goesOut(recordOf(h), parts));
  if (!out.length) {
    say("nothing");
    return null;
  }
  const text = results(parts);
  out.forEach((h) => changeRecord(h, (r) => { r.saved = true; }));
  return { text, done: out.length, left: data.hits.length - out.length };
}

function report(pieces) {
  byId("message").textContent = pieces.join(" ");
}

function save() {
  const made = handOut();
  if (!made) return;
  download(made.text, fileName());
  const pieces = [word("saved", { done: made.done, pages: data.hits.length, file: fileName() }), word("saved_stay")];
  if (made.left) pieces.push(word("left", { left: made.left }));
  report(pieces);
}

async function showCode() {
  const made = handOut();
  if (!made) return;
  byId("code").value = await codeOf(made.text);
  byId("code-box").hidden = false;
  byId("code").focus();
  byId("code").select();
  const pieces = [word("saved_stay")];
  if (made.left) pieces.push(word("left", { left: made.left }));
  report(pieces);
}

async function copyCode() {
  byId("code").focus();
  byId("code").select();
  try {
    await navigator.clipboard.writeText(byId("code").value);
    say("code_copied");
  } catch (error) {
    say(document.execCommand("copy") ? "code_copied" : "code_copy_yourself");
  }
}

function otherPerson() {
  put(keyOf("last"), "");
  annotator = "";
  showStart();
  byId("worker").focus();
}

// ---- the page's fixed texts ----

function writeTexts() {
  document.querySelectorAll("[data-word]").forEach((element) => fill(element, element.dataset.word));
  byId("code").setAttribute("aria-label", word("code_label"));
  byId("progress").setAttribute("aria-label", word("progress"));
  const question = byId("question");
  if (data.question) question.replaceChildren(data.question);
  else fill(question, "ask");
  if (!data.lang && data.question) question.lang = "";
  const paragraphs = data.instructions.split(/\n\s*\n/).filter((p) => p.trim());
  byId("instructions").replaceChildren(...paragraphs.map((p) => shownText("p", "paragraph", p)));
  if (data.examples.length) {
    byId("examples").append(fill(make("h2"), "examples"), make("ol", "", ...data.examples.map(makeExample)));
  }
  byId("again").hidden = !paragraphs.length && !data.examples.length;
  if (data.anchors.length > 3) byId("items").before(makeLegend());
  writeKeys();
}

function makeExample({ text, score, why }) {
  const told = make("p", "told", fill(make("strong"), "example_score", { score }));
  if (why) told.append(" ", shownText("span", "why", why));
  return make("li", "", shownText("p", "text", text), told);
}

function writeKeys() {
  const keys = [[["↑", "↓"], "key_items"], [["←", "→"], "key_move"], [["Shift ←", "Shift →"], "key_ten"], [["Home", "End"], "key_ends"],
    [["0", "…", "9"], "key_digits"], [["N"], "key_cannot"], [["Delete"], "key_clear"], [["Enter"], "key_next"]];
  for (const [names, key] of keys) {
    const term = make("dt");
    names.forEach((name) => term.append(name === "…" ? " … " : make("kbd", "", name), " "));
    byId("keys").append(make("div", "", term, fill(make("dd"), key)));
  }
}

// The name in the page's file, else in its address (Prolific's own parameter first), else the last one given here.
function nameAtFirst() {
  const address = new URLSearchParams(location.search);
  if (data.annotator) return data.annotator;
  const given = address.get("PROLIFIC_PID") || address.get("name") || get(keyOf("last")) || "";
  return String(given).replace(/[\u0000-\u001f\u007f]/g, " ").trim();
}

byId("worker").addEventListener("input", greet);
byId("worker").addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) begin(); });
byId("begin").addEventListener("click", begin);
byId("back").addEventListener("click", () => goTo(at - 1));
byId("next").addEventListener("click", onNext);
byId("finish").addEventListener("click", showEnd);
byId("save").addEventListener("click", save);
byId("return").addEventListener("click", () => goTo(at));
byId("other").addEventListener("click", otherPerson);
byId("other").hidden = data.annotator !== "";
byId("code-show").addEventListener("click", showCode);
byId("code-copy").addEventListener("click", copyCode);
window.addEventListener("beforeunload", (event) => {
  if (!kept.all && annotator && countOf((r) => isBegun(r) && !r.saved)) event.preventDefault();
});
annotator = nameAtFirst();
writeTexts();
showStart();
