/* Arrows: the ground reaction, the moments of joints, and the centre of mass that they move. */
(function () {
  "use strict";
  const scene = window.gaitidScene;

  const { add, cross, dot, size, sub, unit } = scene.vectors;
  const OPPOSITE = {
    extension: "flexion",
    flexion: "extension",
    plantarflexion: "dorsiflexion",
    dorsiflexion: "plantarflexion",
  };

  /** A painter that draws them too. */
  class ForcePainter extends scene.Painter {
    arrow(from, vector, colour, width, dash, words) {
      const to = add(from, vector);
      const p = this.camera.project(from);
      const q = this.camera.project(to);
      if (!p || !q) return;
      const length = Math.hypot(q.x - p.x, q.y - p.y);
      if (length < 2) return;
      this.later((p.depth + q.depth) / 2 - 0.06, () => {
        this.stroke([p, q], colour, width, dash);
        this.head(p, q, colour, width);
        if (words) this.text(q.x, q.y - this.font * 0.8, words, colour, "center", 0.85);
      });
    }

    head(p, q, colour, width) {
      const length = Math.hypot(q.x - p.x, q.y - p.y) || 1;
      const way = [(q.x - p.x) / length, (q.y - p.y) / length];
      const long = Math.min(4 + 2.4 * width, length);
      const base = { x: q.x - way[0] * long, y: q.y - way[1] * long };
      const half = long * 0.45;
      const corners = [
        { x: q.x + way[0] * 2, y: q.y + way[1] * 2 },
        { x: base.x - way[1] * half, y: base.y + way[0] * half },
        { x: base.x + way[1] * half, y: base.y - way[0] * half },
      ];
      this.shape(corners, colour);
    }

    forces() {
      const { trial, colours } = this;
      const perMetre = trial.newtonPerMetre;
      const shortly = (force) => force.map((value) => value / perMetre);
      for (const foot of trial.feet) {
        const force = foot.force.at(0, this.time);
        const cop = foot.cop.at(0, this.time);
        if (force && cop && !foot.unknown[this.i])
          this.arrow(cop, shortly(force), this.sideColour(foot.side), 3.5, null, `${Math.round(size(force))} N`);
      }
      for (const plate of trial.plates) {
        if (!plate.force) continue;
        const verdict = plate.fault ? "unknown" : trial.verdictOf(plate, this.i);
        const force = plate.force.at(0, this.time);
        const cop = plate.cop.at(0, this.time);
        if (force && cop && (verdict === "unknown" || verdict === "unclaimed"))
          this.arrow(cop, shortly(force), colours.muted, 3, [6, 5], "? N");
      }
    }

    /** The way from the right hip to the left one: the axis about which flexing and stretching turn. */
    lateral() {
      const ends = this.trial.ends;
      const at = (side) => {
        const index = ends.findIndex((end) => end.side === side && end.name === "hip");
        return index < 0 ? null : this.end(index);
      };
      const left = at("left");
      const right = at("right");
      return (left && right && unit(sub(left, right))) || [0, 1, 0];
    }

    moment(one) {
      const { trial } = this;
      const vector = one.moment.at(0, this.time);
      const index = trial.ends.findIndex((end) => end.side === one.side && end.name === one.joint);
      const centre = index < 0 ? null : this.end(index);
      if (!vector || !centre) return;
      const axis = this.lateral();
      const about = dot(vector, axis);
      const amount = Math.abs(about);
      if (amount < 0.03) return;
      const radius = 0.035 + 0.09 * Math.min(amount, 3);
      const e1 = unit(cross(axis, [0, 0, 1])) || [1, 0, 0];
      const e2 = cross(axis, e1);
      const points = [];
      for (let i = 0; i <= 24; i++) {
        const angle = Math.sign(about) * (i / 24) * 4.4 - 0.6;
        const out = add(add([0, 0, 0], e1, Math.cos(angle) * radius), e2, Math.sin(angle) * radius);
        const p = this.camera.project(add(centre, out));
        if (!p) return;
        points.push(p);
      }
      const colour = this.sideColour(one.side);
      const strike = one.impact[this.i] === 1;
      this.later(points[12].depth - 0.08, () => {
        this.context.globalAlpha = strike ? 0.45 : 1;
        this.stroke(points, colour, 2.5, strike ? [2, 4] : null);
        this.head(points[23], points[24], colour, 2.5);
        this.context.globalAlpha = 1;
      });
      const value = one.value.at(0, this.time);
      const given = one.name.split(" ")[0];
      const name = value && value[0] < 0 ? OPPOSITE[given] || `−${given}` : given;
      const words = `${one.joint} ${name} ${Math.abs(value ? value[0] : about).toFixed(2)} N·m/kg`;
      const p = points[0];
      const note = strike ? " – impact of the foot strike, not of the joint" : "";
      this.points.push({ p, words: `${one.side} ${words}, internal${note}` });
      if (amount > 0.15 && this.width > 480)
        this.later(-1, () => this.text(p.x + 6, p.y - 6, words, colour, "left", 0.75));
    }

    centreOfMass() {
      const at = this.trial.com.count ? this.trial.com.at(0, this.time) : null;
      const p = at && this.camera.project(at);
      if (!p) return;
      const { colours, context } = this;
      this.line(at, [at[0], at[1], 0], colours.muted, 1, [2, 4]);
      const radius = Math.max(5, 0.024 * p.scale);
      this.later(p.depth - 0.1, () => {
        this.disc(p, radius, colours.back, colours.ink, 1.5);
        context.fillStyle = colours.ink;
        for (const start of [0, Math.PI]) {
          context.beginPath();
          context.moveTo(p.x, p.y);
          context.arc(p.x, p.y, radius, start, start + Math.PI / 2);
          context.closePath();
          context.fill();
        }
      });
      this.points.push({ p, words: this.trial.comWords });
    }
  }

  scene.ForcePainter = ForcePainter;
})();
