/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/bench/predict.h - kinds of node, what components take on each, and what is predicted for another.
 *
 * A kind is a vector level, or a build without optimisation. What is known of it lies in two texts:
 *
 *	KIND.rates.json      what its cores do by class of work (core/map/class.h), by the calibration kernels alone
 *	KIND.profile.json    what the components take there (core/map/profile.h), with the rates it was measured at
 *
 * A prediction needs the profile of the source and the rates of the target; the profile of the target is only what it is
 * held against. Without that file the predictions are the same.
 */
#ifndef TOOLS_ALOE_BENCH_PREDICT_H
#define TOOLS_ALOE_BENCH_PREDICT_H

#include "core/map/profile.h"
#include "tools/aloe/bench/bench.h"

enum predict_metric { PREDICT_CLOCK, PREDICT_MAC, PREDICT_CLASS, PREDICT_METRICS };

struct predict_kind {
	const char *name;
	enum simd_level level;
	bool slow;   /* kernels built without optimisation: another folder of components, another calibration */
	bool wanted; /* there is something to show of it */
	struct class_rates rates;
	struct profile profile; /* len 0: withheld, or not measured */
};

enum { PREDICT_KINDS = 6 };

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
struct prediction predict_one(const struct class_rates *source, const struct class_rates *target, const char *mix,
			      double ns);

/* predict_load reads what there is of a kind in a folder: 0 (rates missing: not wanted), or CLI_USAGE after saying what is
 * wrong. predict_save writes it: 0, or CLI_FAILED after saying so. */
int predict_load(const struct bench *bench, const char *dir, struct predict_kind *kind);
int predict_save(const struct bench *bench, const char *dir, const struct predict_kind *kind);

/* predict_measure measures a round: the rates, then every instance of the waveform at `path`. What was quieter, this round or
 * those before it, is kept. 0, or the exit status after saying what is wrong. */
struct predict_run {
	const char *path;
	double seconds;
	uint64_t slot_ns;
	int cpu;
};
int predict_measure(struct bench *bench, const struct predict_run *run, struct predict_kind *kind);

/* predict_slow_dir finds the folder of the build without optimisation (make o0) of this installation: 0 or -ENOENT. */
int predict_slow_dir(char *ret_path, size_t size);

#endif
