// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"

namespace ct {

std::string usageText()
{
    return R"(Live coroutine inspection over cTP shared memory.

The window:
  corotracer-gui [OPTIONS] [FILE]              FILE: a recording (.ctr, .jsonl), a region (.shm) or a database (.sqlite)
  corotracer-gui [OPTIONS] -- TARGET [ARG...]  starts TARGET and shows its coroutines
  corotracer-gui [OPTIONS] --input -           shows a recording while it arrives on standard input:
                                               ssh HOST corotracer-gui --batch -o - -- TARGET | corotracer-gui --input -
Without a window:
  corotracer-gui --batch [OPTIONS] -- TARGET [ARG...]
  corotracer-gui --batch --input FILE --export KIND [-o FILE] ...

  --batch                 capture, convert or judge without a window

What to capture, one of:
  -- TARGET [ARG...]      a program to start
  --cmd 'LINE'            a line for /bin/sh to start
  --listen                a program that is started elsewhere; without a window, the lines that start it in a shell,
                          with systemd and in a container are printed
  --attach SHM            an existing region, live or left over

Capture:
  -n, --stations N        how many coroutines can be traced at once, 1 to 2097150 [2097150]. Memory is allocated as it
                          is needed; if N is given, version-1 stations get their memory at the start
  --shm PATH              where to create the region
  --sock PATH             where to create the socket, at most 100 bytes
  --lane-size SIZE        size of a lane, the memory of one thread for events that the capture has not read yet,
                          64KiB to 128MiB [64MiB]
  --lane-pool SIZE        memory of all lanes together, 128KiB to 1TiB [4GiB]
  --lane-retention S      how many seconds the lane of a thread that ended is kept from other threads [0]
  --backlog SIZE          memory for events that are captured but not decoded yet, 64MiB to 1TiB [an eighth of the
                          machine's memory]. A long backlog waits in a file in the folder of -o FILE, if that disk
                          is fast enough
  --max-overhead SHARE    alternately switch tracing off and on if it would cost the target more than this share of its
                          processor time, such as 2% [no limit]. Coroutines that are born while it is off are not
                          traced. The views show when it was off
  --no-lanes              capture only the latest eight transitions of each coroutine, as in version 1

Diagnosis:
  --threshold NAME=VALUE  set a threshold of the rules, such as late=2s; may be repeated. docs/diagnosis.md has the
                          names and defaults, and so has the message for a wrong name. With --batch, it needs
                          --report or --fail-on

Functions and lines of addresses:
  --debug-path DIR        also search DIR for programs and their debug files; may be repeated. Nothing is ever
                          fetched from a server

With --batch:
  -o, --output FILE       record to FILE, whose extension selects the format: .ctr has everything; .jsonl, .csv and
                          .sqlite are for other programs, .pftrace for ui.perfetto.dev, .json for viewers of Chrome
                          traces. .jsonl.gz, .jsonl.zst, .csv.gz and .csv.zst are compressed. Waits, wakes and uses
                          of objects of run.csv go to a second file, run.causes.csv.
                          - writes a recording to standard output, for --input - at the other end of a pipe; the
                          target's output then goes to standard error.
                          When the capture ends, events may still wait for a slow file; a message says how many.
                          Ctrl-C gives them up and counts them: the file is valid, and the exit status 4
  --export KIND [-o FILE] convert the recording or session of --input, or add an output to a capture. KIND is jsonl,
                          csv, sqlite, perfetto, chrome, ctr, postgresql or mysql. The FILE of a server is an address:
                          postgresql://[USER@]HOST[:PORT]/DATABASE. Its password comes from PGPASSWORD or MYSQL_PWD,
                          or is asked for on the terminal. May be repeated; each -o after an --export names its
                          output. Without one, the output is named after the input, or after the first -o of a
                          capture, with the extension of KIND
  --lenient               with --input FILE.jsonl: skip bad lines, and report their number and the first one. Without
                          this option, the first bad line ends reading
  --csv-for-spreadsheets  in CSV files, put an apostrophe in front of each name, file or function that begins like a
                          formula (with = + - @ or a tab), so that no spreadsheet runs it
  --limit TIME|SIZE       keep only the latest part of a recording, such as 10min or 4GiB, in files run.0.ctr,
                          run.1.ctr, ..., of which the oldest are removed. May be given twice, a time and a size
                          [none]
  --session ID            name of the run in a recording (.ctr) [16 random digits]
  --summary FILE          write sums and stuck coroutines as JSON
  --report KIND           judge the run, and write a report: text, markdown, html, json, sarif or junit. The run is
                          judged when its end is decided, or else at its end. html is one file for a browser, with
                          all coroutines and their timelines
  --report-out FILE       where to write the report [standard output]
  --fail-on RULE,...|any  exit with 10 instead of 0 if one of these rules has a warning or an error. The rules:
                          lost-wakeup, never-run, lost-wake-race, stall, deadlock, leak, starvation, long-run,
                          blocking-call, never-started, double-resume, after-death, capture
  --confidence P          with --fail-on: ignore findings with a confidence below P, 0 to 1 [0]
  --baseline FILE         ignore the findings in FILE, a report in JSON, as long as they do not become more severe
  --input FILE            with --export: convert FILE; with --report or --fail-on: judge it. Both together read it once.
                          FILE is a recording, a SQLite database, postgresql://[USER@]HOST/DATABASE[?session=N], or
                          - for standard input; a region (.shm) is judged as with --attach
  -deepdive -out FILE     as in the existing collector: --batch --input FILE --report markdown --report-out
                          coro_report.md; without -out, FILE is trace_output.jsonl
  -html -out FILE         the same with --report html --report-out coro_dashboard.html
  --duration S            end after S seconds; a program that was started here is terminated
  --until-idle            with --listen: end when no target uses the region any more, after one has used it
  --keep TIME|SIZE        keep only the latest events in memory, such as 30s, 2min or 64MiB, and write them only when a
                          dump is due. May be given twice, a time and a size [at most 2GiB]. The dumps of -o run.jsonl
                          are run.1.jsonl, run.2.jsonl, ...; existing files are left alone
  --dump-on finding       dump when a coroutine is found to be stuck: once per site within the time that is kept [60s],
                          10 dumps at most; findings without a dump are counted
  --dump-on death         dump when a process of the target has ended, once per process. --dump-on may be given twice,
                          or not at all: SIGUSR1 to corotracer-gui dumps at any time
  SIGUSR2 to corotracer-gui writes the findings so far and the stacks of all coroutines to standard error; the run
  continues

Options of the existing collector, with one dash or two. They select --batch; docs/interchange.md has the table:
  -cmd, -shm, -sock, -out, -in, -export
                          collect to -out [trace_output.jsonl], or convert -in [-out], or both in one run; a run is
                          appended to the older ones in -out
  -sqlite-out, -csv-out   names of these outputs, in folders that may be missing [the input with another extension]
  -db-host, -db-port, -db-user, -db-name, -db-table, -mysql-socket, -pg-sslmode, -pg-maintenance-db
                          the database of -export postgresql or mysql [coro_tracer on 127.0.0.1]
  -db-cli, -db-password   accepted with a warning: no other program is needed, and a password belongs in PGPASSWORD or
                          MYSQL_PWD, because the list of processes shows options

The window:
  --input FILE            like FILE: a recording, a SQLite database, or postgresql://[USER@]HOST/DATABASE[?session=N].
                          - shows a recording from standard input and keeps it with the other recordings. A recording
                          that is still being written is followed
  --screenshot PNG        save a picture of the window and quit; no picture if FILE cannot be opened or TARGET started
  --screenshot-after S    save the picture after S seconds [3]
  --theme light|dark|system
                          colours of this window only [the choice in View > Theme]

  -h, --help              this text
  -v, --version           the version

Exit status of --batch:
  that of the target (128 + signal if a signal killed it); 0 for --listen and --attach
  2    wrong usage
  3    the capture, the input or the display failed, or the recording is cut off, damaged or not complete yet
  4    an output failed or lacks events
  10   findings, see --fail-on
  127  the target cannot be started
  128 + signal   a signal cancelled a conversion
Exit status of the window: 0, 2 or 3; with --screenshot also 4 and 127, and 3 if FILE or SHM cannot be opened.
)";
}

}  // namespace ct
