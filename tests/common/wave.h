/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/wave.h - a waveform's text on the real engine in this process, with the build's real
 * components: registry, parse, shape, plan, program, image, instances, segments; driven by the test
 * or bench, slot by slot or as a lane's thread.
 *
 * 	struct wave wave;
 * 	assert_int_equal(wave_open(&wave, text, &(struct wave_options){.clock = "virtual"}), 0);
 * 	for (uint64_t n = 0; n < 100; n++)
 * 		segment_step(&wave.segments[0], n, clock_ns());
 * 	wave_close(&wave);
 *
 * The images and the node's tables are shared memory, so that a fork of this process is a host like
 * any other.
 */
#ifndef TESTS_COMMON_WAVE_H
#define TESTS_COMMON_WAVE_H

#include "core/map/plan.h"
#include "core/slot/lane.h"

/* Another `work` for all instances of a type. */
struct wave_work {
	const char *component;
	int (*work)(void *self, struct aloe_slot *slot);
};

struct wave_options {
	const char *clock;     /* "virtual" */
	const char *isolation; /* as in the text */
	const int *cpus;       /* lanes; default: CPU 0 */
	size_t n_cpus;
	const char *const *sets; /* "inst.param=value" */
	size_t n_sets;
	uint64_t slot_ns; /* 0: as in the text */
	uint32_t copies;  /* 0: one */
	const struct wave_work *works;
	size_t n_works;
	const char *radio_text;   /* a platform file with a group `radio`; NULL */
	struct aloe_radio *radio; /* what instances get */
};

struct wave {
	struct registry *registry;
	struct waveform *waveform;
	struct plan *plan;
	struct image_view view;
	struct arena arena;
	struct instance *instances;
	struct aloe_component *components; /* those that the instances run */
	void **handles;
	struct segment *segments;
	/* lane tables filled in, entries live, control block 0 released without limit */
	struct node_image *node;
	struct lane_image *lane[4]; /* batons at slot 0, fresh */
	struct image_files files;
};

/* wave_open: 0, or -1 after it has said why on stderr. */
int wave_open(struct wave *ret, const char *text, const struct wave_options *options);
void wave_close(struct wave *wave);

/* wave_lane makes the thread that host `host` has on lane `lane`, for lane_run. */
void wave_lane(struct wave *wave, uint32_t lane, uint32_t host, struct lane_thread *ret);

/* wave_io moves what fill and drain can move now, for all instances: how many records. */
int wave_io(struct wave *wave);

/* wave_file gives the text of a file, NULL on failure; the caller frees it. */
char *wave_file(const char *path);

#endif
