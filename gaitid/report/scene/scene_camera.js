/* Vectors, and the eye that looks at them. */
(function () {
  "use strict";
  const scene = (window.gaitidScene = window.gaitidScene || {});

  const add = (a, b, times = 1) => [a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]];
  const sub = (a, b) => add(a, b, -1);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const size = (a) => Math.sqrt(dot(a, a));
  const unit = (a) => {
    const length = size(a);
    return length > 1e-9 ? a.map((value) => value / length) : null;
  };
  const mix = (a, b, share) => add(a, sub(b, a), share);

  function unit4(q) {
    const length = Math.hypot(...q) || 1;
    return q.map((value) => value / length);
  }

  /** A column of the rotation matrix of a quaternion, w first. */
  function column([w, x, y, z], c) {
    if (c === 0) return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
    if (c === 1) return [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)];
    return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
  }

  /** Where the eye is: about a target, by azimuth (0 in front of the body, 90° at its left) and elevation, rad. */
  class Camera {
    constructor() {
      this.target = [0, 0, 0.9];
      this.azimuth = -0.8;
      this.elevation = 0.25;
      this.distance = 5;
    }

    prepare(width, height) {
      const flat = Math.cos(this.elevation);
      const out = [flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), Math.sin(this.elevation)];
      this.eye = add(this.target, out, this.distance);
      this.ahead = out.map((value) => -value);
      this.right = unit(cross(this.ahead, [0, 0, 1])) || [0, 1, 0];
      this.up = cross(this.right, this.ahead);
      this.focal = 1.5 * Math.min(height, width * 1.1);
      this.middle = [width / 2, height / 2];
    }

    /** Screen x and y, depth, pixels a metre there; null behind the eye. */
    project(p) {
      const way = sub(p, this.eye);
      const depth = dot(way, this.ahead);
      if (depth < 0.05) return null;
      const scale = this.focal / depth;
      return {
        x: this.middle[0] + scale * dot(way, this.right),
        y: this.middle[1] - scale * dot(way, this.up),
        depth,
        scale,
      };
    }
  }

  scene.vectors = { add, sub, dot, cross, size, unit, mix, unit4, column };
  scene.Camera = Camera;
})();
