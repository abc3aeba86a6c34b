// The page's data, and its own words in the language that the team gave them.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

// A word with its places filled in; all at once, so that no place within a value is filled.
function word(key, values = {}) {
  return data.words[key].replace(/\{([a-z]+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}

// Shows a word in an element, and says where it is English on a page in another language.
function fill(element, key, values) {
  element.textContent = word(key, values);
  if (data.english.includes(key)) {
    element.lang = "en";
    element.dir = "auto";
  }
  return element;
}

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// A text of the team's: its own direction of writing, and no language where none was named.
function shownText(tag, className, text) {
  const element = make(tag, className, text);
  element.dir = "auto";
  if (!data.lang) element.lang = "";
  return element;
}

function say(key, values) {
  if (key) fill(byId("message"), key, values);
  else byId("message").textContent = "";
}
