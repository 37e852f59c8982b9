"use strict";
(function () {
  // Values of all sessions at one percent, in every panel: by pointer, or by arrow keys on a panel.
  const root = document.querySelector(".compared-sessions");
  const element = document.getElementById("compared-data");
  if (!root || !element) return;
  const { shape, panels: data } = JSON.parse(element.textContent);
  const panels = [...root.querySelectorAll(".panel[data-key]")].filter((panel) => data[panel.dataset.key]);
  let at = null;

  function words(value, decimals) {
    return value === null || value === undefined ? "\u2013" : value.toFixed(decimals).replace("-", "\u2212");
  }

  function text(entry) {
    const values = entry.lines.map((line) => line.mean[at]);
    const told = entry.lines.map((line, i) => line.label + " " + words(values[i], entry.decimals));
    const known = values.length === 2 && values.every((value) => value !== null);
    const apart = known ? " (" + (values[1] >= values[0] ? "+" : "") +
      words(values[1] - values[0], entry.decimals) + ")" : "";
    return at + " %: " + told.join(", ") + apart;
  }

  function draw(panel) {
    panel.querySelector(".readout").textContent = at === null ? "" : text(data[panel.dataset.key]);
    for (const svg of panel.querySelectorAll("svg")) {
      let line = svg.querySelector(".cur");
      if (!line) {
        line = document.createElementNS("http://www.w3.org/2000/svg", "path");
        line.setAttribute("class", "cur");
        svg.append(line);
      }
      const x = shape.left + ((at || 0) / 100) * (shape.right - shape.left);
      line.setAttribute("d", at === null ? "" : "M" + x + " " + shape.top + "V" + shape.bottom);
    }
  }

  function set(percent) {
    at = percent === null ? null : Math.min(100, Math.max(0, Math.round(percent)));
    root.classList.toggle("reading", at !== null);
    panels.forEach(draw);
  }

  panels.forEach((panel) => {
    panel.querySelectorAll("svg").forEach((svg) => {
      const move = (event) => {
        const box = svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
        set((100 * (x - shape.left)) / (shape.right - shape.left));
      };
      svg.addEventListener("pointermove", move);
      svg.addEventListener("pointerdown", move);
    });
    panel.tabIndex = 0;
    panel.addEventListener("keydown", (event) => {
      const now = at === null ? 0 : at;
      const step = event.shiftKey ? 10 : 1;
      const to = { ArrowLeft: now - step, ArrowRight: now + step, Home: 0, End: 100 }[event.key];
      if (event.key === "Escape") set(null);
      if (to === undefined) return;
      event.preventDefault();
      set(to);
    });
  });
})();
