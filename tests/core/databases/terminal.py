# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal for a program that asks questions."""

import os
import pty
import subprocess
import termios
import time

PATIENCE_S = 150


class Terminal:
    """Runs a command on its own terminal. `environment`: all variables."""

    def __init__(self, command, environment):
        self.master, self.slave = pty.openpty()
        os.set_blocking(self.master, False)
        # setsid --ctty makes it the terminal that turns Ctrl+C into a signal.
        self.process = subprocess.Popen(["setsid", "--ctty", *map(str, command)], stdin=self.slave, stdout=self.slave,
                                        stderr=self.slave, env=environment)
        self.text = ""

    def shows(self, text):
        """Reads until the terminal has shown the text, or the program has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.text and time.monotonic() < deadline:
            has_ended = self.process.poll() is not None
            try:
                self.text += os.read(self.master, 4096).decode(errors="replace")
            except BlockingIOError:
                if has_ended:
                    break
                time.sleep(0.01)
        return text in self.text

    def echoes(self):
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """Waits for the end of the program. Returns its exit status."""
        while self.process.poll() is None:
            self.shows("\0")
        self.shows("\0")
        os.close(self.slave)
        os.close(self.master)
        return self.process.returncode
