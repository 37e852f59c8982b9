/* The player: one view, its controls, and its part in `gaitid:time`, by which the parts of a page keep in step. */
(function () {
  "use strict";
  const scene = window.gaitidScene;
  const DEGREE = Math.PI / 180;
  // azimuth and elevation; seen from above the screen's top is where the body faces
  const VIEWS = { free: [-40, 14], front: [0, 6], left: [90, 6], right: [-90, 6], top: [180, 89.5] };
  const COLOURS = ["ink", "muted", "grid", "back", "left", "right", "mid", "stick", "x", "y", "z", "doubt"];
  const VERDICTS = ["known", "doubtful", "unknown", "unclaimed"];
  const WALKS = 1; // m: a body that goes farther is followed
  const NAME = "scene";

  class Player {
    constructor(section) {
      this.section = section;
      this.find = (name) => section.querySelector(`.gs-${name}`);
      this.canvas = this.find("canvas");
      this.strip = this.find("strip");
      this.slider = this.find("slider");
      this.painter = new scene.ForcePainter(this.canvas);
      this.camera = new scene.Camera();
      this.texts = new Map();
      for (const script of section.querySelectorAll("script.gs-trial")) {
        const data = JSON.parse(script.textContent);
        this.texts.set(data.key, data);
      }
      this.trials = new Map();
      this.shown = new Set();
      for (const button of section.querySelectorAll("[data-toggle]"))
        if (button.getAttribute("aria-pressed") === "true") this.shown.add(button.dataset.toggle);
      this.speed = 1;
      this.playing = false;
      this.waiting = false;
      this.onScreen = true;
      this.colours = {};
      this.listen();
      this.readColours();
      this.choose([...this.texts.keys()][0]);
      this.sent = Math.round(this.time); // nobody chose this moment: the page is not told of it
    }

    // --- trial and time ---------------------------------------------------------------------------------

    choose(key) {
      if (!this.texts.has(key)) return;
      if (!this.trials.has(key)) this.trials.set(key, new scene.Trial(this.texts.get(key)));
      this.trial = this.trials.get(key);
      this.time = this.trial.still;
      this.sent = null;
      const pick = this.find("trials");
      if (pick) pick.value = key;
      this.slider.max = this.trial.n - 1;
      const { path } = this.trial;
      const [a, b] = [path[0], path[path.length - 1]];
      if (!this.ownFollow) this.toggle("follow", Math.hypot(a[0] - b[0], a[1] - b[1]) > WALKS);
      if (this.viewName) this.fit();
      else this.view("free");
      this.words();
      this.changed();
    }

    /** Go to a time, in pictures. */
    go(time, quietly = false) {
      this.time = Math.max(0, Math.min(this.trial.n - 1, time));
      if (quietly) this.sent = Math.round(this.time);
      this.changed();
    }

    play(on) {
      this.playing = on;
      const button = this.find("play");
      button.textContent = on ? "Stop" : "Play";
      button.setAttribute("aria-pressed", on);
      this.last = null;
      if (on && this.time >= this.trial.n - 1) this.time = 0;
      this.changed();
    }

    tell() {
      const at = Math.round(this.time);
      if (at === this.sent) return;
      this.sent = at;
      const detail = { trial: this.trial.key, time_s: this.trial.seconds(this.time), from: NAME };
      document.dispatchEvent(new CustomEvent("gaitid:time", { detail }));
    }

    // --- the view ---------------------------------------------------------------------------------------

    view(name) {
      this.viewName = name;
      const [azimuth, elevation] = VIEWS[name];
      this.camera.azimuth = azimuth * DEGREE;
      this.camera.elevation = elevation * DEGREE;
      this.fit();
      for (const button of this.section.querySelectorAll("[data-view]"))
        button.setAttribute("aria-pressed", button.dataset.view === name);
      this.changed();
    }

    /** As near as all that is to be seen lets it: the body where that is followed, else the whole way. */
    fit() {
      const { camera } = this;
      const { low, high } = this.trial.box;
      let [from, to] = [low, high];
      if (this.shown.has("follow")) {
        const at = this.trial.path[Math.round(this.time)];
        from = [at[0] - 0.65, at[1] - 0.45, Math.min(0, low[2])];
        to = [at[0] + 0.65, at[1] + 0.45, high[2]];
      }
      camera.target = [0, 1, 2].map((c) => (from[c] + to[c]) / 2);
      const corners = [];
      for (const x of [from[0], to[0]])
        for (const y of [from[1], to[1]]) for (const z of [from[2] - 0.05, to[2] + 0.1]) corners.push([x, y, z]);
      const [width, height] = this.size();
      const inside = (p) => p && p.x > 12 && p.x < width - 12 && p.y > 8 && p.y < height - 8;
      let [near, far] = [0.8, 60];
      for (let i = 0; i < 24; i++) {
        camera.distance = (near + far) / 2;
        camera.prepare(width, height);
        if (corners.every((corner) => inside(camera.project(corner)))) far = camera.distance;
        else near = camera.distance;
      }
      camera.distance = far;
    }

    turn(azimuth, elevation) {
      this.camera.azimuth += azimuth;
      const most = 89.5 * DEGREE;
      this.camera.elevation = Math.max(-4 * DEGREE, Math.min(most, this.camera.elevation + elevation));
      for (const button of this.section.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", false);
      this.changed();
    }

    zoom(times) {
      this.camera.distance = Math.max(0.6, Math.min(60, this.camera.distance * times));
      this.changed();
    }

    toggle(name, on = !this.shown.has(name)) {
      if (on) this.shown.add(name);
      else this.shown.delete(name);
      const button = this.section.querySelector(`[data-toggle="${name}"]`);
      if (button) button.setAttribute("aria-pressed", on);
      this.changed();
    }

    /** What the user says of following holds for all trials. */
    refollow() {
      this.ownFollow = true;
      this.fit();
    }

    // --- drawing ----------------------------------------------------------------------------------------

    changed() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame((now) => {
        this.waiting = false;
        this.step(now);
      });
    }

    step(now) {
      if (this.playing) {
        const passed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
        this.last = now;
        this.time += (passed * this.speed * this.trial.rate) / this.trial.step;
        if (this.time > this.trial.n - 1) this.time = 0;
      }
      this.tell();
      this.draw();
      if (this.playing) this.changed();
    }

    size() {
      return [Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight)];
    }

    sharp(canvas) {
      const ratio = Math.min(3, window.devicePixelRatio || 1);
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
      return [width, height];
    }

    draw() {
      if (!this.onScreen && !this.printing) return;
      const [width, height] = this.sharp(this.canvas);
      if (!width || !height) return;
      if (this.shown.has("follow")) {
        const at = this.trial.path[Math.round(this.time)];
        const { low, high } = this.trial.box;
        this.camera.target = [at[0], at[1], (Math.min(0, low[2]) + high[2]) / 2];
      }
      const time = this.playing ? this.time : Math.round(this.time);
      this.painter.draw(this.trial, time, this.camera, this.shown, this.colours, width, height);
      this.drawStrip();
      this.readOut();
    }

    readOut() {
      const { trial } = this;
      const at = Math.round(this.time);
      const seconds = trial.seconds(at).toFixed(2);
      this.slider.value = at;
      const near = trial.events.filter((event) => Math.abs(event.t - trial.seconds(at)) < 0.04);
      const events = near.map((event) => `${event.side} ${event.kind}`).join(", ");
      const words = `frame ${trial.frame(at)} · ${seconds} s${events ? ` · ${events}` : ""}`;
      this.find("time").textContent = words;
      this.slider.setAttribute("aria-valuetext", words);
      const doubts = trial.tracks.filter((track) => track.off[at]).map((track) => `${track.label} is off its place`);
      const denied = trial.recordedOf.filter((_, i) => trial.recorded.isKnown(i, at)).map((index) => trial.tracks[index].label);
      if (denied.length) doubts.push(`${denied.join(" and ")}: recorded here (×), not believed`);
      const facts = trial.contactsAt(at).map((contact) => trial.says(contact, at));
      const faults = trial.plates.filter((plate) => plate.fault).map((plate) => `plate ${plate.number} is not used: ${plate.fault}`);
      const loose = trial.plates.filter((plate) => trial.verdictOf(plate, at) === "unclaimed");
      facts.push(...loose.map((plate) => `plate ${plate.number} is loaded, and no foot is known to be on it`));
      this.find("say").textContent = [...doubts, ...facts, ...faults].join(" · ") || (trial.feet.length ? "No foot on the ground here." : "");
    }

    /** When each foot is on the ground, and the events, over the slider. */
    drawStrip() {
      const [width, height] = this.sharp(this.strip);
      const context = this.strip.getContext("2d");
      const { trial, colours } = this;
      const inset = 8;
      const x = (time) => inset + ((width - 2 * inset) * time) / Math.max(1, trial.n - 1);
      context.clearRect(0, 0, width, height);
      const row = height / 2;
      context.font = `${Math.max(10, row * 0.72)}px system-ui, sans-serif`;
      context.textBaseline = "middle";
      for (const contact of trial.contacts) {
        const top = contact.side === "right" ? row + 1 : 1;
        const [a, b] = [x(Math.max(0, contact.first)), x(Math.min(trial.n - 1, contact.last))];
        if (b < a) continue;
        const colour = colours[contact.side] || colours.mid;
        context.lineWidth = 1.5;
        context.strokeStyle = contact.verdict === "unknown" ? colours.muted : colour;
        context.setLineDash(contact.verdict === "unknown" ? [3, 3] : []);
        context.strokeRect(a, top + 1, b - a, row - 4);
        context.setLineDash([]);
        if (contact.verdict !== "unknown") {
          context.globalAlpha = 0.35;
          context.fillStyle = colour;
          context.fillRect(a, top + 1, b - a, row - 4);
          context.globalAlpha = 1;
        }
        const words = contact.verdict === "unknown" ? "?" : contact.plates.join("+");
        if (b - a > 16) {
          context.fillStyle = colours.ink;
          context.textAlign = "center";
          context.fillText(words, (a + b) / 2, top + row / 2 - 0.5);
        }
      }
      for (const event of trial.events) {
        const at = x(trial.picture(event.t));
        const top = event.side === "right" ? row : 0;
        context.strokeStyle = colours.ink;
        context.lineWidth = event.kind === "strike" ? 2 : 1;
        context.setLineDash(event.kind === "strike" ? [] : [2, 2]);
        context.beginPath();
        context.moveTo(at, top);
        context.lineTo(at, top + row);
        context.stroke();
      }
      context.setLineDash([]);
      context.strokeStyle = colours.doubt;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x(this.time), 0);
      context.lineTo(x(this.time), height);
      context.stroke();
    }

    /** The legend, and what notes say of markers. */
    words() {
      const { trial } = this;
      const say = (colour, words) => `<span><i style="background:var(--gs-${colour})"></i>${words}</span>`;
      const sides = new Set(trial.bones.map((bone) => bone.side).filter(Boolean));
      const parts = trial.feet.length || sides.size > 1 ? [say("left", "left"), say("right", "right")] : [];
      this.find("scrub").classList.toggle("gs-nofeet", !trial.feet.length);
      if (trial.plates.length)
        parts.push(say("known", "✓ load known"), say("doubtful", "! doubtful"), say("unknown", "? load unknown"));
      parts.push(say("doubt", "marker in doubt; × recorded and not believed"), "<span>○ filled gap</span>");
      this.find("legend").innerHTML = parts.join("");
      const list = this.find("doubts");
      list.replaceChildren();
      for (const text of trial.doubts) {
        const item = document.createElement("li");
        item.textContent = text;
        list.append(item);
      }
      if (!trial.whole) {
        const item = document.createElement("li");
        const [a, b] = [trial.seconds(0), trial.seconds(trial.n - 1)].map((s) => s.toFixed(1));
        item.textContent = `The view shows ${a} to ${b} s of the trial: the whole would make the page too large.`;
        list.append(item);
      }
      list.hidden = !list.children.length;
    }

    readColours() {
      const style = getComputedStyle(this.section);
      const value = (name) => style.getPropertyValue(`--gs-${name}`).trim() || "#888";
      for (const name of [...COLOURS, ...VERDICTS]) this.colours[name] = value(name);
      for (const name of VERDICTS) this.colours[`${name}Text`] = value(`${name}-text`);
      this.changed();
    }

    // --- controls ---------------------------------------------------------------------------------------

    listen() {
      const { section, canvas, slider } = this;
      this.find("play").addEventListener("click", () => this.play(!this.playing));
      this.find("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
      slider.addEventListener("input", () => {
        this.play(false);
        this.go(Number(slider.value));
      });
      const pick = this.find("trials");
      if (pick) pick.addEventListener("change", () => this.choose(pick.value));
      for (const button of section.querySelectorAll("[data-view]"))
        button.addEventListener("click", () => this.view(button.dataset.view));
      for (const button of section.querySelectorAll("[data-zoom]"))
        button.addEventListener("click", () => this.zoom(button.dataset.zoom === "in" ? 0.8 : 1.25));
      for (const button of section.querySelectorAll("[data-toggle]"))
        button.addEventListener("click", () => {
          this.toggle(button.dataset.toggle);
          if (button.dataset.toggle === "follow") this.refollow();
        });
      canvas.addEventListener("keydown", (event) => this.key(event));
      canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
      this.pointers();
      document.addEventListener("gaitid:time", (event) => this.hear(event.detail || {}));
      new ResizeObserver(() => this.changed()).observe(canvas);
      if ("IntersectionObserver" in window)
        new IntersectionObserver((entries) => {
          this.onScreen = entries[entries.length - 1].isIntersecting;
          if (this.onScreen) this.changed();
        }).observe(section);
      for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"])
        window.matchMedia(query).addEventListener("change", () => this.readColours());
      window.addEventListener("beforeprint", () => this.print(true));
      window.addEventListener("afterprint", () => this.print(false));
    }

    hear({ trial, time_s, from }) {
      if (from === NAME || !Number.isFinite(time_s) || !this.texts.has(trial)) return;
      if (trial !== this.trial.key) this.choose(trial);
      if (this.playing) this.play(false);
      this.go(Math.round(this.trial.picture(time_s)), true);
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const turn = 5 * DEGREE;
      const acts = {
        ArrowLeft: () => this.turn(-turn, 0),
        ArrowRight: () => this.turn(turn, 0),
        ArrowUp: () => this.turn(0, turn),
        ArrowDown: () => this.turn(0, -turn),
        "+": () => this.zoom(0.9),
        "=": () => this.zoom(0.9),
        "-": () => this.zoom(1.1),
        " ": () => this.play(!this.playing),
        ",": () => this.go(Math.round(this.time) - 1),
        ".": () => this.go(Math.round(this.time) + 1),
        Home: () => this.go(0),
        End: () => this.go(this.trial.n - 1),
        f: () => {
          this.toggle("follow");
          this.refollow();
        },
        l: () => this.toggle("labels"),
        m: () => this.toggle("moments"),
      };
      Object.keys(VIEWS).forEach((name, i) => (acts[i + 1] = () => this.view(name)));
      const act = acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    }

    /** A wheel zooms where the view has the focus; else it scrolls the page. */
    wheel(event) {
      if (document.activeElement !== this.canvas && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.002));
    }

    pointers() {
      const { canvas } = this;
      const down = new Map();
      let apart = 0;
      let moved = 0;
      const spread = () => {
        const [a, b] = [...down.values()];
        return Math.hypot(a.x - b.x, a.y - b.y);
      };
      canvas.addEventListener("pointerdown", (event) => {
        down.set(event.pointerId, { x: event.clientX, y: event.clientY });
        canvas.setPointerCapture(event.pointerId);
        moved = 0;
        if (down.size === 2) apart = spread();
      });
      canvas.addEventListener("pointermove", (event) => {
        const before = down.get(event.pointerId);
        if (!before) {
          if (event.pointerType === "mouse") this.tip(event, 12);
          return;
        }
        const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
        down.set(event.pointerId, { x: event.clientX, y: event.clientY });
        moved += Math.abs(dx) + Math.abs(dy);
        if (down.size === 2) {
          const now = spread();
          if (apart > 0 && now > 0) this.zoom(apart / now);
          apart = now;
        } else this.turn(-dx * 0.008, dy * 0.008);
        this.hideTip();
      });
      const up = (event) => {
        if (!down.delete(event.pointerId)) return;
        if (event.type === "pointerup" && moved < 6) this.tip(event, event.pointerType === "mouse" ? 12 : 26);
      };
      for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, up);
      // a finger leaves when it is lifted: what it touched stays named
      canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hideTip());
    }

    tip(event, reach) {
      const box = this.canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const near = this.painter.nearest(x, y, reach);
      const tip = this.find("tip");
      tip.hidden = !near;
      if (!near) return;
      tip.textContent = near.words;
      tip.style.maxWidth = `${Math.min(280, box.width - 16)}px`;
      tip.style.left = `${Math.max(4, Math.min(box.width - tip.offsetWidth - 4, x + 12))}px`;
      tip.style.top = `${Math.max(4, Math.min(box.height - tip.offsetHeight - 4, y + 14))}px`;
    }

    hideTip() {
      this.find("tip").hidden = true;
    }

    /** On paper: a still in light colours. */
    print(on) {
      if (on) this.play(false);
      this.printing = on;
      this.section.classList.toggle("gs-print", on);
      this.readColours();
      this.draw();
    }
  }

  /** Times in the list of contacts become buttons that the parts of the page go to. */
  function link() {
    for (const words of document.querySelectorAll("span[data-gp-time]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "gp-go";
      button.textContent = words.textContent;
      button.title = "Show this moment in the 3D view";
      const detail = { trial: words.dataset.gpTrial, time_s: Number(words.dataset.gpTime), from: "plan" };
      button.addEventListener("click", () => document.dispatchEvent(new CustomEvent("gaitid:time", { detail })));
      words.replaceWith(button);
    }
  }

  function start() {
    link();
    for (const section of document.querySelectorAll("section.gs")) if (!section.gaitidPlayer) section.gaitidPlayer = new Player(section);
  }

  scene.Player = Player;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
