// What was answered, one record a HIT, kept by campaign, batch and annotator.
// Every change reads the record first, so that a second tab of the same page erases nothing.
const memory = new Map();  // what the browser does not keep: everything in one without storage
// A page that was opened from a file waits a tenth of a second first: Chromium 156 gives one that asks in its first
// milliseconds an empty storage, for as long as it is open, in one load of five (seen; after 10 ms in none of 110).
const storage = (() => {
  const opened = performance.now();
  while (location.protocol === "file:" && performance.now() - opened < 100);
  try {
    const probe = "pairproof probe";
    localStorage.setItem(probe, "1");
    localStorage.removeItem(probe);
    return localStorage;
  } catch (error) {
    return null;
  }
})();
const kept = { all: storage !== null, told: storage === null };  // whether everything so far is kept, and the annotator knows
let annotator = "";

const keyOf = (...rest) => JSON.stringify(["pairproof page", data.campaign, data.batch, ...rest]);

function get(key) {
  try {
    return JSON.parse(memory.has(key) ? memory.get(key) : storage.getItem(key));
  } catch (error) {
    return null;  // nothing there, or not ours
  }
}

function put(key, value) {
  try {
    storage.setItem(key, JSON.stringify(value));
    memory.delete(key);
  } catch (error) {
    memory.set(key, JSON.stringify(value));
    kept.all = false;  // no storage, or a full one
  }
}

// The beginning of this annotator's AssignmentIds: random, made once.
function assignments() {
  const key = keyOf(annotator, "id");
  const known = get(key);
  if (typeof known === "string" && /^page-[0-9a-f]{24}$/.test(known)) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const made = "page-" + Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  put(key, made);
  return made;
}

const hitKey = (hit) => keyOf(annotator, hit.number);

// begun, done: times in ISO 8601; spent: milliseconds for which the HIT was in sight.
function fresh(hit) {
  return { scores: hit.slots.map(() => null), cannot: hit.slots.map(() => false), begun: "", done: "", spent: 0, saved: false };
}

function isRecord(found, hit) {
  const n = hit.slots.length;
  return found !== null && typeof found === "object" && Array.isArray(found.scores) && Array.isArray(found.cannot) &&
    found.scores.length === n && found.cannot.length === n &&
    found.scores.every((s) => s === null || (Number.isInteger(s) && s >= 0 && s <= 100)) &&
    found.cannot.every((c) => typeof c === "boolean") &&
    typeof found.begun === "string" && typeof found.done === "string" &&
    Number.isFinite(found.spent) && typeof found.saved === "boolean";
}

function recordOf(hit) {
  const found = get(hitKey(hit));
  return isRecord(found, hit) ? found : fresh(hit);
}

// What is in a results file stays: the same judgment with another answer would be refused later.
function changeRecord(hit, change) {
  const record = recordOf(hit);
  if (!record.saved) {
    change(record);
    put(hitKey(hit), record);
  }
  return record;
}

const isAnswered = (record, i) => record.scores[i] !== null || record.cannot[i];
const isComplete = (record) => record.scores.every((s, i) => isAnswered(record, i));
const isBegun = (record) => record.scores.some((s, i) => isAnswered(record, i));
