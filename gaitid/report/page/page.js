"use strict";
(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const SIDES = ["left", "right"];
  const json = (id) => {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : {};
  };
  const cycles = json("gaitid-cycles");
  // A view that draws its first picture is no one asking for values.
  let asked = false;
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => { asked = true; }, true);

  function words(value, decimals) {
    return value.toFixed(decimals).replace("-", "\u2212");
  }

  function make(name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  // One section of curves: its buttons, and a cursor that all its panels share.
  function section(root) {
    const data = json(root.dataset.session + "-data");
    const panels = [...root.querySelectorAll(".panel")];
    const slider = root.querySelector(".cursor input");
    const shown = root.querySelector(".cursor output");
    const trials = root.dataset.trials.split(" ").filter((key) => key in cycles);
    let at = { left: null, right: null };

    function across(percent) {
      const { left, right } = data.shape;
      return left + (percent / 100) * (right - left);
    }

    function down(entry, value) {
      const [low, high] = entry.axis;
      const { top, bottom } = data.shape;
      return top + ((high - value) / (high - low)) * (bottom - top);
    }

    function draw(panel) {
      const entry = data.panels[panel.dataset.column];
      const cursors = panel.querySelector(".cursors");
      const readout = panel.querySelector(".readout");
      const together = at.left === at.right && at.left !== null;
      cursors.replaceChildren();
      readout.replaceChildren();
      if (at.left === null && at.right === null) return;
      if (together) cursors.append(line("cur", at.left));
      for (const side of SIDES) {
        const percent = at[side];
        if (percent === null || !entry[side]) continue;
        if (!together) cursors.append(line("cur " + side, percent));
        const value = entry[side].mean[percent];
        const text = document.createElement("span");
        text.className = side;
        text.textContent = side[0].toUpperCase() + " " + (value === null ? "\u2013" : words(value, entry.decimals));
        const sd = entry[side].sd && entry[side].sd[percent];
        if (sd !== undefined && sd !== null) text.textContent += " \u00b1 " + words(sd, entry.decimals);
        readout.append(text);
        if (value !== null) {
          const y = Math.min(Math.max(down(entry, value), data.shape.top), data.shape.bottom);
          cursors.append(make("circle", { class: "dot " + side, cx: across(percent), cy: y, r: 3.2 }));
        }
      }
      const percent = at.left === null ? at.right : at.left;
      if (entry.norm && together && entry.norm[0][percent] !== null) {
        const text = document.createElement("span");
        text.className = "norm";
        const sd = entry.norm[1][percent];
        text.textContent = "norm " + words(entry.norm[0][percent], entry.decimals) +
          (sd === null ? "" : " \u00b1 " + words(sd, entry.decimals));
        readout.append(text);
      }
    }

    function line(name, percent) {
      const { top, bottom } = data.shape;
      return make("path", { class: name, d: "M" + across(percent) + " " + top + "V" + bottom });
    }

    function show() {
      const none = at.left === null && at.right === null;
      root.classList.toggle("reading", !none);
      const percents = [at.left, at.right].filter((p) => p !== null);
      shown.textContent = none ? "\u2013" : [...new Set(percents)].map((p) => p + " %").join(" / ");
      slider.value = none ? 0 : percents[0];
      panels.forEach((panel) => { if (!panel.hidden) draw(panel); });
    }

    function tell(percent) {
      // The instant of the first cycle of the view's trial, for whoever shows a time.
      const key = root.dataset.trial || trials.find((one) => SIDES.some((side) => (cycles[one][side] || []).length));
      const trial = cycles[key] || {};
      const side = SIDES.find((one) => (trial[one] || []).length && !root.classList.contains("no-" + one));
      if (data.kind !== "cycle" || !side) return;
      const [, begin, end] = trial[side][0];
      const time = begin + ((end - begin) * percent) / 100;
      document.dispatchEvent(new CustomEvent("gaitid:time", { detail: { trial: key, time_s: time, from: "curves" } }));
    }

    function set(percent, quietly) {
      const value = percent === null ? null : Math.min(100, Math.max(0, Math.round(percent)));
      at = { left: value, right: value };
      show();
      if (value !== null && !quietly) tell(value);
    }

    document.addEventListener("gaitid:time", (event) => {
      const { trial, time_s: time, from } = event.detail || {};
      if (!asked || from === "curves" || !trials.includes(trial) || data.kind !== "cycle") return;
      root.dataset.trial = trial;
      for (const side of SIDES) {
        const found = (cycles[trial][side] || []).find((cycle) => time >= cycle[1] && time <= cycle[2]);
        at[side] = found ? Math.round((100 * (time - found[1])) / (found[2] - found[1])) : null;
      }
      show();
    });

    function percentAt(panel, event) {
      const box = panel.querySelector("svg").getBoundingClientRect();
      const width = panel.querySelector("svg").viewBox.baseVal.width;
      const x = ((event.clientX - box.left) / box.width) * width;
      return (100 * (x - data.shape.left)) / (data.shape.right - data.shape.left);
    }

    panels.forEach((panel) => {
      const svg = panel.querySelector("svg");
      svg.addEventListener("pointermove", (event) => set(percentAt(panel, event)));
      svg.addEventListener("pointerdown", (event) => set(percentAt(panel, event)));
      panel.addEventListener("focus", () => { if (at.left === null && at.right === null) set(0); });
      panel.addEventListener("keydown", (event) => {
        const now = at.left === null ? at.right || 0 : at.left;
        const step = event.shiftKey ? 10 : 1;
        const to = { ArrowLeft: now - step, ArrowRight: now + step, Home: 0, End: 100 }[event.key];
        if (event.key === "Escape") set(null);
        if (to === undefined) return;
        event.preventDefault();
        set(to);
      });
    });
    // The view in a corner of the window, so that it can be seen beside any panel.
    const pin = root.querySelector("[data-pin]");
    const view = root.closest("article").querySelector(".view");
    if (pin && view && view.querySelector("canvas")) {
      pin.hidden = false;
      pin.addEventListener("click", () => {
        view.style.minHeight = view.getBoundingClientRect().height + "px"; // the page does not jump
        const pinned = view.classList.toggle("pinned");
        pin.setAttribute("aria-pressed", String(pinned));
        if (!pinned) view.style.minHeight = "";
      });
    }
    slider.addEventListener("input", () => set(Number(slider.value)));
    root.querySelector("[data-clear]").addEventListener("click", () => set(null));

    function toggle(button) {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      const { toggle: kind, value } = button.dataset;
      if (kind === "side" || kind === "layer") root.classList.toggle("no-" + value, !on);
      else sort();
    }

    function off(kind) {
      const unpressed = root.querySelectorAll('[data-toggle="' + kind + '"][aria-pressed="false"]');
      return new Set([...unpressed].map((button) => button.dataset.value));
    }

    function sort() {
      const joints = off("joint");
      const groups = off("group");
      for (const group of root.querySelectorAll(".group")) {
        const inside = [...group.querySelectorAll(".panel")];
        for (const panel of inside) panel.hidden = joints.has(panel.dataset.joint);
        group.hidden = groups.has(group.dataset.group) || (inside.length > 0 && inside.every((panel) => panel.hidden));
      }
      show();
    }

    root.querySelectorAll("[data-toggle]").forEach((button) => button.addEventListener("click", () => toggle(button)));
    root.querySelector(".tools").hidden = false;
  }

  document.querySelectorAll(".curves[data-session]").forEach(section);

  document.querySelectorAll(".copy").forEach((button) => {
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch (error) {
        const range = document.createRange();
        range.selectNodeContents(text);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = "Selected: copy it with the keyboard";
      }
    });
  });
})();
