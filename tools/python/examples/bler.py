# SPDX-License-Identifier: BSD-3-Clause
#
# Block error rate of the UTRAN 384 kbit/s bearer over the signal-to-noise ratio. Run the cells one after another in an editor
# that knows them (Jupyter, VS Code, Spyder), or the whole: python3 bler.py [bler.png]. The plot needs matplotlib.

# %% What a run counts
import sys

import aloe


def bler(ebn0_db: float, slots: int = 300, waveform: str = "utran384-random") -> float:
    """Blocks with errors as a share of all blocks, on the virtual clock: the same number on every machine."""
    report = aloe.run(waveform, clock="virtual", slots=slots, set={"noise.ebn0_db": ebn0_db})
    compare = next(one for one in report["instances"] if one["component"] == "bit_compare")
    return compare["variables"]["block_errors"] / compare["variables"]["blocks"]


# %% The sweep
def sweep(points, **options):
    return [(ebn0_db, bler(ebn0_db, **options)) for ebn0_db in points]


# %% The plot
def plot(points, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.semilogy([x for x, _ in points], [max(y, 1e-4) for _, y in points], "o-")
    pyplot.grid(True, which="both")
    pyplot.xlabel("Eb/N0 in dB")
    pyplot.ylabel("block error rate")
    pyplot.title("UTRAN 384 kbit/s, turbo code")
    pyplot.savefig(file)


# %% All of it
if __name__ == "__main__":
    found = sweep([1.6, 1.8, 2.0, 2.2, 2.4])
    for at, rate in found:
        print(f"{at:.1f} dB: {rate:.4f}")
    if len(sys.argv) > 1:
        plot(found, sys.argv[1])
        print(f"{sys.argv[1]} is written")
