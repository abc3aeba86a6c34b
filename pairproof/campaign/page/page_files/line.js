// The line on which one score is given.  It has no knob until it is touched, so that nothing suggests a score.
function makeLine(give) {
  const slider = make("input");
  Object.assign(slider, { type: "range", min: 0, max: 100, step: 1, value: 50 });
  let pressed = null;  // the score before the pointer came down
  slider.addEventListener("pointerdown", (event) => {
    if (event.button === 0) pressed = { score: slider.dataset.score };
  });
  slider.addEventListener("input", () => give(Number(slider.value)));
  // A click on the place where the value stands already changes nothing, and is an answer all the same.
  slider.addEventListener("pointerup", () => {
    if (pressed) give(Number(slider.value));
    pressed = null;
  });
  // A finger that scrolls the page begins on a line as if it meant it.
  slider.addEventListener("pointercancel", () => {
    if (pressed) give(pressed.score === "" ? null : Number(pressed.score));
    pressed = null;
  });
  return slider;
}

// Labels under their places on the line.  Each gets the room up to half way to its neighbours.
function makeMarks() {
  const anchors = data.anchors.length ? data.anchors : [[0, ""], [100, ""]];
  const marks = make("div", data.anchors.length > 3 ? "marks many" : "marks");
  anchors.forEach(([value, label], k) => {
    const before = k > 0 ? (value - anchors[k - 1][0]) / 2 : value;
    const after = k < anchors.length - 1 ? (anchors[k + 1][0] - value) / 2 : 100 - value;
    const half = Math.min(before, after);
    const edge = value === 0 ? "first" : value === 100 ? "last" : "";
    const [from, wide] = edge === "first" ? [0, after] : edge === "last" ? [100 - before, before] : [value - half, 2 * half];
    const mark = make("div", "mark " + edge, make("span", "value", String(value)));
    if (label) mark.append(" ", shownText("span", "label", label));
    mark.style.setProperty("--from", from + "%");
    mark.style.setProperty("--wide", wide + "%");
    marks.append(mark);
  });
  return marks;
}

// Where there is no room for the labels of many anchors under every line, they stand once above all lines.
function makeLegend() {
  const legend = make("dl", "legend");
  data.anchors.forEach(([value, label]) => {
    legend.append(make("div", "", make("dt", "", String(value)), shownText("dd", "", label)));
  });
  return legend;
}

function anchorAt(score) {
  const found = data.anchors.find(([value]) => value === score);
  return found ? found[1] : "";
}
