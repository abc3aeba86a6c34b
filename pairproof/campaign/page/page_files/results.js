// The results as CSV: one row a HIT, its slots as the campaign has them, whatever the order on the page.
const isNumber = (c) => /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(c);
// The same rule as in the package: a cell that a spreadsheet would run gets an apostrophe before it.
const guard = (c) => (/^'*[=+\-@\t\r]/.test(c) && !isNumber(c) ? "'" + c : c);
const quote = (c) => (/[",\r\n]/.test(c) ? '"' + c.replace(/"/g, '""') + '"' : c);

// HITs that go into the file: the complete ones, and with `parts` those answered in part.
const goesOut = (record, parts) => isComplete(record) || (parts && isBegun(record)) || record.saved;

function results(parts) {
  const numbers = Array.from({ length: data.perHit }, (_, k) => k + 1);
  // The token says whose page this is: a name can be changed in the file, by mistake too.
  const token = data.token ? [data.token] : [];
  const header = ["AssignmentId", "WorkerId", "AcceptTime", "SubmitTime", "WorkTimeInSeconds", "Input.campaign", "Input.batch", "Input.hit"]
    .concat(token.map(() => "Input.token"))
    .concat(numbers.map((k) => "Input.id" + k), numbers.map((k) => "Answer.range" + k), numbers.map((k) => "Answer.na" + k));
  const padded = (cells) => numbers.map((k) => (k <= cells.length ? cells[k - 1] : ""));
  const table = data.hits.map((h) => [h, recordOf(h)]).filter(([, r]) => goesOut(r, parts))
    .sort(([a], [b]) => a.number - b.number)
    .map(([h, r]) => [assignments() + "-" + h.number, annotator, r.begun, r.done, Math.round(r.spent / 1000), data.campaign, data.batch, h.number]
      .concat(token, padded(h.ids), padded(r.scores.map((s, i) => (r.cannot[i] || s === null ? "" : s))), padded(r.cannot.map((c) => (c ? "on" : "")))));
  return csvText(header, table.map((row) => row.map(String)));
}

// A last column says in which rows a cell was guarded, so that the apostrophe can be taken off again.
function csvText(header, table) {
  const safe = table.map((row) => row.map(guard));
  const changed = safe.map((row, k) => row.some((cell, j) => cell !== table[k][j]));
  const marked = changed.includes(true);
  const lines = marked ? [[...header, "guarded"], ...safe.map((row, k) => [...row, changed[k] ? "1" : ""])] : [header, ...safe];
  return lines.map((row) => row.map(quote).join(",")).join("\n") + "\n";
}

function fileName() {
  const who = (data.token || annotator).replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return "results-" + data.campaign + "-" + data.batch + (who ? "-" + who : "") + ".csv";
}

function download(text, name) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
