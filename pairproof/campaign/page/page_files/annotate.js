"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const size = Math.max(...data.hits.map((h) => h.length));
  const key = "pairproof " + data.campaign + " " + data.batch;
  let at = 0;

  // One answer a HIT: scores (null: not given yet), cannot-judge marks, times, and an id that makes it one judgment.
  const fresh = (hit) => ({ scores: hit.map(() => null), cannot: hit.map(() => false), begun: "", done: "", saved: false, id: newId() });
  let state = { worker: "", answers: data.hits.map(fresh) };
  try {
    const kept = JSON.parse(localStorage.getItem(key) || "null");
    if (kept && kept.answers && kept.answers.length === data.hits.length) state = kept;
  } catch (error) { /* A browser without storage: answers live as long as the page. */ }

  function newId() {
    const bytes = new Uint8Array(12);
    crypto.getRandomValues(bytes);
    return "page-" + Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  }
  function keep() {
    try { localStorage.setItem(key, JSON.stringify(state)); } catch (error) { /* as above */ }
  }
  const complete = (answer) => answer.scores.every((s, i) => s !== null || answer.cannot[i]);
  const answered = () => state.answers.filter(complete).length;

  function show() {
    const hit = data.hits[at], answer = state.answers[at];
    if (!answer.begun) answer.begun = new Date().toISOString();
    const list = byId("items");
    list.replaceChildren(...hit.map((item, i) => entry(item, i, answer)));
    byId("back").disabled = at === 0;
    byId("next").disabled = at === data.hits.length - 1;
    progress();
    if (answer.saved) say("This HIT is in a results file already and stays as it is.");
    focus(0);
  }
  function entry(item, i, answer) {
    const row = document.createElement("li");
    const shown = data.columns.length ? data.columns.map((name, k) => [name, item.cells[k]]) : [["id", item.id]];
    for (const [name, text] of shown) {
      const line = document.createElement("p");
      line.className = "text";
      line.dir = "auto";
      if (shown.length > 1) {
        const label = document.createElement("span");
        label.className = "name";
        label.textContent = name;
        line.append(label);
      }
      line.append(document.createTextNode(text));
      row.append(line);
    }
    const scale = document.createElement("div");
    scale.className = "scale";
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: 100, step: 1, value: answer.scores[i] === null ? 50 : answer.scores[i] });
    slider.setAttribute("aria-label", "score of item " + (i + 1) + ": " + shown.map((s) => s[1]).join(" "));
    const value = document.createElement("output");
    const label = document.createElement("label");
    const cannot = document.createElement("input");
    cannot.type = "checkbox";
    cannot.tabIndex = -1;
    label.append(cannot, " cannot judge");
    scale.append(slider, value, label);
    row.append(scale);
    const paint = () => {
      row.className = (answer.cannot[i] ? "cannot " : "") + (answer.scores[i] === null ? "untouched" : "");
      value.textContent = answer.cannot[i] ? "\u2013" : answer.scores[i] === null ? "?" : answer.scores[i];
      slider.setAttribute("aria-valuetext", answer.cannot[i] ? "cannot judge" : answer.scores[i] === null ? "not scored yet" : String(answer.scores[i]));
      cannot.checked = answer.cannot[i];
    };
    slider.disabled = cannot.disabled = answer.saved;
    const give = (score) => {
      answer.scores[i] = Math.min(100, Math.max(0, Math.round(score)));
      answer.cannot[i] = false;
      slider.value = answer.scores[i];
      changed();
    };
    const mark = (on) => { answer.cannot[i] = on; changed(); };
    const changed = () => { answer.done = complete(answer) ? new Date().toISOString() : ""; paint(); keep(); progress(); };
    // A click on the place where the knob stands changes no value, and is an answer all the same.
    slider.addEventListener("input", () => give(Number(slider.value)));
    slider.addEventListener("pointerup", () => give(Number(slider.value)));
    cannot.addEventListener("change", () => mark(cannot.checked));
    let typed = "", last = 0;
    slider.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) give(Number(slider.value) + step * (event.shiftKey ? 10 : 1));
      else if (event.key === "PageUp" || event.key === "PageDown") give(Number(slider.value) + (event.key === "PageUp" ? 10 : -10));
      else if (event.key === "Home" || event.key === "End") give(event.key === "Home" ? 0 : 100);
      else if (event.key === "ArrowUp" || event.key === "ArrowDown") focus(i + (event.key === "ArrowUp" ? -1 : 1));
      else if (/^[0-9]$/.test(event.key)) {
        typed = (Date.now() - last < 1500 ? typed : "") + event.key;
        if (Number(typed) > 100) typed = event.key;
        last = Date.now();
        give(Number(typed));
      } else if (event.key === "n" || event.key === "N") mark(!answer.cannot[i]);
      else if (event.key === "Enter") forward();
      else return;
      event.preventDefault();
    });
    paint();
    return row;
  }
  function focus(i) {
    const sliders = byId("items").querySelectorAll("input[type=range]");
    if (sliders[i]) sliders[i].focus();
  }
  function progress() {
    byId("place").textContent = "HIT " + (at + 1) + " of " + data.hits.length + ", " + answered() + " answered";
    byId("progress").max = data.hits.length;
    byId("progress").value = answered();
  }
  function say(text) { byId("message").textContent = text; }
  function forward() {
    const open = state.answers[at].scores.findIndex((s, i) => s === null && !state.answers[at].cannot[i]);
    if (open >= 0) {
      say("Item " + (open + 1) + " has no score yet; give one, or mark it \u201ccannot judge\u201d.");
      focus(open);
    } else if (at < data.hits.length - 1) {
      at += 1;
      say("");
      show();
    } else {
      say("This was the last one: save the results.");
      byId("save").focus();
    }
  }

  // The same rule as in the package: a cell that a spreadsheet would run gets an apostrophe before it.
  const isNumber = (c) => /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(c);
  const guard = (c) => (/^'*[=+\-@\t\r]/.test(c) && !isNumber(c) ? "'" + c : c);
  const quote = (c) => (/[",\r\n]/.test(c) ? '"' + c.replace(/"/g, '""') + '"' : c);
  function results() {
    const numbers = Array.from({ length: size }, (_, i) => i + 1);
    const header = ["AssignmentId", "WorkerId", "AcceptTime", "SubmitTime", "WorkTimeInSeconds", "Input.campaign", "Input.batch", "Input.hit"]
      .concat(numbers.map((i) => "Input.id" + i), numbers.map((i) => "Answer.range" + i), numbers.map((i) => "Answer.na" + i));
    const rows = [header];
    data.hits.forEach((hit, h) => {
      const a = state.answers[h];
      if (!complete(a)) return;
      const seconds = a.begun && a.done ? Math.max(0, Math.round((new Date(a.done) - new Date(a.begun)) / 1000)) : "";
      rows.push([a.id, state.worker, a.begun, a.done, seconds, data.campaign, data.batch, h + 1]
        .concat(hit.map((x) => x.id), a.scores.map((s, i) => (a.cannot[i] || s === null ? "" : s)), a.cannot.map((c) => (c ? "on" : ""))));
    });
    return rows.map((r) => r.map((c) => quote(guard(String(c)))).join(",")).join("\n") + "\n";
  }
  function save() {
    if (!answered()) return say("Nothing is answered completely yet; there is nothing to save.");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([results()], { type: "text/csv;charset=utf-8" }));
    const who = state.worker.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
    link.download = "results-" + data.campaign + "-" + data.batch + (who ? "-" + who : "") + ".csv";
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    // What is in a file stays: the same judgment with another answer would be refused later.
    state.answers.forEach((a) => { if (complete(a)) a.saved = true; });
    keep();
    show();
    const left = data.hits.length - answered();
    say("Saved " + answered() + " of " + data.hits.length + " HITs as " + link.download +
      (left ? "; " + left + " are not complete and are not in it. Save again later: what is in both files counts once." : "."));
  }
  byId("worker").value = state.worker;
  byId("worker").addEventListener("input", (event) => { state.worker = event.target.value.trim(); keep(); });
  byId("over").addEventListener("click", () => {
    const unsaved = state.answers.filter((a) => complete(a) && !a.saved).length;
    if (unsaved && !confirm(unsaved + " answered HITs are not saved and would be lost. Start over all the same?")) return;
    state = { worker: "", answers: data.hits.map(fresh) };
    at = 0;
    byId("worker").value = "";
    keep();
    say("");
    show();
  });
  byId("back").addEventListener("click", () => { at -= 1; say(""); show(); });
  byId("next").addEventListener("click", forward);
  byId("save").addEventListener("click", save);
  show();
})();
