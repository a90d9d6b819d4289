"""The codecs alone, of Tollgate and of others: how long it takes to write and read a request of 11 AVPs."""

import statistics

from checks import check
from process import run

TOLLGATE = "tollgate"
MEASURED_WITHIN = 600


class Codecs:
    """Commands by names, the folders where they run, and what was measured: nanoseconds of a request in each round."""

    def __init__(self, commands, folders):
        self.commands = commands
        self.folders = folders
        self.measured = {name: [] for name in commands}

    def measure(self, rounds):
        """Runs them in turn, every other round in the reverse order."""
        for place in range(rounds):
            names = list(self.commands)
            if place % 2:
                names.reverse()
            sums = {name: self.round(name) for name in names}
            # All wrote the same, and read it.
            check("the sums of values", dict.fromkeys(sums, sums[TOLLGATE]), sums)

    def round(self, name):
        """Runs one, notes its time, and returns its sum."""
        output = run(f"codec-{name}", self.commands[name], self.folders[name], MEASURED_WITHIN)
        nanoseconds, total = output.split()
        self.measured[name].append(float(nanoseconds))
        return int(total)

    def ratios(self):
        """Returns how many times as long each takes as Tollgate: the median of the rounds."""
        ours = self.measured[TOLLGATE]
        return {
            f"codec_over_{name}": statistics.median(other / own for own, other in zip(ours, others))
            for name, others in self.measured.items()
            if name != TOLLGATE
        }

    def rows(self):
        """Returns what each one takes for a request, in nanoseconds: its fastest round."""
        return {f"codec, {name}": min(rounds) for name, rounds in self.measured.items()}
