"use strict";
// Headings of sortable tables become buttons: by number where cells have data-value, else by text; what has no value stays last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], rows = Array.from(body.rows), heads = Array.from(table.tHead.rows[0].cells);
  const keyOf = (row, k) => {
    const cell = row.cells[k], value = cell.getAttribute("data-value"), text = cell.textContent.trim();
    return value !== null ? Number(value) : text === "" || text === "-" ? null : text;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  heads.forEach((head, k) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const keys = new Map(rows.map((row) => [row, keyOf(row, k)]));
      // The largest numbers first; names, and the first column with its ranks, the other way round.
      const numeric = k > 0 && rows.some((row) => typeof keys.get(row) === "number");
      const before = head.getAttribute("aria-sort");
      const up = before === null ? !numeric : before === "descending";
      const told = rows.filter((row) => keys.get(row) !== null), untold = rows.filter((row) => keys.get(row) === null);
      told.sort((a, b) => (up ? 1 : -1) * compare(keys.get(a), keys.get(b)));
      body.append(...told, ...untold);
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
    });
  });
}
