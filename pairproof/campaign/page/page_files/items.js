// The items of one HIT: their texts, lines, and the keyboard.
let hit = null;         // the HIT in sight
let rows = [];          // its entries, in the order in which they stand
let inSight = 0;        // since when, by the clock that never goes back; 0: the page is hidden
let waited = 0;         // milliseconds in sight that its record does not have yet
let typed = "", typedAt = 0;

// Zeros of the scripts' decimal digits, each followed by its 1 to 9.
const ZEROS = [0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
  0x1040, 0x17e0, 0x1810, 0xff10];
function digitOf(key) {
  const code = key.length === 1 ? key.charCodeAt(0) : -1;
  const zero = ZEROS.find((z) => code >= z && code <= z + 9);
  return zero === undefined ? "" : String(code - zero);
}

// The time since the last look.
function look() {
  const now = performance.now();
  if (inSight) waited += now - inSight;
  inSight = document.hidden ? 0 : now;
}

// Adds it to the HIT's.  A record is written with an answer, and by the page in sight when it ends, and at no other
// time: what a tab behind it writes may lack the last answer given in front, of which it has not heard yet.
function spend(record) {
  look();
  record.spent += waited;
  waited = 0;
}

function answer(i, change) {
  const record = changeRecord(hit, (r) => {
    change(r);
    spend(r);
    r.done = isBegun(r) ? new Date().toISOString() : "";
  });
  paint(record);
  onAnswer();
}
const give = (i, score) => answer(i, (r) => {
  r.scores[i] = score === null ? null : Math.min(100, Math.max(0, Math.round(score)));
  r.cannot[i] = false;
});
const mark = (i, on) => answer(i, (r) => { r.cannot[i] = on; });

function showHit(next) {
  hit = next;
  inSight = document.hidden ? 0 : performance.now();
  waited = 0;
  const known = recordOf(hit);
  const record = known.begun ? known : changeRecord(hit, (r) => { r.begun = new Date().toISOString(); });
  rows = hit.order.map((i, position) => makeRow(i, position));
  byId("items").replaceChildren(...rows.map((row) => row.entry));
  paint(record);
}

function makeRow(i, position) {
  const slot = hit.slots[i], numbers = { item: position + 1, items: hit.slots.length };
  const about = "about-" + position;
  const text = make("div", "about", shownText("p", "text", slot.text));
  text.id = about;
  slot.shown.forEach((cell, k) => {
    text.append(make("div", "further", make("p", "name", data.show[k]), shownText("p", "cell", cell)));
  });
  const slider = makeLine((score) => give(i, score));
  slider.setAttribute("aria-label", word("score_name", numbers));
  slider.setAttribute("aria-describedby", about);
  const box = make("input");
  box.type = "checkbox";
  box.addEventListener("change", () => mark(i, box.checked));
  const value = make("span", "score");
  value.setAttribute("aria-hidden", "true");  // the line says its value itself
  const choice = make("label", "choice", box, fill(make("span"), "cannot"), make("span", "unseen", " ", fill(make("span"), "item_number", numbers)));
  const clear = make("button", "plain", fill(make("span"), "clear"), make("span", "unseen", " ", fill(make("span"), "item_number", numbers)));
  clear.type = "button";
  clear.addEventListener("click", () => { give(i, null); slider.focus(); });
  const under = data.partial ? make("div", "under", value, clear, choice) : make("div", "under", value, choice);
  const entry = make("li", "", make("div", "number", String(position + 1)), text, make("div", "line", slider, makeMarks()), under);
  entry.addEventListener("keydown", (event) => onKey(event, i, position));
  slider.addEventListener("blur", () => { typed = ""; });
  return { entry, slider, box, value, clear, i };
}

function paint(record) {
  rows.forEach(({ entry, slider, box, value, clear, i }) => {
    const score = record.scores[i], cannot = record.cannot[i];
    entry.className = (cannot ? "cannot" : score === null ? "untouched" : "scored") + (record.saved ? " locked" : "");
    slider.value = score === null ? 50 : score;
    slider.dataset.score = score === null ? "" : score;
    if (cannot) value.textContent = "–";
    else if (score === null) fill(value, "no_score");
    else value.textContent = score;
    const label = anchorAt(score);
    slider.setAttribute("aria-valuetext", cannot ? word("cannot") : score === null ? word("no_score") : label ? score + ", " + label : String(score));
    box.checked = cannot;
    slider.disabled = box.disabled = clear.disabled = record.saved;
    clear.hidden = record.saved || (score === null && !cannot);
  });
}

function focusOn(position) {
  if (!rows[position]) return;
  rows[position].slider.focus({ preventScroll: true });
  rows[position].entry.scrollIntoView({ block: "nearest" });
}

// The line's end towards which an arrow points depends on the direction of the page.
function onKey(event, i, position) {
  if (event.ctrlKey || event.altKey || event.metaKey || recordOf(hit).saved) return;
  const row = rows[position], onLine = event.target === row.slider;
  if (!onLine && event.target !== row.box) return;
  const now = Number(row.slider.value), rising = document.documentElement.dir === "rtl" ? -1 : 1;
  const step = { ArrowLeft: -rising, ArrowRight: rising }[event.key];
  const digit = digitOf(event.key);
  if (step && onLine) give(i, now + step * (event.shiftKey ? 10 : 1));
  else if (onLine && (event.key === "PageUp" || event.key === "PageDown")) give(i, now + (event.key === "PageUp" ? 10 : -10));
  else if (onLine && (event.key === "Home" || event.key === "End")) give(i, event.key === "Home" ? 0 : 100);
  else if (event.key === "ArrowUp" || event.key === "ArrowDown") focusOn(position + (event.key === "ArrowUp" ? -1 : 1));
  else if (digit) type(row, digit, event.timeStamp);
  else if (event.key === "Backspace" || event.key === "Delete") give(i, null);
  // The physical key too, for keyboards without Latin letters.
  else if (event.key === "n" || event.key === "N" || (event.code === "KeyN" && event.key > "\u007f")) mark(i, !row.box.checked);
  else if (event.key === "Enter") onNext();
  else return;
  if (!digit) typed = "";
  event.preventDefault();
}

// Digits that follow each other within a second and a half are one number.
function type(row, digit, now) {
  typed = (now - typedAt < 1500 ? typed : "") + digit;
  if (Number(typed) > 100) typed = digit;
  typedAt = now;
  row.slider.focus();
  give(row.i, Number(typed));
}

document.addEventListener("visibilitychange", () => {
  if (!hit) return;
  look();
  if (!document.hidden) paint(recordOf(hit));
});
window.addEventListener("pagehide", () => { if (hit && !document.hidden) changeRecord(hit, spend); });
// The same page in another tab.
window.addEventListener("storage", (event) => {
  if (hit && (event.key === null || event.key === hitKey(hit))) paint(recordOf(hit));
  if (hit) onAnswer();
});
