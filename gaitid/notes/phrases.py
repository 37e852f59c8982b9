"""Parts of messages, and reasons in records: what `gaitid.notes.phrase` fills in, as `gaitid.notes.note` does."""

from __future__ import annotations

from gaitid.notes.result import REASONS

_OF_LABELS = "{labels: and }{also:?, or {also: and },} "
_ALL = "all markers jump together by {mm:g} mm"
_SEVERAL = "{labels:, } {turn:turn together by {deg:.2g}°, by up to|jump together by} {mm:g} mm"

#: What is wrong with labels, by the kind of fault.
_FAULT = {
    **dict.fromkeys(("together", "away", "reset"), _ALL),
    **dict.fromkeys(("several_together", "several_away", "several_reset"), _SEVERAL),
    "repeated": _OF_LABELS + "repeat the frame before",
    "spike": _OF_LABELS + "leaves its path by up to {mm:g} mm",
    "same": _OF_LABELS + "have the same coordinates",
    "jump": _OF_LABELS + "jumps by {mm:g} mm",
    "moved": (_OF_LABELS + "shifts {mm:g} mm relative to nearby markers and stays there"),
    "swap": _OF_LABELS + "change places ({mm:g} mm)",
    "straight": (_OF_LABELS + "moves on an exactly straight line (over {mm:g} mm), as filled gaps do"),
    "splined": (_OF_LABELS + "moves on an exact polynomial (over {mm:g} mm), as filled gaps do"),
    "computed": _OF_LABELS + "was computed, not measured (its residual is 0)",
    "kinked": (_OF_LABELS + "is smooth between two kinks (over {mm:g} mm), as filled or edited stretches are"),
    "copied": (_OF_LABELS + "copies another marker's movement between two kinks of {mm:g} mm, as filled gaps do"),
    "frozen": (_OF_LABELS + "stands exactly still, {mm:g} mm away from the others"),
    **{f"held_{axis}": f"{_OF_LABELS}keeps its {axis} while it moves by {{mm:g}} mm" for axis in "xyz"},
    "reversed": (_OF_LABELS + "are exchanged against the static (which they fit {mm:g} mm better when exchanged)"),
    "exchanged": (
        _OF_LABELS + "seem to be exchanged throughout (distances to other markers fit {mm:g} mm better when exchanged)"
    ),
    "believed_in_part": ("{what} (not used in {lost} of {n_frames} frames; keep with --set doubtful_labels=keep)"),
}

_GAP = {
    "open": "{label} in {frames} ({why})",
    "filled": (
        "{label} in {frames} ({way}{partners:? with {partners:, 3}}; {unknown:error unknown|95 % within {mm:.2g} mm})"
    ),
    "at_end": "at an end of the trial",
    "long": "{length_s:.3g} s long, more than {longest_s:g} s",
    "no_support": "fewer than {support} frames are seen before or after it",
    "alone": "{length_s:.3g} s long, with too few other markers to follow",
    "error_unknown": "too little is seen to know the error of a fill",
    "far_off": "a fill may be {mm:.2g} mm off, more than {most_mm:g} mm",
}

_AROUND = "the load is unknown there and {around_ms:.0f} ms around"
#: Why the load of a contact is unknown, or its confidence not higher.
_CONTACT = {
    "of_plate": "plate {on}: {why}",
    "no_frame_known": "plate {on}: its load is known in no frame{why:?: {why}}",
    "by_hand": "the evidence says otherwise: {why}",
    "on_floor": "no plate measures where the foot stands",
    "on_none": "no plate, as given by hand",
    "too_heavy": "it carries {times:.0f} body weights; check the mass, and the unit of its channels",
    "plate_misplaced": "{fault}",
    "both_feet": "both feet stand on it, or may",
    "no_markers": "the foot's markers are missing",
    "markers_in_part": "foot markers are missing in part",
    "height": "the foot's markers are {cm:.0f} cm {above:above|below} its surface",
    "height_doubtful": (
        "the foot's markers are {cm:.0f} cm {above:above|below} its surface (1 to 6 in bare feet and shoes); check the "
        "height of the plate's corners"
    ),
    "early": "the foot stood {n} {n:frame|frames} before the plate was loaded",
    "late": "the foot stood {n} {n:frame|frames} after the plate was unloaded",
    "off_foot": "its pressure lies {cm:.0f} cm from where the foot presses; check the plate's corners",
    "off_foot_in_part": "in {n} {n:frame|frames} the pressure is not under the foot: " + _AROUND,
    "across": (
        "its pressure scatters by {across_cm:.0f} cm across the foot and by {along_cm:.0f} cm along it; check whether "
        "Mx and My are exchanged"
    ),
    "no_edges": "nothing says where the plate's edges are",
    "never_empty": "nothing tells what the plate reads while it is empty",
    "by_hand_begin": "what is given by hand begins within the load: name all of its frames",
    "by_hand_end": "what is given by hand ends within the load: name all of its frames",
    "no_samples_begin": "its beginning is not known: the plate has no samples before it",
    "no_samples_end": "its end is not known: the plate has no samples after it",
    "cut_begin": "the {of_pass:pass|trial} begins within the contact, whose beginning is not recorded",
    "cut_end": "the {of_pass:pass|trial} ends within the contact, whose end is not recorded",
    "near_begin": (
        "it begins {n} {n:frame|frames} after the {of_pass:pass|trial} begins: whether the foot stood before is not "
        "seen"
    ),
    "near_end": (
        "it ends {n} {n:frame|frames} before the {of_pass:pass|trial} ends: whether the foot stands on is not seen"
    ),
    "carries_all": "{parts: and }, but the plates carry all that the body's motion requires",
    "beside": (
        "{parts: and }{motion:?, and it gives up to {lost:.2f} of body weight less than the body's motion requires}"
    ),
    "at_edge_in_part": "in {n} {n:frame|frames} it presses at that edge: " + _AROUND,
    "step_over": "the {part} marker lies {cm:.1f} cm over the edge of a step",
    "part_beside": "the {part} is {cm:.1f} cm beside it",
    "marker_over": "the {part} marker lies {cm:.1f} cm over the edge",
    "sole_beside": "the sole may reach {cm:.1f} cm over its edge",
    "sole_over": "the sole may reach {cm:.1f} cm over the edge",
}

#: What does not fit of a plate: where it lies, and how its channels are to be read.
_PLATE = {
    "too_horizontal": "its horizontal force is larger than the vertical one",
    "pressure_beside": "its pressure lies beside it",
    "force_in_lb": "forces in pounds read as newtons",
    "force_as_lb": "forces in newtons read as pounds",
    "mass_in_lb": "a mass in pounds read as kilograms",
    "mass_as_lb": "a mass in kilograms read as pounds",
    "force_in_kg": "forces in kilograms read as newtons",
}

#: What is wrong with plates, clocks or the laboratory (`gaitid.faults.hypotheses`).
_HYPOTHESIS = {
    "sign": "{channels: and } {channels:has|have} the wrong sign",
    "exchanged": "{channels: and } are exchanged{turned:?, {turned: and } with the wrong sign}",
    "turned": "{plates:its|their} corners are turned by {deg:g}°",
    "mirrored": "{plates:its|their} corners run the other way round",
    "gain": (
        "{every:all channels|{channels: and }} {several:give|gives} {times:.2f} ± {error:.2f} times "
        "what pressure and motion require"
    ),
    "moved": (
        "{plates:it lies|they lie} elsewhere: pressure and motion fit after a shift by {way:, } cm (± {error:.1f} cm)"
    ),
    "crosstalk": (
        "{x:+.2f} of {z_name} is read in {x_name} and {y:+.2f} in {y_name} (± {error:.2f}), or its zero is wrong"
    ),
    "torsion": "Mz holds the free moment about the pressure, not the moment about the middle of the surface",
    "zero": "{channels: and } {channels:has|have} a wrong zero ({N:, } {unit}, ± {error:.0f} {unit})",
    "late": "forces are {ms:.0f} ± {error:.0f} ms {late:later|earlier} than the markers' motion",
    "drift": (
        "forces are {middle_ms:.0f} ms {middle_late:later|earlier} than the markers' motion in mid-trial, and drift by "
        "{ms:.1f} ± {error:.1f} ms per second ({late:later|earlier})"
    ),
    "rate": "the rate is declared about {times:.2f} times too {high:high|low}",
    "askew": "{plates:it is|they are} turned by {deg:.0f} ± {error:.0f}° on the floor",
    "tilt": "the cameras' vertical leans by {deg:.1f} ± {error:.1f}° against plates and gravity",
    "yaw": "the cameras' axes are turned by {deg:.1f} ± {error:.1f}° on the floor, against the plates",
    "other_axes": "the cameras' axes are turned by {deg:.0f}° against the plates, and begin elsewhere",
    "plates_exchanged": "each reports the other's load",
}

#: What the trials of a day show of their laboratory together (`gaitid.faults.laboratory`).
_LABORATORY = {
    "shows": "{plates:?{plates:plate|plates} {plates:and}: }{what}{changes:?; against its file {changes:, }}",
    "change": "{key} {by:+.2g}",
    "floor": "what no sum lowers: 5 mm of a model of feet, 1 % of scales and clothes, 1 ms of single plates",
    "known": " (as laboratory.yaml says of {day})",
    "beyond": " (beyond what laboratory.yaml says of {day})",
}

#: What a trial shows of a leg otherwise than the others of its session (`gaitid.batch.session`).
_SESSION = {
    "differs": (
        "{of}, {trial}: {lengths:?the {side} {lengths: and }}{axis:?{lengths:?, and }the {side} "
        "thigh's axes are turned {inward:inward|outward} by {axis:.0f}°} against {others:, 4}; a "
        "knee, thigh or ankle marker lies elsewhere in {others:one of both|it}"
    ),
    "length": "{segment} is {longer:longer|shorter} by {mm:.0f} mm",
    "axis": (
        "{of}: by {n} trials together the {side} thigh's axes seem turned {inward:inward|outward} by {deg:.0f}° ± "
        "{error:.0f}°; hip rotation would be wrong by as much: check the thigh and knee markers"
    ),
}

#: Why events or cycles are not used, or what speaks against them.
_EVENT = {
    "late": "{side:?{side} }{kind}s {ms:+d} ms",
    "by_force": "the plates",
    "by_file": "the file",
    "by_given": "--events or corrections",
    "outside": "it lies outside the trial",
    "plates_silent": "the plates know the load and show no such event",
    "plates_away": "the plates show it {s:.2f} s away",
    "markers_silent": "the markers show no such event",
    "markers_away": "the markers show it {s:.2f} s away",
    "markers_aside": "the markers show it {s:.2f} s {late:before|after}",
    "no_shift": "no single shift fits the file's events to the trial",
    "too_near": "less than {least_s:g} s between {before} and {kind}",
    "in_frame": "{kind} in frame {frame}: {why}",
    "at_time": "{side} {kind} at {s:.2f} s: {why}",
    "cycle_at": "{side} from {s:.2f} s: {why}",
    "clock_outside": (
        "{every:all {n}|{outside} of {n}} lie outside the trial, at {first_s:.4g} to {last_s:.4g} s of 0 to "
        "{end_s:.4g} s"
    ),
    "clock_contradicted": ("plates or markers contradict {wrong} of {n} and confirm {none:none|{confirmed}}"),
    "clock_moved": (
        "are {s:.2f} s {late:late|early} ({why}) and were moved: plates or markers then confirm {n} "
        "of the {inside} inside the trial (with any other shift {other} at most)"
    ),
    "clock_meant": "are not used: {why}; {way} plates or markers confirm {n}",
    "clock_unsure": ("are not used: {why}{alike:?; shifts of {alike:, 3} fit equally well}"),
    "sides_exchanged": "with left and right exchanged",
    "as_frames": "as frames",
    "as_milliseconds": "as milliseconds",
    "cycle_lasts": "it lasts {s:.2f} s; a cycle lasts {least_s:g} to {most_s:g} s",
    "cycle_offs": "the foot leaves the ground {n} times in it, not once",
    "cycle_opposite": "the other foot strikes or leaves {n} times in it, not once: a strike is missing",
    "another_walk": "another walk begins in it",
    "turns": "the walk changes between forward and backward in it",
    "stands": "the body stands still in it",
}

#: Over what the plates weigh a body, or why they do not.
_MASS = {
    "no_foot": "no foot stands wholly on the plates",
    "no_plates": "no usable force plate in the trial",
    "refused": "{why:; }",
    "no_gravity": "without gravity nothing weighs",
    "one_foot": "only one foot was recorded",
    "no_ground": "the ground does not act on this model",
    "support": "with external_support=yes something else carries it too, and the plates do not weigh it",
    "no_plate": "{where} has no usable plate",
    "plates_refused": "the plates of the static cannot be used: {why}",
    "part_beside": "a foot may stand partly beside its plate",
    "then_beside": "with that mass a part of a foot stands beside its plate",
    "quiet": "quiet standing in {where}{zeroed:|, on plates that were never seen empty}",
    "restless": "in {where} nobody stands still on the plates for {s:g} s",
    "no_step": "no step of the trial has all its contacts on plates",
    "strides": "{n} whole {n:stride|strides} of the trial",
    "steps": "{n} whole {n:step|steps} of the trial",
    "feet_differ": "the loads of both feet do not fit each other, as where one stands partly beside its plate",
    "unlikely": "{over} would give {kg:.3g} kg{doubt:?, but {doubt}}",
    "contradiction": ("the plates contradict themselves: {over} gives {kg:.3g} kg, {other} {other_kg:.3g} kg"),
    "both": "{over} and {other}, which agree",
    "circular": "the contacts that count depend on the mass, and it on them",
    "with_spread": "{kg:.1f} kg, spread {spread_kg:.2f} kg",
    "source": "plates, {over}: {value}",
}

#: How two calibrations of one trial differ, and why one of them is used.
_CALIBRATION = {
    "effect": (
        "angles by up to {angle_deg:.1f}° ({angle}){moment:? and moments by up to {moment_Nm_per_kg:.2f} N·m/kg "
        "({moment})}"
    ),
    "off": (
        "against the angles stored in {file} the stored calibration is {stored_deg:.1f}° RMS off, "
        "the static {static_deg:.1f}°"
    ),
    "other": "{what} {other} instead of {used}",
    "same": "none: {static} says the same as the calibration stored in the trial",
    "no_static": "the static cannot be used: {why}",
    "refused": "with the calibration stored in the trial it is refused: {why}",
    "no_angles": (
        "no file stores angles that show which is better, and {fits:the static fits the trial|the static stores the "
        "same calibration as the trial}"
    ),
    "they_differ": "{why}; they differ by up to {deg:.1f}° ({angle})",
    "none": "none: {why}; {static} is not used",
}

_EXPECTED = ", expected {limits: to }: "
_WRONG = "body mass or plate wrong"
_EMPTY = "{share:.0%} of the frames with a known load are empty"
_MEAN = "mean vertical force {share:.3f} body weights over frames {frames:-}"
#: How much is known, and how much is carried.
_FIGURE = {
    "none": "{angles:no wrench is known|no angle and no wrench is known} in any frame",
    "no_load": "no load is known in any frame: coverage was not checked",
    "empty": "{share:.0%} of the frames with a known load are empty",
    "empty_doubtful": _EMPTY + " ({side} {joint}), at most {limit:.0%}: {why:?{why}||markers are missing there}",
    "load_in_part": "the load in {file} is known in frames {first}-{last} only",
    "mean": _MEAN,
    "mean_doubtful": _MEAN + _EXPECTED + f"{{units:?{{units: or }}, it seems||{_WRONG}}}",
    "standing": (
        "both feet stand on plates and carry {share:.2f} body weights, the mean of frames {frames:-}"
        f"{_EXPECTED}{_WRONG}, or something else carries the body (then --set external_support=yes)"
    ),
    "peak": "peak vertical force {share:.2f} body weights",
    "peak_doubtful": "{side} foot on plate {plates} peaks at {share:.2f} body weights" + _EXPECTED + _WRONG,
    "together": (
        "both feet together carry {share:.2f} body weights at frame {frame}, at most {most:g} in walking: body mass "
        "wrong, or a load counted for both feet"
    ),
}

#: What a trial and its static lack of a model's markers.
_MARKERS = {
    "markers": "it lacks {markers:, }",
    "named": "markers of the model {model} are missing or never seen: {markers:, }",
    "static": (
        "it needs a static trial to be calibrated with (--static){shows:? that shows {shows:, }, which have no label "
        "here}"
    ),
    "in_static": "its static lacks {markers:, }",
    "few": (
        "{trial:the trial holds|trial and static share} fewer than three markers of {segments:, "
        "}{unseen:? (not seen: {unseen:, 6})}"
    ),
    "role": "{role}{both:? on both sides}{side:? on the {side}}{labels:? ({labels:, })}",
    "same_labels": "the static has other labels ({of_static:, 3}) than the trial ({of_trial:, 3})",
}

_BEFORE = "{before:?; {before:; }}"
#: Why a model was chosen, and what a better one lacks.
_CHOICE = {
    "beside": ("{file} beside the trial names its markers, and without it no model gives all angles and moments"),
    "calibrated": "the subject file was calibrated for {model}",
    "opensim": "the static is a scaled OpenSim model",
    "first": "{model} is the first of {order:, } that fits{one_leg:? one leg, as none fits both}" + _BEFORE,
    "first_of_trials": (
        "{model} is the first of {order:, } that fits {all:all|{fits}} of {n} trials{one_leg:?, and one leg of "
        "{one_leg} more}" + _BEFORE
    ),
    "before": "{model} does not: {why}",
    "lacks": "{clauses:, and }{wrong}{found:? (found {found})}",
    "better": "{model} gives all angles and moments but is not used: {why}",
}

#: Measurements, and why they are doubted.
_MEASURED = {
    "value": "{key} = {value} ({source})",
    "fault": "{measured:, }: {why}",
    "angle": "look at {labels:?{labels: and } in the static||the static's markers}",
    "times": (
        "{more:?one of them is }{each:?each is }{times:.2g} times what all else of this body lets expect"
        "{how:?, as where }{how}"
    ),
    "exchanged": "each is what the other should be: they are exchanged",
    "person": "{percent:.0f} % {larger:larger|smaller} than the body in the trial, as another person's",
    "lb": "pounds and kilograms were confused",
    "inch": "inches were taken for another unit, or another for inches",
    "ten": "its decimal point slipped",
    "twice": "a radius and a diameter, or one joint and both, were confused",
}

#: Lengths and angles of a body.
_BODY = {
    "length": "{side:?the {side} {what} is {mm:.0f} mm long||the {what} are {mm:.0f} mm apart}",
    "angle": "{angle} {deg:.0f}° (expected {limits:° to }°)",
    "distance": "{what} {static:.0f} mm in the static and {trial:.0f} mm in the trial",
    "in_line": "the markers of the {side:?{side} }{segment} lie in one line: {labels:, }",
    "foot": "{side} {deg:.1f}°",
    "off": "{side} by {deg:.1f}°",
    "slope": "{side} {deg:.0f}°",
}

#: Why the whole body's centre of mass is not known.
_WHOLE = {
    "model": "{file} does not go with the model {model}: {fault}",
    "no_frame": "no frame has all of its markers",
    "no_row": "the table {table} has no row for the {segment}",
    "mass": "the table {table} gives the mass of the {segment} in kilograms",
    "legs": "a leg was not recorded, or a segment's mass is given in kilograms",
    "pelvis": "the model gives the pelvis a mass of its own",
    "trunk": "legs, head and arms leave {share:.2f} of the mass for the trunk",
    "no_trunk": "the trial has no markers of the shoulders, nor at C7 and the jugular notch",
}

#: How the direction of a walk was found.
_WAY = {
    "of_pass": "pass {number}: {how}",
    "unknown": "unknown: the point is never seen",
    "turns": "path of {point} over a stride in each frame: the walk turns by {deg:.0f}°",
    "straight": (
        "{laboratory:?laboratory axis nearest to the }{backward:?against the }{facing:?way that the {facing} joints "
        "face ({point} stays in place)||displacement of {point}}{backward:?: the subject walks backward}{slope:?: the "
        "walk goes {up:up|down} by {slope:.0f}°}"
    ),
}

#: What a file holds, and why it is not read as it says.
_READ = {
    "seen_in": "{label} in {n} of {of} frames",
    "no_forces": "there are no forces",
    "no_columns": "there are no force columns",
    "no_devices": "the export has no section Devices",
    "subject_file": "a subject file of Nexus ({suffix})",
    "event": "{name}{no_side:? with no side}{context:? of context {context}}",
    "says": "{what} says {unit:?{unit}||no unit}",
    "no_converter": "they reach {largest:.3g}, and no converter {most:g} V",
    "no_step": "ANALOG:SCALE gives each step of the converter {step:.3g}, and no converter takes {most:g} V",
    "person": "up to {N:.0f} N lasts and acts on its surface",
    "as_another": "another plate of the file with these labels {force:holds newtons|tells it}",
    "not_loaded": "nothing loads it",
    "zero_frames": "frames {first} to {last} (FORCE_PLATFORM:ZERO)",
    "zero_beyond": "the trial ends with frame {last}",
    "zero_short": "shorter than a period of the mains, {ms:g} ms",
    "zero_unknown": "the load is unknown then",
    "zero_loaded": "the plate may be loaded then: {N:.3g} N",
    "shared": "plates {plates:and} share channels: {channels:, }",
    "overlap": "plates {plates:and} lie on each other: {share:.0%} of the smaller surface",
    "nowhere": "the export has no positions of plates; give --plates FILE.yaml ({template})",
    "not_in": "not in {file}",
    "no_moment": "the export holds no Moment of it",
    "fits": "axes: {axes}, moment_about: {about} would fit",
    "fits_none": "no other declaration fits: check the corners",
}

_ESTIMATE = {
    "support": "something else than the ground carries the body too",
    "mass": "the body's mass is not known",
    "flies": "the body flies: only walks were tried",
    "motion": "the motion of both legs and pelvis, with their masses, is not known",
    "differs": "plates carry {weights:+.2f} body weights less than the motion asks for: a hand, a load or a wrong mass",
    "passes": (
        "the force that the motion asks for passes the {side} foot by {cm:.0f} cm: a hand holds, a load is carried, or "
        "what was not measured moves much"
    ),
    "no_stance": "no stance without a load lies whole within the trial, with events",
}

#: What would make it good, where that depends on what was found.
_CURES = {
    "beside": "--static {path:typed}, if a model with all angles and moments fits it{other:?; or {other}}",
    "better": "{todo:?{todo}||give one with --static}: {model} then gives all angles and moments",
    "assign": (
        "{options: or }, if the load that no foot claims is this foot's; else " + REASONS["no_whole_stance"].cure
    ),
}

PHRASES = {
    "turn": "{joint} by {deg:.0f}°",
    "outside": "{what} = {value} ({source}) is outside {low} to {high}",
    "frames": "{one:frame|frames} {runs:, }{more:? and {more} more runs}",
    **{
        f"{group}/{name}": words
        for group, phrases in {
            "fault": _FAULT,
            "gap": _GAP,
            "contact": _CONTACT,
            "plate": _PLATE,
            "hypothesis": _HYPOTHESIS,
            "laboratory": _LABORATORY,
            "session": _SESSION,
            "event": _EVENT,
            "mass": _MASS,
            "calibration": _CALIBRATION,
            "figure": _FIGURE,
            "lacks": _MARKERS,
            "choice": _CHOICE,
            "measured": _MEASURED,
            "estimate": _ESTIMATE,
            "body": _BODY,
            "whole": _WHOLE,
            "way": _WAY,
            "read": _READ,
            "cure": _CURES,
        }.items()
        for name, words in phrases.items()
    },
}
