"use strict";
(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const LISTS = ["events", "contacts", "leave_out", "labels", "passes", "support"];
  const LEFT = 60, ROW = 84, END = 14;

  function make(parent, name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  // What YAML takes for a word stays one; all else is quoted as in JSON, which YAML reads.
  function scalar(value) {
    const word = /^[A-Za-z][A-Za-z0-9_-]*$/.test(value) && !/^(y|n|yes|no|true|false|null|on|off)$/i.test(value);
    return typeof value === "number" || word ? String(value) : JSON.stringify(value);
  }

  function edit(root) {
    const data = JSON.parse(document.getElementById(root.id + "-data").textContent);
    const stage = root.querySelector(".stage"), table = root.querySelector(".changes");
    const add = root.querySelector(".add"), save = root.querySelector(".save"), said = root.querySelector(".said");
    const most = Math.max(...data.sides.map((side) => data.events.filter((event) => event.side === side).length));
    const width = Math.max(1000, 26 * most);
    const reasons = new Map(), rowsKept = root.querySelectorAll(".kept tbody tr");
    const kept = data.kept.map((entry, i) => ({ entry, row: rowsKept[i], stays: true }));
    const events = data.events.map((event) => ({ ...event, at: event.frame, was: event.frame, gone: false }));
    const contacts = data.contacts.map((contact) => ({ ...contact, picked: 0, ways: ways(contact) }));
    const cycles = data.cycles.map((cycle) => ({ ...cycle, struck: cycle.out, from: near(cycle, "first"), to: near(cycle, "last") }));

    function tell(text) { said.textContent = text; }
    function across(frame) { return LEFT + ((frame - data.first) / Math.max(data.last - data.first, 1)) * (width - LEFT - END); }
    function whole(frame) { return Math.min(data.last, Math.max(data.first, Math.round(frame))); }
    function top(side) { return data.sides.indexOf(side) * ROW; }

    // The strike that a cycle begins or ends with: where it goes, the cycle goes.
    function near(cycle, end) {
      return events.find((event) => event.side === cycle.side && event.kind === "strike" && Math.abs(event.was - cycle[end]) < 2);
    }

    function spanOf(cycle) {
      return [cycle.from ? cycle.from.at : cycle.first, cycle.to ? cycle.to.at : cycle.last];
    }

    // What a contact may become, one click after the other; the first is what the run found.
    function ways(contact) {
      const frames = { first_frame: contact.first, last_frame: contact.last };
      const other = data.sides.find((side) => side !== contact.side);
      const on = (side, plates) => ({
        label: plates === "none" ? "no plate" : side === contact.side ? "plate " + plates : side + ", plate " + plates,
        words: side + " foot on " + (plates === "none" ? "no plate" : "plate " + plates),
        values: { side, plates, ...frames },
      });
      if (!contact.plates) return [{ label: "unknown" }, ...data.plates.map((plate) => on(contact.side, plate))];
      const given = other ? [on(other, contact.plates)] : [];
      return [{ label: "plate " + contact.plates }, ...given, on(contact.side, "none")];
    }

    // The view shows the instant that is worked on.
    function show(frame) {
      const detail = { trial: root.dataset.trial, time_s: (frame - data.first) * data.step_s, from: "corrections" };
      document.dispatchEvent(new CustomEvent("gaitid:time", { detail }));
    }

    // --- what is to be saved ---------------------------------------------------------------------------------

    function changes() {
      const found = [];
      events.forEach((event, i) => {
        const { side, kind } = event, key = "event " + i;
        const change = (doing, words, more) => {
          found.push({ key, list: "events", words: side + " " + kind + " " + words, values: { side, kind, do: doing, ...more } });
        };
        if (event.added) { if (!event.gone) change("add", "added, frame " + event.at, { frame: event.at }); return; }
        const was = whole(event.was);
        if (event.gone) change("remove", "removed, frame " + was, { frame: was });
        else if (event.at !== event.was) {
          change("move", "moved from frame " + was + " to " + event.at, { from: was, frame: event.at });
        }
      });
      contacts.forEach((contact, i) => {
        const { words, values } = contact.ways[contact.picked];
        if (contact.picked) found.push({ key: "contact " + i, list: "contacts", words, values });
      });
      cycles.filter((cycle) => cycle.struck && !cycle.out).forEach((cycle) => {
        const [first, last] = spanOf(cycle).map(whole), { side, number } = cycle;
        const values = { side, cycle: number, first_frame: first, last_frame: last };
        found.push({ key: "cycle " + side + number, list: "leave_out", words: side + " cycle " + number + " not used", values });
      });
      return found;
    }

    // Numbers of cycles follow from events: they are not known before the next run.
    function renumbered(side) {
      return events.some((event) => event.side === side && event.kind === "strike" && (event.added ? !event.gone : event.gone));
    }

    function list() {
      const rows = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.key, row]));
      const wanted = changes();
      for (const change of wanted) {
        const row = rows.get(change.key) || newRow(change);
        rows.delete(change.key);
        row.cells[0].textContent = change.words;
      }
      rows.forEach((row) => row.remove());
      table.hidden = !wanted.length;
      for (const of of kept) {
        of.row.classList.toggle("out", !of.stays);
        of.row.querySelector("button").textContent = of.stays ? "Take out" : "Keep";
      }
    }

    function newRow(change) {
      const row = table.tBodies[0].insertRow();
      row.dataset.key = change.key;
      for (let i = 0; i < 3; i += 1) row.insertCell();
      const undo = document.createElement("button");
      undo.type = "button";
      undo.textContent = "Undo";
      undo.addEventListener("click", () => back(change.key));
      row.cells[2].append(undo);
      const reason = document.createElement("input");
      reason.setAttribute("aria-label", "Reason: " + change.words);
      reason.required = true;
      reason.value = reasons.get(change.key) || "";
      reason.addEventListener("input", () => reasons.set(change.key, reason.value));
      row.cells[1].append(reason);
      return row;
    }

    function keep(of, stays) {
      of.stays = stays;
      const { list: from, side, cycle } = of.entry;
      const struck = from === "leave_out" && cycles.find((one) => one.side === side && one.number === cycle && one.out);
      if (struck) struck.struck = stays;
      draw();
    }

    function back(key) {
      const [what, of] = key.split(" ");
      if (what === "event") Object.assign(events[of], events[of].added ? { gone: true } : { at: events[of].was, gone: false });
      else if (what === "contact") contacts[of].picked = 0;
      else cycles.find((cycle) => cycle.side + cycle.number === of).struck = false;
      draw();
    }

    // --- the picture -----------------------------------------------------------------------------------------

    function move(event, frame) {
      event.at = whole(frame);
      event.gone = false;
      draw();
      show(event.at);
      tell(event.side + " " + event.kind + ": frame " + event.at);
    }

    function remove(event) {
      if (event.kind === "strike" && cycles.some((cycle) => cycle.side === event.side && cycle.struck)) {
        tell("Its cycles would get other numbers. Save the cycles that are struck out first, or undo them.");
        return;
      }
      event.gone = !event.gone;
      draw();
      tell(event.side + " " + event.kind + (event.gone ? ": taken out" : ": back"));
    }

    function pick(contact) {
      contact.picked = (contact.picked + 1) % contact.ways.length;
      draw();
      show(contact.first);
      tell(contact.side + " contact, frames " + contact.first + " to " + contact.last + ": " + contact.ways[contact.picked].label);
    }

    function strike(cycle) {
      if (cycle.out) {
        const of = kept.find(({ entry }) => entry.list === "leave_out" && entry.side === cycle.side && entry.cycle === cycle.number);
        if (of) keep(of, !of.stays);
        return;
      }
      if (!cycle.struck && renumbered(cycle.side)) {
        tell("Strikes were added or taken out: cycles get other numbers. Save, run again, and then strike out cycles.");
        return;
      }
      if (!cycle.struck && cycles.filter((one) => !one.struck).length < 2) {
        tell("One cycle has to stay. To drop the whole trial, leave it out of the command.");
        return;
      }
      cycle.struck = !cycle.struck;
      draw();
      tell(cycle.side + " cycle " + cycle.number + (cycle.struck ? ": not used" : ": used"));
    }

    function press(element, act) {
      element.addEventListener("click", act);
      element.addEventListener("keydown", (key) => {
        if (key.key !== "Enter" && key.key !== " ") return;
        key.preventDefault();
        act();
      });
    }

    function frameAt(pointer) {
      const box = stage.getBoundingClientRect();
      const x = ((pointer.clientX - box.left) / box.width) * width;
      return data.first + ((x - LEFT) / (width - LEFT - END)) * (data.last - data.first);
    }

    function addMark(event) {
      const down = event.kind === "strike";
      const mark = make(stage, "g", {
        class: event.side, role: "slider", tabindex: 0, "data-event": event.side + " " + event.kind,
        "aria-label": event.side + " " + event.kind, "aria-valuemin": data.first, "aria-valuemax": data.last,
      });
      make(mark, "path", { class: "hit", d: "M-9 -6h18v30h-18z" });
      make(mark, "path", { d: down ? "M-7 4H7L0 18z" : "M-7 18H7L0 4z" });
      event.text = make(mark, "text", { y: 0 });
      make(mark, "title", {}, event.side + " " + event.kind + (event.added ? ", added" : ", by " + event.source));
      event.mark = mark;
      mark.addEventListener("pointerdown", (pointer) => {
        mark.setPointerCapture(pointer.pointerId);
        const start = frameAt(pointer) - event.at;
        let moved = false;
        const drag = (at) => {
          if (!moved && Math.abs(frameAt(at) - start - event.at) < 0.5) return;
          moved = true;
          move(event, frameAt(at) - start);
        };
        const end = () => { mark.removeEventListener("pointermove", drag); };
        mark.addEventListener("pointermove", drag);
        for (const kind of ["pointerup", "pointercancel"]) mark.addEventListener(kind, end, { once: true });
      });
      mark.addEventListener("focus", () => show(event.at));
      mark.addEventListener("keydown", (key) => {
        const step = key.shiftKey ? 10 : 1;
        const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[key.key];
        if (by) move(event, Math.round(event.at) + by);
        else if (key.key === "Delete" || key.key === "Backspace") remove(event);
        else return;
        key.preventDefault();
      });
    }

    function build() {
      stage.setAttribute("viewBox", "0 0 " + width + " " + (ROW * data.sides.length + 18));
      stage.style.minWidth = 0.72 * width + "px";
      const step = Math.max(1, Math.round((data.last - data.first) / (width / 100) / 10) * 10);
      for (let frame = Math.ceil(data.first / step) * step; frame <= data.last; frame += step) {
        const x = across(frame);
        make(stage, "path", { class: "grid", d: "M" + x + " 0V" + ROW * data.sides.length });
        make(stage, "text", { class: "tx", x, y: ROW * data.sides.length + 14 }, frame);
      }
      data.sides.forEach((side) => make(make(stage, "g", { class: side }), "text", { class: "side", x: 0, y: top(side) + 44 }, side));
      const button = (side, name, rows) => {
        const group = make(stage, "g", { class: side + " " + name, role: "button", tabindex: 0 });
        make(group, "rect", { y: top(side) + rows, height: 20, rx: 3 });
        make(group, "text", { y: top(side) + rows + 14 });
        return group;
      };
      contacts.forEach((contact) => {
        contact.bar = button(contact.side, "contact", 34);
        press(contact.bar, () => pick(contact));
      });
      cycles.forEach((cycle) => {
        cycle.bar = button(cycle.side, "cycle", 58);
        make(cycle.bar, "path", { class: "strike" });
        press(cycle.bar, () => strike(cycle));
      });
      events.forEach(addMark);
    }

    function place(bar, first, last, words) {
      const x = across(Math.max(first, data.first)), end = across(Math.min(last, data.last));
      const [rect, text] = bar.children;
      rect.setAttribute("x", x);
      rect.setAttribute("width", Math.max(end - x, 3));
      text.setAttribute("x", (x + end) / 2);
      text.textContent = end - x > 7 * words.length ? words : "";
    }

    function draw() {
      events.forEach((event) => {
        event.mark.setAttribute("transform", "translate(" + across(event.at) + " " + (top(event.side) + 14) + ")");
        event.mark.classList.toggle("gone", event.gone);
        event.mark.classList.toggle("changed", event.gone || event.at !== event.was);
        event.mark.setAttribute("aria-valuenow", event.at);
        event.mark.setAttribute("aria-valuetext", "frame " + Math.round(event.at) + (event.gone ? ", taken out" : ""));
        event.mark.style.display = event.added && event.gone ? "none" : "";
        event.text.textContent = Math.round(event.at);
      });
      contacts.forEach((contact) => {
        const { label } = contact.ways[contact.picked];
        place(contact.bar, contact.first, contact.last, label);
        contact.bar.classList.toggle("unknown", label === "unknown" || label === "no plate");
        contact.bar.classList.toggle("changed", contact.picked > 0);
        const frames = ", frames " + contact.first + " to " + contact.last;
        contact.bar.setAttribute("aria-label", contact.side + " contact" + frames + ": " + label);
      });
      cycles.forEach((cycle) => {
        const [first, last] = spanOf(cycle);
        place(cycle.bar, first, last, "cycle " + cycle.number);
        const y = top(cycle.side) + 68;
        cycle.bar.querySelector(".strike").setAttribute("d", "M" + across(first) + " " + y + "H" + across(last));
        cycle.bar.setAttribute("aria-pressed", String(cycle.struck));
        cycle.bar.setAttribute("aria-label", cycle.side + " cycle " + cycle.number + ", struck out");
      });
      list();
    }

    // --- the file --------------------------------------------------------------------------------------------

    function text(author, date) {
      const of = { events: [], contacts: [], leave_out: [], labels: [], passes: [], support: [] };
      for (const { entry, stays } of kept) {
        const { list: name, ...values } = entry;
        if (stays && LISTS.includes(name)) of[name].push(values);
      }
      for (const { key, list: name, values } of changes()) of[name].push({ ...values, author, date, reason: reasons.get(key).trim() });
      const line = (values) => "- {" + Object.entries(values).map(([key, value]) => key + ": " + scalar(value)).join(", ") + "}";
      const lines = LISTS.filter((name) => of[name].length).flatMap((name) => [name + ":", ...of[name].map(line)]);
      const head = "# Corrections by hand of " + data.file.replace(/\s+/g, " ") + ": this file lies beside it.";
      return [head, "trial_sha256: " + scalar(data.sha256), ...lines, ""].join("\n");
    }

    add.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      const { side, kind, frame } = Object.fromEntries(new FormData(add));
      if (kind === "strike" && cycles.some((cycle) => cycle.side === side && cycle.struck)) {
        tell("Its cycles would get other numbers. Save the cycles that are struck out first, or undo them.");
        return;
      }
      const event = { side, kind, at: whole(Number(frame)), added: true, gone: false };
      event.was = event.at;
      events.push(event);
      addMark(event);
      draw();
      event.mark.focus();
      tell(side + " " + kind + " added, frame " + event.at);
    });

    save.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      const lacking = [...table.tBodies[0].querySelectorAll("input")].find((input) => !input.value.trim());
      if (lacking) {
        lacking.focus();
        tell("Every change needs a reason: one is lacking.");
        return;
      }
      if (!changes().length && kept.every((of) => of.stays)) {
        tell("Nothing was changed, and nothing is saved.");
        return;
      }
      const { author, date } = Object.fromEntries(new FormData(save));
      if (!author.trim()) {
        save.elements.author.focus();
        tell("Say who corrects: the author is lacking.");
        return;
      }
      if (!changes().length && !kept.some((of) => of.stays)) {
        tell("No correction is left: delete " + data.name + " beside " + data.file + ", and run again.");
        return;
      }
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text(author.trim(), date)], { type: "application/yaml" }));
      link.download = data.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      tell("Saved: " + data.name + ". Put it beside " + data.file + ", under this very name, and run gaitid again.");
    });

    const today = new Date();
    save.elements.date.value = new Date(today - today.getTimezoneOffset() * 60000).toISOString().slice(0, 10);
    for (const of of kept) {
      const button = of.row.querySelector("button");
      button.hidden = false;
      button.addEventListener("click", () => keep(of, !of.stays));
    }
    build();
    draw();
    root.querySelector(".editor").hidden = false;
  }

  document.querySelectorAll(".correct[id]").forEach(edit);
})();
