/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/predict.h - kinds of node, what components take on each, and what is predicted for
 * another.
 *
 * A kind is a vector level, or a build without optimisation. What is known of it lies in two texts:
 *
 *         KIND.rates.json      what its cores do by class of work (core/map/class.h), by the
 *                              calibration kernels alone
 *         KIND.profile.json    what the components take there (core/map/profile.h), with the rates
 *                              it was measured at
 *
 * A prediction needs the profile of the source and the rates of the target; the profile of the
 * target is only what it is held against. Without that file the predictions are the same.
 */
#ifndef TOOLS_BENCH_PREDICT_H
#define TOOLS_BENCH_PREDICT_H

#include "core/map/profile.h"
#include "tools/bench/bench.h"

enum predict_metric { PREDICT_CLOCK, PREDICT_MAC, PREDICT_CLASS, PREDICT_METRICS };

enum predict_build { PREDICT_THIS, PREDICT_O0, PREDICT_AARCH64, PREDICT_BUILDS };

/* One round's rates and times. The clock of a core changes from one second to the next, so times
 * are held against what the unit of account took then: `times` are kMAC at the rate that their run
 * measured. */
struct predict_round {
	struct class_rates rates;
	struct profile times;
};

enum { PREDICT_ROUNDS_MAX = 99 };

struct predict_kind {
	const char *name;
	enum simd_level level;
	enum predict_build build; /* another folder of components, another calibration */
	bool wanted;              /* there is something to show of it */
	struct class_rates rates;
	struct profile profile; /* len 0: withheld, or not measured */
	struct predict_round rounds[PREDICT_ROUNDS_MAX];
	size_t n_rounds;
};

enum { PREDICT_KINDS = 8 };

/* Emulated: its times are not those of a machine. */
static inline bool predict_emulated(const struct predict_kind *kind)
{
	return kind->build == PREDICT_AARCH64;
}

/* What one component takes on the target, ns. */
struct prediction {
	double ns[PREDICT_METRICS];
};

/* predict_one: `ns` was measured on a machine of rates `source`.
 *
 *	clock	as many cycles: the same on machines of one clock, as all kinds here are
 *	mac	as many MAC-equivalents, the single metric
 *	class	as many items of each class of its mix
 */
struct prediction predict_one(
    const struct class_rates *source, const struct class_rates *target, const char *mix, double ns);

/* predict_load reads what there is of a kind in a folder: 0 (rates missing: not wanted), or
 * CLI_USAGE after saying what is wrong. predict_save writes it: 0, or CLI_FAILED after saying
 * so. */
int predict_load(const struct bench *bench, const char *dir, struct predict_kind *kind);
int predict_save(const struct bench *bench, const char *dir, const struct predict_kind *kind);

/* predict_measure measures a round: the rates, then every instance of the waveform at `path`. 0, or
 * the exit status after saying what is wrong. predict_settle makes the kind's rates and profile of
 * the rounds: first quartiles, for what else the machine does only adds. 0 or -ENOMEM. */
struct predict_run {
	const char *path;
	double seconds;
	uint64_t slot_ns;
	int cpu;
};
int predict_measure(struct bench *bench, const struct predict_run *run, struct predict_kind *kind);
int predict_settle(struct predict_kind *kind);
void predict_kind_fini(struct predict_kind *kind);

/* predict_build_dir finds the folder of another build of this installation, "" for this one.
 * -ENOENT: it has not been built; -ENOEXEC: there is nothing to run it with. */
int predict_build_dir(enum predict_build build, char *ret_path, size_t size);

#endif
