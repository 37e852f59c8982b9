"""`gaitid models`, and how a command has `list` and `show NAME` of the files that come with gaitid."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli import options
from gaitid.cli.common import TALK_FLAGS, Target, attempt, print_detail, print_info, talk_options

if TYPE_CHECKING:
    from gaitid.model.marker_sets import MarkerSet


@click.group(
    short_help="List, show and check models.",
    invoke_without_command=True,
    epilog="Example:  gaitid models show pig > mine.yaml; gaitid models validate mine.yaml"
    "\n\nMore: docs/model.md, and markers that are not Plug-in Gait's: docs/any_lab.md",
)
@talk_options
@click.pass_context
def models_command(ctx: click.Context) -> int | None:
    """List, show and check models; without a subcommand, list them."""
    return ctx.invoke(models_list) if ctx.invoked_subcommand is None else None


@models_command.command("list", epilog="Example:  gaitid models list")
@talk_options
def models_list() -> int:
    """The bundled models: name, title and file, separated by tabs."""
    from gaitid.model.load import bundled_models, load_model

    failed, lines = 0, []
    for name, path in bundled_models().items():
        model = attempt(str(path), partial(load_model, path))
        failed += model is None
        if model is not None:
            lines.append(f"{name}\t{model.title}\t{path}\n")
    click.echo("".join(lines), nl=False)  # at once, as every command: a reader that has enough of it is no failure
    return 1 if failed else 0


@models_command.command("show", epilog="Example:  gaitid models show pig_vicon --resolved")
@click.argument("name")
@click.option("--resolved", is_flag=True, help="With everything that it extends merged into one file.")
@talk_options
def models_show(name: str, resolved: bool) -> int:
    """The YAML of the model NAME (a bundled model or a file), to copy and edit."""
    from gaitid.model.find import text_of

    click.echo(_resolved(name) if resolved else text_of(_model_file(name)), nl=False)
    return 0


def _model_file(name: str) -> Path:
    """The model's file, but not an empty one of a bundled name: `show pig > pig.yaml` has just made that."""
    from gaitid.model.find import hidden_model
    from gaitid.model.load import bundled_models, find_model

    path, hidden = find_model(name), hidden_model(name)
    return bundled_models()[hidden] if hidden and path.stat().st_size == 0 else path


def _resolved(name: str) -> str:
    import yaml

    from gaitid.model.find import about_hidden
    from gaitid.model.load import merged_content

    merged = about_hidden(name, lambda: merged_content(_model_file(name)))

    class Plain(yaml.SafeDumper):
        """Without anchors: a person reads this."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    body = yaml.dump(merged.content, Dumper=Plain, sort_keys=False, allow_unicode=True, width=110)
    first, *others = (path.name for path in merged.paths)
    return f"# {first}, with {', '.join(others) or 'nothing'} merged in\n{body}"


@models_command.command("choices", epilog="Example:  gaitid models choices pig")
@click.argument("name", required=False)
@talk_options
def choices(name: str | None) -> int:
    """What may be chosen with --set CHOICE=OPTION in the model NAME, or in each bundled model: model, choice, option,
    whether it is the default, what it is, and its source, separated by tabs.
    """
    from gaitid.model.load import bundled_models, merged_content

    files = [_model_file(name)] if name is not None else list(bundled_models().values())
    lines = []
    for path in files:
        for choice, of in merged_content(path).choices.items():
            for key, option in of.options.items():
                default = "default" if key == of.default else ""
                lines.append("\t".join((path.stem, choice, key, default, option.title, option.source)) + "\n")
    click.echo("".join(lines), nl=False)
    return 0


@models_command.command("schema", epilog="Example:  gaitid models schema")
@talk_options
def schema() -> int:
    """The model language: every key, what it holds, and its default."""
    click.echo(schema_text(), nl=False)
    return 0


@models_command.command("validate", epilog="Example:  gaitid models validate mine.yaml")
@click.argument("file")
@talk_options
def validate(file: str) -> int:
    """Check a model FILE with all that it extends and each option of its choices, or a marker set: OK, or one
    line with every fault and exit code 1.

    Warnings on stderr name markers that nothing uses.
    """
    from gaitid.model.find import about_hidden
    from gaitid.model.load import unknown_landmarks, unused_markers, with_each_option

    known = _marker_set(file)
    if known is not None:
        notes = unknown_landmarks(known)
    else:
        model = about_hidden(file, lambda: with_each_option(file))
        notes = unused_markers(model)
    for note in notes:
        print_info(f"warning: {note.text}")
    read = model if known is None else known
    click.echo(f"OK {file}: {read.name}: {read.title}")
    for path in model.paths if known is None else (known.path,):
        print_detail(f"{file}: read {path}")
    return 0


def _marker_set(file: str) -> MarkerSet | None:
    """The marker set in a file; None where the file is none."""
    from gaitid.model.load import is_file
    from gaitid.model.marker_sets import load_marker_set
    from gaitid.model.parsed import content_of

    path = Path(file)
    if not is_file(path):
        return None
    content = content_of(path)
    return load_marker_set(path) if isinstance(content, dict) and "gaitid_markers" in content else None


@models_command.command("markers", epilog="Example:  gaitid models markers walk.c3d > ours.markers.yaml")
@click.argument("trial", type=Target())
@options.option("subject_prefix")
@options.reader_set
@talk_options
def markers(trial: Path, **given: Any) -> int:
    """A first draft of a marker set from TRIAL: what its labels mean, by the bundled sets and by where the markers are
    worn. Correct it, and give it to `gaitid run` with --markers.
    """
    from gaitid.inspect.draft import draft_marker_set
    from gaitid.read import read_trial

    settings = options.reader_settings(given["settings"], given["subject_prefix"])
    text = attempt(str(trial), lambda: draft_marker_set(read_trial(trial, settings=settings)))
    if text is None:
        return 1
    click.echo(text, nl=False)
    return 0


# What gaitid/model/schema.py accepts, in the order of a model file. Settings and lists of choices come from
# the code itself (`schema_text`); tests/cli/test_models.py holds the rest to it.
SCHEMA_TEXT = """\
# The model language of gaitid, version {version}. A model is a YAML file; a key not named here is refused.
# Lengths in formulas are in metres, angles in radians, unless a key says otherwise.
# A formula is a number or a text such as "0.5 * (knee_width + marker_diameter)": + - * / **, parentheses,
#   {functions},
#   pi, distance(a, b) of two points, mean(...) over the frames, first(a, b, ...): the first that is known,
#   by_sex(female, male).
# A name in `each_side` means the same side first, then the middle of the body; left.NAME and right.NAME are
#   that side; `sign` is the side's sign.
# In what follows (required) marks keys without a default; a default stands after "=".

gaitid_model: {version}                  # (required)
name: TEXT                        # (required)
title: TEXT                       # = ""
extends: FILE or NAME             # a model to start from: mappings are merged key by key, points and frames
                                  #   replaced whole, a key set to null is taken away
sources: ANYTHING                 # references, for people
table: FILE                       # (required) segment parameters, beside this file or bundled

choices:                          # = none; each can be given with --set NAME=OPTION (table always, also as a file)
  NAME:
    title: TEXT                   # = ""
    default: OPTION               # (required) merged in before what this file says itself
    options_from: FILE            # = none; options that models share: gaitid_choice: {version}, title, options
    options:                      # (required); an option of `extends` is replaced whole, null takes it away
      OPTION:
        title: TEXT               # = ""
        source: TEXT              # (required)
        definitions:              # = none; merged over the model where the option is chosen
          SECTION: ANYTHING       # any of: {sections}

sides:                            # (required) one or both
  left: {{letter: TEXT, sign: 1 or -1}}       # {{S}} in labels is the letter
  right: {{letter: TEXT, sign: 1 or -1}}
vertical: z                       # = what plates, posture or the file say; x, y or z, or -x, -y, -z: what points up

subject:                          # = none; measurements of the whole body
  NAME:
    key: TEXT                     # (required) its name in a subject file, ending in _UNIT
    unit: {units}         # (required) in a subject file
    range: [LOW, HIGH]            # (required) SI; outside it is refused
    c3d: TEXT or [TEXT, ...]      # = ""; its name in a trial's PROCESSING or SUBJECTS group, the first that is there
    c3d_unit: {units}     # = unit
    optional: true or false       # = false
    zero_is_absent: true or false # = false; a stored 0 means that nobody measured it
    static: FORMULA, or           # how it follows from a static trial
      {{proximal: FRAME, distal: FRAME, sequence: SEQUENCE, value: FORMULA of a, b, c in degrees}}, or
      {{from: VECTOR, to: VECTOR, about: VECTOR, value: FORMULA of angle in rad}}    (about: optional)
    trial: FORMULA                # how it follows from the trial's own markers, where neither file nor static says it
    trial_source: TEXT            # = trial, estimated from its markers; that in words, for the record
    otherwise: FORMULA            # what is taken when nothing else says; needs
    because: TEXT                 #   the reason, which a warning repeats
                                  # mass is the body's mass: required where fractions of it or moments are used
subject_each_side:                # = none; the same for measurements of each leg

middle:                           # = none; definitions of the middle of the body
each_side:                        # (required) definitions of each side
  markers: {{NAME: LABEL or [LABEL, ...]}}    # the first that the trial holds; {{S}} is the side's letter
  calibration_markers: {{NAME: LABEL or [LABEL, ...]}}   # = none; only static and trial of measurements use them
  landmarks: [NAME, ...]          # = none; markers whose labels a marker set says (docs/any_lab.md)
  clusters: [NAME, ...]           # = none; groups of markers likewise, for rigid frames
  numbers: {{NAME: FORMULA}}
  points: {{NAME: POINT}}
  frames: {{NAME: FRAME DEFINITION}}

# POINT is the name of a marker or point, or one of
{points}# VECTOR is [POINT, POINT], FRAME.AXIS such as shank.y, or one of
{vectors}# FRAME DEFINITION is one of
{frames}# AXIS is {axes}. SEQUENCE is {sequences}.

chain:                            # (required) bodies of one limb, from its free ends (the ground) up
  - segment: TEXT                 # (required)
    frame: FRAME                  # (required)
    row: TEXT                     # = segment; its row in the table
    com: POINT                    # (required) may use length and com_fraction, with a span com_forward, _up, _right
    length: FORMULA               # (required) that the table's fractions are of
    joint: TEXT                   # (required) its proximal joint
    centre: POINT                 # (required) that joint's centre, a name
    on: SEGMENT                   # = the next of the list, the base for the last; what it hangs from, listed after it
    ground: true or false         # = false; true for the one body that the ground acts on, if any
    length_range_m: [LOW, HIGH]   # = {lengths}, or {own_lengths} with mass_kg; of the
                                  #   distance to the joints that hang from it; outside it is refused
    optional: true or false       # = false; without its markers it is left out: its angles and the wrenches are empty
base: {{segment: TEXT, frame: FRAME, origin: POINT}}           # (required) what the chains of all sides hang from
                                  # where it has a mass also row (= segment), com, length, joint and centre, as above
pose:                             # = by: frames; where segments are put (docs/multibody.md)
  by: frames, multibody or opensim    # (required) as their frames say, as a chain with joints that fits all markers,
                                  #   or that chain with the joints of the .osim that is the static, and its masses
  tracking:                       # = the markers of rigid frames; which markers move with each segment
    SEGMENT: [NAME, ...] or {{NAME: WEIGHT, ...}}
  segment_weights: {{SEGMENT: WEIGHT, ...}}   # = 1; times the weight of each marker of the segment
  joints:                         # = ball joints
    JOINT:
      type: {joint_types}             # = ball
      free: [ANGLE, ...]          # = the first of its sequence; ANGLE is a column of its angles, or a, b or c
      limits_deg: {{ANGLE: [LOW, HIGH], ...}}            # = none
      held_at_deg: {{ANGLE: NUMBER, ...}}                # = as in the static; of angles that are not free
      pull_mm_per_deg: {{ANGLE: NUMBER, ...}}            # = none; toward the static, in mm of a marker off
spans:                            # = none; between which points a table may measure the segments
  NAME: {{segment: SEGMENT, from: POINT, to: POINT, forward_up_right: [x, z, -y]}}   # axes of its frame that point so
ground_contact:                   # (required) if a body has ground: true; the instead_of are for what was never seen
  {{heel: POINT, toe: POINT, instead_of_toe: POINT, instead_of_heel: POINT}}
progression: {{point: POINT, axes: displacement or laboratory, forward_left_up: xyz}}  # (required) if an angle uses it

angles:                           # (required) Cardan angles; each joint of the chain needs one of its name
  NAME: {{proximal: FRAME or progression, distal: FRAME, sequence: SEQUENCE, COLUMN: FORMULA, ...}}
                                  # formulas of a, b, c in degrees and sign; with optional: true also without markers
lengths: {{NAME: {{mm: FORMULA, index: FORMULA}}, ...}}      # = none; columns NAME_mm, NAME_index of each side
distal_foot_power: true or false  # = false; whether the power of what deforms below the foot is a column
moments:                          # = none; internal moments of joints of the chain
  JOINT: {{axes: FRAME or jcs, COLUMN: FORMULA, ...}}       # formulas of x, y, z in N·m/kg and sign
                                  # COLUMN of either: also `unknown`, or
                                  #   {{value: FORMULA, needs: [POINT, ...]}}: empty without these points
no_wrenches_because: TEXT         # = ""; where the points are no joint centres: why wrenches are not written
caution: TEXT                     # = ""; what every result of the model is to be read with; a note says it
unchecked: TEXT                   # = ""; that nothing independent was found to check it against; the page says it
upper_body: FILE                  # optional; trunk, head and arms (docs/whole_body.md)

# The table of segment parameters is a file of its own:
#   gaitid_table: {version}               # (required)
#   name: TEXT, title: TEXT (= ""), source: TEXT
#   gyration_about: centre_of_mass    # (required) where a row gives gyration_fractions
#   extends: TABLE                    # = none; rows that this table does not give itself
#   by_sex: {{female: TABLE, male: TABLE}}   # in place of segments: that of the subject's sex
#   segments:                         # (required); left.SEGMENT goes before SEGMENT, whose row is of the right side
#     SEGMENT:
#       mass_fraction: NUMBER         # of body mass, or mass_kg: NUMBER
#       com_fraction: NUMBER          # of length, from the proximal end; beside mass_kg only if a com uses it
#       gyration_fractions: [x, y, z] # of length, about the centre of mass, or
#       inertia_kg_m2: [x, y, z]      #   principal moments, or three rows of three; about the centre of mass
#       span: NAME                    # = none; of the model: then all is in its axes forward, up, right, the length
#                                     #   is that of the span, and the row may have
#       com_fractions: [X, Y, Z]      #   of length, from the origin of the span, or com_m: [X, Y, Z]
#       product_fractions: [xy, xz, yz]   #   radii of the products of inertia, negative where imaginary
#       source: TEXT                  # = the table's

settings:                         # each can be given with --set KEY=VALUE
{settings}"""


def schema_text() -> str:
    """The description with the choices and defaults that the code has now."""
    from gaitid.model import expression
    from gaitid.model.choices import SECTIONS
    from gaitid.model.pose import JOINT_TYPES
    from gaitid.model.schema import LENGTHS, MEASURED_LENGTHS, SCHEMA, SEQUENCES, UNITS
    from gaitid.model.settings import SETTINGS, Settings
    from gaitid.model.shapes import AXES, FRAMES, POINTS, VECTORS, schema_lines

    functions = sorted(expression.FUNCTIONS)
    default = Settings()
    lines = []
    for key, setting in SETTINGS.items():
        lines.append(f"  {f'{key}: {_yaml(getattr(default, key))}':<38}# {setting.help}".rstrip(" #"))
    return SCHEMA_TEXT.format(
        version=SCHEMA,
        units=" or ".join(UNITS),
        axes=" or ".join(AXES),
        sequences=" or ".join(SEQUENCES),
        functions=", ".join(functions),
        sections=", ".join(SECTIONS),
        joint_types=" or ".join(JOINT_TYPES),
        lengths=[*LENGTHS],
        own_lengths=[*MEASURED_LENGTHS],
        settings="\n".join(lines) + "\n",
        points=schema_lines(POINTS),
        vectors=schema_lines(VECTORS),
        frames=schema_lines(FRAMES),
    )


def _yaml(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


class WithTemplates(click.Group):
    """A command with subcommands beside what it does itself: `gaitid simulate walk` and `gaitid simulate show walk`.

    A first word that is none of the subcommands is the command's own argument; a file of such a name is `./show`.
    """

    allow_interspersed_args = True
    allow_extra_args = False  # a group would keep a second file for a subcommand, and lose it

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **{"invoke_without_command": True, "no_args_is_help": False, **given})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next((i for i, word in enumerate(args) if word not in TALK_FLAGS), 0)
        if args[first : first + 1] and args[first] in self.commands:
            ctx.args = [args[first], *args[:first], *args[first + 1 :]]  # `-q show walk` is `show -q walk`
            return ctx.args
        return click.Command.parse_args(self, ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if not (ctx.args and ctx.args[0] in self.commands):
            return click.Command.invoke(self, ctx)
        name, command, args = self.resolve_command(ctx, ctx.args)
        assert command is not None
        # a child of the group above: its path would have the argument of this command in it
        with command.make_context(f"{ctx.info_name} {name}", args, parent=ctx.parent) as sub:
            return command.invoke(sub)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return click.Command.collect_usage_pieces(self, ctx)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_usage(ctx, formatter)
        for name, command in self.commands.items():
            pieces = [piece for piece in command.collect_usage_pieces(ctx) if piece != "[OPTIONS]"]
            formatter.write(f"       {' '.join((ctx.command_path, name, *pieces))}\n")
