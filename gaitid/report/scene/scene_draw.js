/* One picture of a trial on a 2D canvas: everything is projected, sorted by its distance and drawn from the back. */
(function () {
  "use strict";
  const scene = (window.gaitidScene = window.gaitidScene || {});

  const { add, column, mix, unit4 } = scene.vectors;
  const AXES = ["x", "y", "z"];

  /** Draws pictures of a trial; what it drew of points can be looked up by `nearest`. */
  class Painter {
    constructor(canvas) {
      this.context = canvas.getContext("2d");
    }

    /** Draw a trial at a time, in pictures, with the things in `shown` (a set of names). */
    draw(trial, time, camera, shown, colours, width, height) {
      Object.assign(this, { trial, time, camera, shown, colours, width, height });
      this.i = Math.max(0, Math.min(trial.n - 1, Math.round(time)));
      this.font = Math.max(11, Math.min(28, height / 42));
      this.items = [];
      this.points = [];
      camera.prepare(width, height);
      const context = this.context;
      context.clearRect(0, 0, width, height);
      context.lineCap = context.lineJoin = "round";
      this.floor();
      for (const plate of trial.plates) this.plate(plate);
      this.body();
      this.markers();
      if (shown.has("axes")) this.axes();
      if (shown.has("com")) this.centreOfMass();
      if (shown.has("forces")) this.forces();
      if (shown.has("moments")) trial.moments.forEach((one) => this.moment(one));
      this.items.sort((a, b) => b.depth - a.depth);
      for (const item of this.items) item.draw();
      this.texts();
    }

    sideColour(side) {
      return this.colours[side] || this.colours.mid;
    }

    // --- what is sorted ---------------------------------------------------------------------------------

    later(depth, draw) {
      this.items.push({ depth, draw });
    }

    line(a, b, colour, width, dash, nearer = 0) {
      const p = a && this.camera.project(a);
      const q = b && this.camera.project(b);
      if (!p || !q) return;
      this.later((p.depth + q.depth) / 2 - nearer, () => this.stroke([p, q], colour, width, dash));
    }

    stroke(points, colour, width, dash) {
      const context = this.context;
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.setLineDash(dash || []);
      context.beginPath();
      points.forEach((p, i) => (i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y)));
      context.stroke();
      context.setLineDash([]);
    }

    shape(points, fill, edge, width) {
      const context = this.context;
      context.beginPath();
      points.forEach((p, i) => (i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y)));
      context.closePath();
      if (fill) {
        context.fillStyle = fill;
        context.fill();
      }
      if (edge) {
        context.strokeStyle = edge;
        context.lineWidth = width || 1;
        context.stroke();
      }
    }

    disc(p, radius, fill, edge, width) {
      const context = this.context;
      context.beginPath();
      context.arc(p.x, p.y, radius, 0, 2 * Math.PI);
      if (fill) {
        context.fillStyle = fill;
        context.fill();
      }
      if (edge) {
        context.strokeStyle = edge;
        context.lineWidth = width || 1.5;
        context.stroke();
      }
    }

    /** Text with a halo, so that it reads on anything. */
    text(x, y, words, colour, align = "center", times = 1, weight = "") {
      const context = this.context;
      context.font = `${weight} ${(this.font * times).toFixed(1)}px system-ui, sans-serif`;
      context.textAlign = align;
      context.textBaseline = "middle";
      context.lineWidth = 3;
      context.strokeStyle = this.colours.back;
      context.strokeText(words, x, y);
      context.fillStyle = colour;
      context.fillText(words, x, y);
    }

    // --- the floor and the plates -----------------------------------------------------------------------

    floor() {
      const { low, high } = this.trial.box;
      const step = Math.max(high[0] - low[0], high[1] - low[1]) > 12 ? 2 : 0.5;
      const from = [0, 1].map((c) => Math.floor((low[c] - 0.4) / step) * step);
      const to = [0, 1].map((c) => Math.ceil((high[c] + 0.4) / step) * step);
      const rule = (a, b) => {
        const pieces = 8; // a line that runs past the eye is drawn as far as it lies before it
        for (let i = 0; i < pieces; i++) {
          const p = this.camera.project(mix(a, b, i / pieces));
          const q = this.camera.project(mix(a, b, (i + 1) / pieces));
          if (p && q) this.stroke([p, q], this.colours.grid, 1);
        }
      };
      for (let x = from[0]; x <= to[0] + 1e-6; x += step) rule([x, from[1], 0], [x, to[1], 0]);
      for (let y = from[1]; y <= to[1] + 1e-6; y += step) rule([from[0], y, 0], [to[0], y, 0]);
      const { at, axes } = this.trial.lab;
      const near = [0, 1].every((c) => from[c] - 1 < at[c] && at[c] < to[c] + 1);
      if (near) axes.forEach((axis, i) => this.tip(at, add(at, axis, 0.25), this.colours.muted, AXES[i].toUpperCase()));
    }

    tip(a, b, colour, letter) {
      const p = this.camera.project(a);
      const q = this.camera.project(b);
      if (!p || !q) return;
      this.stroke([p, q], colour, 1.5);
      if (Math.hypot(p.x - q.x, p.y - q.y) > 8) this.text(q.x, q.y, letter, colour, "center", 0.8);
    }

    plate(plate) {
      if (!plate.corners) return;
      const points = plate.corners.map((corner) => this.camera.project(corner));
      if (points.some((p) => !p)) return;
      const verdict = plate.fault ? "unknown" : this.trial.verdictOf(plate, this.i);
      const colour = this.colours[verdict] || this.colours.muted;
      const context = this.context;
      context.globalAlpha = verdict ? 0.35 : 0.12;
      this.shape(points, colour);
      context.globalAlpha = 1;
      this.shape(points, null, colour, verdict ? 2.5 : 1.2);
      if (plate.fault || verdict === "unknown") {
        this.stroke([points[0], points[2]], colour, 1, [3, 4]);
        this.stroke([points[1], points[3]], colour, 1, [3, 4]);
      }
      const middle = [0, 1, 2].map((c) => plate.corners.reduce((sum, corner) => sum + corner[c], 0) / 4);
      const p = this.camera.project(middle);
      if (p) this.text(p.x, p.y, `${plate.number}`, this.colours.ink, "center", 1.2, "bold");
    }

    // --- the body ---------------------------------------------------------------------------------------

    end(index) {
      return this.trial.endsAt.at(index, this.time);
    }

    body() {
      const { trial, colours } = this;
      trial.bones.forEach((bone, i) => {
        if (i) this.bone(bone, this.end(bone.ends[0]), this.end(bone.ends[1]));
      });
      // the base: its origin and the joints that hang from it
      const distal = new Set(trial.bones.map((bone, i) => (i ? bone.ends[1] : -1)));
      const roots = [...new Set(trial.bones.slice(1).map((bone) => bone.ends[0]))].filter((end) => !distal.has(end));
      const hips = roots.map((end) => this.end(end)).filter(Boolean);
      const origin = trial.bones.length ? this.end(trial.bones[0].ends[0]) : null;
      const corners = origin ? [origin, ...hips] : hips;
      const projected = corners.map((p) => this.camera.project(p));
      if (corners.length > 2 && projected.every(Boolean)) {
        const depth = projected.reduce((sum, p) => sum + p.depth, 0) / projected.length;
        this.later(depth + 0.02, () => {
          this.context.globalAlpha = 0.25;
          this.shape(projected, colours.mid);
          this.context.globalAlpha = 1;
          this.shape(projected, null, colours.mid, 2);
        });
      } else if (corners.length === 2) this.line(corners[0], corners[1], colours.mid, 3);
      trial.ends.forEach((end, index) => {
        if (["origin", "middle", "toe", "end"].includes(end.name)) return;
        const at = this.end(index);
        const p = at && this.camera.project(at);
        if (!p) return;
        const radius = Math.max(3, 0.016 * p.scale);
        const colour = end.doubt ? colours.doubt : this.sideColour(end.side);
        this.later(p.depth - 0.03, () => {
          this.disc(p, radius, colours.back, colour, end.doubt ? 3.5 : 2);
          if (end.doubt) this.disc(p, radius + 5, null, colour, 2);
        });
        const centre = trial.centres ? "joint centre" : "point in place of the joint's centre";
        const point = { p, words: `${end.side} ${end.name} ${centre}` };
        if (end.doubt) {
          point.words += ` – ${end.doubt}`;
          Object.assign(point, { label: `${end.side} ${end.name}?`, always: true, bold: true });
        }
        this.points.push(point);
      });
    }

    bone(bone, a, b) {
      const p = a && this.camera.project(a);
      const q = b && this.camera.project(b);
      if (!p || !q) return;
      const other = bone.off[this.i] === 1;
      const odd = other || Boolean(bone.doubt);
      const colour = odd ? this.colours.doubt : this.sideColour(bone.side);
      const way = [q.x - p.x, q.y - p.y];
      const length = Math.hypot(way[0], way[1]) || 1;
      const half = Math.min((0.028 * (p.scale + q.scale)) / 2, length * 0.4);
      const across = [(-way[1] / length) * half, (way[0] / length) * half];
      const thick = { x: p.x + 0.22 * way[0], y: p.y + 0.22 * way[1] };
      const kite = [
        p,
        { x: thick.x + across[0], y: thick.y + across[1] },
        q,
        { x: thick.x - across[0], y: thick.y - across[1] },
      ];
      this.later((p.depth + q.depth) / 2, () => {
        this.context.globalAlpha = 0.3;
        this.shape(kite, colour);
        this.context.globalAlpha = 1;
        this.shape(kite, null, colour, odd ? 3 : 1.5);
        this.stroke([p, q], colour, odd ? 2 : 1);
      });
      const centre = { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
      const named = `${bone.side} ${bone.name}`.trim();
      const facts = [...(other ? [`${named}: its length is not the usual one here`] : []), ...(bone.doubt ? [bone.doubt] : [])];
      if (odd) this.points.push({ p: centre, words: facts.join(" – "), label: `${named}?`, always: true, bold: true });
    }

    axes() {
      const { trial, colours } = this;
      trial.axesOf.forEach((bone, index) => {
        const at = trial.middles.at(bone, this.time);
        const turn = trial.turns.at(index, this.time);
        if (!at || !turn) return;
        const q = unit4(turn);
        AXES.forEach((axis, c) => {
          const tip = add(at, column(q, c), bone ? 0.11 : 0.14);
          const a = this.camera.project(at);
          const b = this.camera.project(tip);
          if (!a || !b) return;
          const colour = colours[axis];
          this.later((a.depth + b.depth) / 2 - 0.05, () => {
            this.stroke([a, b], colour, 2);
            if (Math.hypot(a.x - b.x, a.y - b.y) > 16 && this.height > 300)
              this.text(b.x + (b.x - a.x) * 0.18, b.y + (b.y - a.y) * 0.18, axis, colour, "center", 0.75);
          });
        });
      });
    }

    // --- markers ----------------------------------------------------------------------------------------

    markers() {
      const { trial } = this;
      trial.tracks.forEach((track, index) => {
        if (!track.used && !track.doubt && !this.shown.has("others")) return;
        const at = trial.markers.at(index, this.time);
        if (at) this.marker(track, at, track.doubt || track.off[this.i] ? "doubt" : "");
      });
      trial.recordedOf.forEach((index, i) => {
        const at = trial.recorded.at(i, Math.round(this.time));
        if (at) this.marker(trial.tracks[index], at, "recorded");
      });
    }

    /** Where a marker's stick meets its segment. */
    foot(track) {
      if (track.bone < 0) return null;
      const ends = this.trial.bones[track.bone].ends.map((end) => this.end(end));
      return ends[0] && ends[1] ? mix(ends[0], ends[1], track.share) : ends[0];
    }

    marker(track, at, state) {
      const p = this.camera.project(at);
      if (!p) return;
      const { colours } = this;
      const off = track.off[this.i] === 1 || state === "recorded";
      const colour = state ? colours.doubt : track.used ? this.sideColour(track.side) : colours.muted;
      const foot = this.foot(track);
      if (foot) this.line(foot, at, state ? colours.doubt : colours.stick, off ? 2.5 : 1.2, off ? [5, 3] : null, -0.01);
      const radius = Math.max(track.used ? 2.4 : 1.8, (track.used ? 0.0095 : 0.006) * p.scale);
      const hollow = track.filled[this.i] === 1;
      this.later(p.depth - 0.02, () => {
        if (state === "recorded") {
          const r = radius * 1.3;
          this.stroke([{ x: p.x - r, y: p.y - r }, { x: p.x + r, y: p.y + r }], colour, 3);
          this.stroke([{ x: p.x - r, y: p.y + r }, { x: p.x + r, y: p.y - r }], colour, 3);
          return;
        }
        this.disc(p, radius, hollow ? colours.back : colour, hollow ? colour : null, 2);
        if (state) this.disc(p, radius + 3.5, null, colours.doubt, off ? 3 : 2);
      });
      const named = [track.label, track.role].filter(Boolean).join(" · ");
      const facts = [named];
      if (state === "recorded") facts.push("as recorded; the analysis did not believe it here");
      if (hollow) facts.push("gap filled here");
      if (track.off[this.i]) facts.push("not where it usually lies on its segment");
      if (track.doubt) facts.push(track.doubt);
      if (!track.used) facts.push("not used by the model");
      this.points.push({ p, words: facts.join(" – "), label: track.label, always: off, bold: Boolean(state) });
    }

    // --- words ------------------------------------------------------------------------------------------

    /** Labels of markers, and what is known of who stands where, over everything else. */
    texts() {
      const { shown, colours } = this;
      for (const point of this.points) {
        if (!point.label || !(shown.has("labels") || point.always)) continue;
        const colour = point.bold ? colours.doubt : colours.ink;
        this.text(point.p.x + 8, point.p.y - 8, point.label, colour, "left", 0.8, point.bold ? "bold" : "");
      }
      const marks = { known: "✓", doubtful: "!", unknown: "?" };
      for (const contact of this.trial.contactsAt(this.i)) {
        const plates = this.trial.plates.filter((plate) => plate.corners && contact.plates.includes(plate.number));
        if (!plates.length) continue;
        const foot = this.trial.feet.find((other) => other.side === contact.side);
        const verdict = foot && foot.unknown[this.i] ? "unknown" : contact.verdict;
        const corners = plates.flatMap((plate) => plate.corners.map((corner) => this.camera.project(corner)));
        if (corners.some((p) => !p)) continue;
        const low = corners.reduce((best, p) => (p.y > best.y ? p : best));
        const x = corners.reduce((sum, p) => sum + p.x, 0) / corners.length;
        const row = contact.side === "right" ? 1.1 : 0;
        const y = Math.min(this.height - this.font * (2 - row), low.y + this.font * (1 + row));
        const words = `${marks[verdict]} ${contact.side}: ${verdict}`;
        this.text(x, y, words, colours[`${verdict}Text`] || colours.ink, "center", 0.95, "bold");
      }
    }

    /** What lies nearest to a place on the screen, in words; null where nothing is near. */
    nearest(x, y, reach) {
      let best = null;
      let least = reach;
      for (const point of this.points) {
        const away = Math.hypot(point.p.x - x, point.p.y - y);
        if (away < least) [best, least] = [point, away];
      }
      return best;
    }
  }

  scene.Painter = Painter;
})();
