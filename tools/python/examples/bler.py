# SPDX-License-Identifier: BSD-3-Clause
#
# Block error rate of the UTRAN 384 kbit/s bearer over the signal-to-noise ratio, for several numbers of decoder iterations. Run
# the cells one after another in an editor that knows them (Jupyter, VS Code, Spyder), or the whole:
#
#     python3 bler.py [bler.png [SLOTS]]
#
# The plot needs matplotlib.

# %% What a run counts
import math
import sys

import aloe

POINTS_DB = [0.4 + 0.2 * n for n in range(12)]
ITERATIONS = [2, 3, 4, 8]


def blocks(ebn0_db: float, slots: int = 300, iterations: int = 2, waveform: str = "utran384-random") -> tuple[int, int]:
    """Blocks with errors, and all blocks, on the virtual clock: the same numbers on every machine."""
    report = aloe.run(waveform, clock="virtual", slots=slots,
                      set={"noise.ebn0_db": ebn0_db, "decoder.iterations": iterations})
    compare = next(one for one in report["instances"] if one["component"] == "bit_compare")
    return int(compare["variables"]["block_errors"]), int(compare["variables"]["blocks"])


# %% The sweep
def sweep(points=POINTS_DB, **options) -> list[tuple[float, int, int]]:
    """(Eb/N0 in dB, blocks with errors, blocks) of each point, up to the first one that has no errors."""
    found = []
    for ebn0_db in points:
        found.append((ebn0_db, *blocks(ebn0_db, **options)))
        if found[-1][1] == 0:
            break
    return found


def interval(errors: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The rates that agree with so many errors (Wilson, 95 %)."""
    middle = (errors + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(errors * (n - errors) / n + z * z / 4)
    return max(middle - half, 0) if errors else 0, min(middle + half, 1) if errors < n else 1


# %% The plot
def plot(curves, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    n = max(point[2] for points in curves.values() for point in points)
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.set_yscale("log")
    for iterations, points in curves.items():
        seen = [(x, errors / all_, *interval(errors, all_)) for x, errors, all_ in points if errors]
        none = [(x, interval(0, all_)[1]) for x, errors, all_ in points if not errors]
        x, rate, low, high = zip(*seen) if seen else ((), (), (), ())
        bars = [[r - l for r, l in zip(rate, low)], [h - r for r, h in zip(rate, high)]]
        line = axes.errorbar(x, rate, bars, fmt="o-", capsize=3, markersize=5,
                             label=f"{iterations} iterations")
        if none:  # below what so many blocks can show: an arrow from the upper limit
            axes.errorbar(*zip(*none), yerr=[[0.5 * limit for _, limit in none], [0] * len(none)], uplims=True, fmt="_",
                          color=line.lines[0].get_color())
    axes.set_ylim(top=1.3)
    axes.xaxis.set_major_locator(ticker.MultipleLocator(0.2))
    axes.grid(True, which="major", alpha=0.6)
    axes.grid(True, which="minor", axis="y", alpha=0.2)
    axes.set_xlabel("$E_b/N_0$ [dB]")
    axes.set_ylabel("block error rate")
    axes.set_title("UTRAN 384 kbit/s, turbo code, AWGN: block error rate")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), title=f"{n} blocks a point,\nbars: 95 %,\narrows: no error seen", frameon=False)
    figure.savefig(file, dpi=150)
    pyplot.close(figure)


# %% All of it
if __name__ == "__main__":
    slots = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    curves = {iterations: sweep(iterations=iterations, slots=slots) for iterations in ITERATIONS}
    for iterations, points in curves.items():
        for ebn0_db, errors, n in points:
            print(f"{iterations} iterations, {ebn0_db:.1f} dB: {errors} of {n} blocks have errors")
    if len(sys.argv) > 1:
        plot(curves, sys.argv[1])
        print(f"{sys.argv[1]} is written")
