"""Made by `python docs/make_cli.py`: `gaitid --help` by the columns of the terminal."""

TEXTS = {
    80: """\
Usage: gaitid [OPTIONS] COMMAND [ARGS]...

  3D gait analysis from markers and force plates to joint wrenches.

Options:
  -q, --quiet    Print nothing but errors on stderr.
  -v, --verbose  Print more on stderr.
  --debug        Show the full traceback of an error.
  --version      Show the version and exit.
  -h, --help     Show this message and exit.

Commands:
  run         Joint wrenches, angles, moments and powers of one or more
              trials.
  batch       All trials of a data set: supervised, resumable.
  inspect     What is in a file: markers, plates, loads, subject, events.
  calibrate   What a session needs of its static, once: a subject file.
  check       Can these trials be analysed and trusted? The exit code says.
  simulate    A synthetic trial with its exact wrenches beside it.
  mechanism   Inverse dynamics of a planar, kinematically driven mechanism.
  capacity    What accelerations a leg's joint torques could produce, posture
              by posture.
  report      Pictures and tables of results, for people.
  compare     How far two results lie apart, or a result and another
              program's, and why.
  export      Results for other programs: C3D, OpenSim, MATLAB, tables.
  norms       Normative bands: list, show, and build your own.
  models      List, show and check models.
  completion  Completion by TAB in bash, zsh and fish: how to switch it on.

  Example:  gaitid run walk.c3d --model pig -o results

  The command line in full: docs/command_line.md
""",
    110: """\
Usage: gaitid [OPTIONS] COMMAND [ARGS]...

  3D gait analysis from markers and force plates to joint wrenches.

Options:
  -q, --quiet    Print nothing but errors on stderr.
  -v, --verbose  Print more on stderr.
  --debug        Show the full traceback of an error.
  --version      Show the version and exit.
  -h, --help     Show this message and exit.

Commands:
  run         Joint wrenches, angles, moments and powers of one or more trials.
  batch       All trials of a data set: supervised, resumable.
  inspect     What is in a file: markers, plates, loads, subject, events.
  calibrate   What a session needs of its static, once: a subject file.
  check       Can these trials be analysed and trusted? The exit code says.
  simulate    A synthetic trial with its exact wrenches beside it.
  mechanism   Inverse dynamics of a planar, kinematically driven mechanism.
  capacity    What accelerations a leg's joint torques could produce, posture by posture.
  report      Pictures and tables of results, for people.
  compare     How far two results lie apart, or a result and another program's, and why.
  export      Results for other programs: C3D, OpenSim, MATLAB, tables.
  norms       Normative bands: list, show, and build your own.
  models      List, show and check models.
  completion  Completion by TAB in bash, zsh and fish: how to switch it on.

  Example:  gaitid run walk.c3d --model pig -o results

  The command line in full: docs/command_line.md
""",
}
