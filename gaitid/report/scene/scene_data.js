/* The tracks of a trial, read from the page: see encode.py for how they are written. */
(function () {
  "use strict";
  const scene = (window.gaitidScene = window.gaitidScene || {});

  /** Bytes of base64 text. */
  function bytesOf(text) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes;
  }

  /** Several tracks over n pictures: `at(track, time)` gives their components at a picture or between two. */
  class Tracks {
    constructor(packed, n) {
      this.n = n;
      this.count = packed.k.length;
      this.size = packed.c;
      this.values = new Float32Array(this.count * this.size * n);
      const bytes = bytesOf(packed.d);
      let at = 0;
      for (let column = 0, to = 0; column < this.count * this.size; column++) {
        let speed = 0;
        let value = 0;
        for (let i = 0; i < n; i++, to++) {
          let number = 0;
          let scale = 1;
          let byte;
          do {
            byte = bytes[at++];
            number += (byte & 127) * scale;
            scale *= 128;
          } while (byte & 128);
          speed += number % 2 ? -(number + 1) / 2 : number / 2;
          value += speed;
          this.values[to] = value * packed.s;
        }
      }
      this.known = packed.k.map((runs) => maskOf(runs, n));
    }

    isKnown(track, i) {
      return i >= 0 && i < this.n && this.known[track][i] === 1;
    }

    /** Components at a time in pictures; null where unknown. */
    at(track, time) {
      const i = Math.max(0, Math.min(this.n - 1, Math.floor(time)));
      const share = time - i;
      const here = this.isKnown(track, i);
      const next = this.isKnown(track, i + 1);
      if (share > 0.001 && here && next) return this.mix(track, i, share);
      const nearest = share > 0.5 ? i + 1 : i;
      return this.isKnown(track, nearest) ? this.mix(track, nearest, 0) : null;
    }

    mix(track, i, share) {
      const result = new Array(this.size);
      for (let c = 0; c < this.size; c++) {
        const start = (track * this.size + c) * this.n + i;
        const value = this.values[start];
        result[c] = share ? value + share * (this.values[start + 1] - value) : value;
      }
      return result;
    }
  }

  /** Of each picture whether it is in a run; 0 in place of runs stands for all. */
  function maskOf(runs, n) {
    const mask = new Uint8Array(n);
    if (runs === 0) return mask.fill(1);
    for (let i = 0; i < runs.length; i += 2) mask.fill(1, runs[i], runs[i + 1] + 1);
    return mask;
  }

  /** A trial with its tracks, ready to be drawn. */
  class Trial {
    constructor(data) {
      Object.assign(this, data);
      const n = data.n;
      const read = (packed) => new Tracks(packed, n);
      for (const name of ["markers", "recorded", "endsAt", "middles", "turns", "com"]) this[name] = read(data[name]);
      this.tracks = data.tracks.map((track) => ({
        ...track,
        off: maskOf(track.off || [], n),
        filled: maskOf(track.filled || [], n),
      }));
      this.bones = data.bones.map((bone) => ({ ...bone, off: maskOf(bone.off || [], n) }));
      this.plates = data.plates.map((plate) => ({
        ...plate,
        force: plate.force && read(plate.force),
        cop: plate.cop && read(plate.cop),
      }));
      this.feet = data.feet.map((foot) => ({
        ...foot,
        unknown: maskOf(foot.unknown, n),
        force: read(foot.force),
        cop: read(foot.cop),
      }));
      this.moments = data.moments.map((one) => ({
        ...one,
        impact: maskOf(one.impact, n),
        moment: read(one.moment),
        value: read(one.value),
      }));
      this.box = this.boxOf();
      this.path = this.pathOf();
    }

    /** Seconds of the trial at a picture. */
    seconds(time) {
      return this.start_s + (time * this.step) / this.rate;
    }

    /** The picture, with its share of the next, at a time of the trial. */
    picture(seconds) {
      return Math.max(0, Math.min(this.n - 1, ((seconds - this.start_s) * this.rate) / this.step));
    }

    /** The frame that the file counts. */
    frame(time) {
      return this.first + Math.round(time) * this.step;
    }

    /** Corners of what is ever seen of body and plates. */
    boxOf() {
      const low = [Infinity, Infinity, Infinity];
      const high = [-Infinity, -Infinity, -Infinity];
      const add = (p) => {
        if (!p) return;
        for (let c = 0; c < 3; c++) {
          low[c] = Math.min(low[c], p[c]);
          high[c] = Math.max(high[c], p[c]);
        }
      };
      const skip = Math.max(1, Math.floor(this.n / 100));
      for (let i = 0; i < this.n; i += skip) {
        for (let end = 0; end < this.endsAt.count; end++) add(this.endsAt.at(end, i));
        this.tracks.forEach((track, j) => track.used && add(this.markers.at(j, i)));
      }
      const near = (p) => low[0] - 2 < p[0] && p[0] < high[0] + 2 && low[1] - 2 < p[1] && p[1] < high[1] + 2;
      for (const plate of this.plates) if (plate.corners && plate.corners.some(near)) plate.corners.forEach(add);
      if (!isFinite(low[0])) return { low: [-1, -1, 0], high: [1, 1, 1.5] };
      return { low, high };
    }

    /** Where the body is at each picture, smoothed over a second: what a camera follows. */
    pathOf() {
      const path = [];
      let last = [0, 0, 0.9];
      for (let i = 0; i < this.n; i++) {
        const seen = this.middles.count ? this.middles.at(0, i) : null;
        if (seen) last = seen;
        path.push(last);
      }
      const half = Math.max(1, Math.round((0.5 * this.rate) / this.step));
      return path.map((_, i) => {
        const sum = [0, 0, 0];
        const from = Math.max(0, i - half);
        const to = Math.min(this.n - 1, i + half);
        const reach = Math.min(i - from, to - i);
        for (let j = i - reach; j <= i + reach; j++) for (let c = 0; c < 3; c++) sum[c] += path[j][c];
        return sum.map((value) => value / (2 * reach + 1));
      });
    }

    /** Contacts at a picture. */
    contactsAt(i) {
      return this.contacts.filter((contact) => contact.first - 0.5 <= i && i <= contact.last + 0.5);
    }

    /** Whether a foot's load is unknown at a picture, also within a contact whose load is known. */
    isUnknown(contact, i) {
      const foot = this.feet.find((other) => other.side === contact.side);
      return contact.verdict === "unknown" || Boolean(foot && foot.unknown[i]);
    }

    /** Who stands where at a picture, in words. */
    says(contact, i) {
      if (contact.verdict === "unknown" || !this.isUnknown(contact, i)) return contact.text;
      return contact.text.replace(/load known(, but )?/, (_, but) => `load unknown in this frame${but ? ": " : ""}`);
    }

    /** What is known at a picture of who stands on a plate: `known`, `doubtful`, `unknown`, or nothing. */
    verdictOf(plate, i) {
      const here = this.contactsAt(i).filter((contact) => contact.plates.includes(plate.number));
      if (here.some((contact) => this.isUnknown(contact, i))) return "unknown";
      if (here.some((contact) => contact.verdict === "doubtful")) return "doubtful";
      if (here.length) return "known";
      return plate.force && plate.force.isKnown(0, i) ? "unclaimed" : "";
    }
  }

  scene.Tracks = Tracks;
  scene.Trial = Trial;
  scene.maskOf = maskOf;
})();
