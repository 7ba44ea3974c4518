/* SPDX-License-Identifier: BSD-3-Clause
 * spin - pass every item on unchanged and keep the core busy for a stated time: what if this stage
 * took longer?
 *
 * Each call lasts mean_us, or long_us for the share `jitter` of the calls. Which ones, seed and
 * index say alone, so the same calls are long on every clock, number of lanes and isolation. Time
 * is wall time, as for a stage that waits for a cache or a hypervisor; on the virtual clock it
 * slows the run down and changes nothing else. What `kmac` says is computed in any case, and takes
 * as long as the core needs. */
#include <aloe/component.h>

#include <time.h>

#include "core/kernels/mac.h"
#include "core/kernels/random.h"

struct spin {
	double mean_us;
	double jitter;
	double long_us;
	double kmac;
	uint64_t seed;
	uint64_t long_calls;
	uint32_t item_bytes;
	struct mac_data data;
	volatile float sum;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
    ALOE_OUT("out", ALOE_ANY, "the same items"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(
        struct spin, mean_us, 0, 0, 1e7, "us", ALOE_LIVE, "time that an ordinary call takes"),
    ALOE_PARAM_REAL(
        struct spin, jitter, 0, 0, 1, "", ALOE_LIVE, "share of the calls that take long_us"),
    ALOE_PARAM_REAL(
        struct spin, long_us, 0, 0, 1e7, "us", ALOE_LIVE, "time that a long call takes"),
    ALOE_PARAM_REAL(struct spin, kmac, 0, 0, 1e6, "kMAC", ALOE_LIVE,
        "multiply-accumulates that every call computes, within its time or beyond it"),
    ALOE_PARAM_INT(struct spin, seed, 1, 0, 9007199254740992.0, "", 0,
        "start of the random numbers; another seed gives other long calls"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct spin, long_calls, "", "calls that took long_us"),
};

static int spin_init(void *self, struct aloe_setup *setup)
{
	struct spin *spin = self;

	spin->item_bytes = aloe_item_bytes(setup->in[0].type);
	mac_init(&spin->data);
	return 0;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* of the vDSO: no system call */
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static bool is_long(const struct spin *spin, uint64_t index)
{
	uint32_t word;

	if (spin->jitter <= 0)
		return false;
	random_words(spin->seed, index, &word, 1);
	return word * 0x1p-32 < spin->jitter;
}

static int spin_work(void *self, struct aloe_slot *slot)
{
	struct spin *spin = self;
	const int64_t began = now_ns();
	const bool longer = is_long(spin, slot->index);
	const int64_t wanted = (int64_t)((longer ? spin->long_us : spin->mean_us) * 1e3);
	const uint32_t n = aloe_pass(slot, 0, 0);

	if (n)
		memcpy(slot->out[0].data, slot->in[0].data, (size_t)n * spin->item_bytes);
	spin->long_calls += longer;
	if (spin->kmac > 0)
		spin->sum = mac_run(&spin->data, (uint32_t)(spin->kmac * 1e3));
	while (now_ns() - began < wanted)
		;
	return 0;
}

ALOE_COMPONENT(spin) = {
    .summary = "pass every item on after a stated time of computing",
    .doc =
        "To try how a waveform behaves when a stage takes longer, put this instance beside the "
        "stage:\n"
        "    load: { component = \"spin\"; mean_us = 200.0; jitter = 0.01; long_us = 2000.0; };\n"
        "mean_us takes that long on any core, kmac longer on a slower one.",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct spin),
    .init = spin_init,
    .work = spin_work,
    .stateless = 1,
};
