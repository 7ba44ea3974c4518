/* SPDX-License-Identifier: BSD-3-Clause
 * stand_in - a task of which only the cost is known: what it takes on a core of each kind, what it
 * sends, and whether it keeps anything. A parameter KIND_us is the time of a call on cores of the
 * kind KIND of a platform file (`kinds`); plans count it there. */
#include <aloe/component.h>

#include <time.h>

enum { KINDS = 4 };

struct stand_in {
	double m1_big_us, m1_little_us, u9_big_us, u9_little_us;
	uint32_t length;
	uint32_t as;
	bool stateless;
	bool source; /* nothing is connected to its input */
};

static const struct aloe_port ports[] = {
    ALOE_IN_OPTIONAL(
        "in", ALOE_BYTE, "bytes, which are not read; a message in gives a message out"),
    ALOE_OUT_OPTIONAL("out", ALOE_BYTE, "as many bytes as `length` says, all 0"),
};

static const char *const as_names[] = {
    "nothing", "m1_big", "m1_little", "u9_big", "u9_little", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct stand_in, m1_big_us, 0, 0, 1e7, "us", 0,
        "time of a call on a performance core of an Apple M1 Ultra"),
    ALOE_PARAM_REAL(struct stand_in, m1_little_us, 0, 0, 1e7, "us", 0,
        "time of a call on an efficiency core of an Apple M1 Ultra"),
    ALOE_PARAM_REAL(struct stand_in, u9_big_us, 0, 0, 1e7, "us", 0,
        "time of a call on a performance core of an Intel Ultra 9 185H"),
    ALOE_PARAM_REAL(struct stand_in, u9_little_us, 0, 0, 1e7, "us", 0,
        "time of a call on an efficiency core of an Intel Ultra 9 185H"),
    ALOE_PARAM_INT(
        struct stand_in, length, 1, 1, 1 << 24, "items", 0, "bytes of a message that it sends"),
    ALOE_PARAM_BOOL(
        struct stand_in, stateless, false, 0, "the task keeps nothing from one index to the next"),
    ALOE_PARAM_ENUM(struct stand_in, as, as_names, "nothing", 0,
        "core whose time a call takes here; nothing: no time"),
};

static int stand_in_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct stand_in *)self)->length;
	return 0;
}

static int stand_in_init(void *self, struct aloe_setup *setup)
{
	((struct stand_in *)self)->source = setup->in[0].type == 0;
	return 0;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* of the vDSO: no system call */
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int stand_in_work(void *self, struct aloe_slot *slot)
{
	const struct stand_in *task = self;
	const double us[KINDS + 1] = {
	    0, task->m1_big_us, task->m1_little_us, task->u9_big_us, task->u9_little_us};
	const int64_t end = now_ns() + (int64_t)(us[task->as] * 1e3);

	if (slot->out[0].max && (task->source || aloe_in_valid(slot, 0))) {
		memset(slot->out[0].data, 0, task->length);
		aloe_put(slot, 0, task->length);
	}
	while (task->as && now_ns() < end)
		;
	return 0;
}

ALOE_COMPONENT(stand_in) = {
    .summary = "take the time of a task of which only the costs are known",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct stand_in),
    .shape = stand_in_shape,
    .init = stand_in_init,
    .work = stand_in_work,
    .stateless = 1,
};
