/* SPDX-License-Identifier: BSD-3-Clause
 * faulty - items passed on unchanged, and at a stated index one of the things that a component must
 * never do. For tests; never installed. */
#include <aloe/component.h>

#include <time.h>

struct faulty {
	int32_t how;
	uint64_t at;
	double spin_us, nap_us;
	uint32_t item_bytes;
};

enum {
	NOTHING,
	CRASH,
	ABORT,
	HANG,
	SLEEP,
	ERROR,
	OVERRUN,
	OVERRUN_ONE,
	UNDERRUN,
	UNDERRUN_FAR,
	CLAIM,
	CRASH_SHAPE,
	CRASH_INIT,
	ERROR_INIT,
	HANG_INIT,
	MINUS_ONE,
	BARE_ERRNO
};

static const char *const hows[] = {"nothing", "crash", "abort", "hang", "sleep", "error", "overrun",
    "overrun_one", "underrun", "underrun_far", "claim", "crash_shape", "crash_init", "error_init",
    "hang_init", "minus_one", "bare_errno", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
    ALOE_OUT("out", ALOE_ANY, "the same items"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct faulty, how, hows, "nothing", 0, "what it does"),
    ALOE_PARAM_INT(
        struct faulty, at, 100, 0, 9007199254740992.0, "", 0, "index at which it does it"),
    ALOE_PARAM_REAL(
        struct faulty, spin_us, 0, 0, 1e7, "us", ALOE_LIVE, "time that every call takes"),
    ALOE_PARAM_REAL(
        struct faulty, nap_us, 0, 0, 999999, "us", ALOE_LIVE, "time that every call sleeps"),
};

static void crash(void)
{
	volatile int *volatile nowhere =
	    (volatile int *)64; /* not NULL: sanitizers have a death of their own for that */

	*nowhere = 1; /* cppcheck-suppress nullPointer */
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int faulty_shape(void *self, struct aloe_setup *setup)
{
	if (((const struct faulty *)self)->how == CRASH_SHAPE)
		crash();
	setup->out[0].max = setup->in[0].max;
	return 0;
}

static int faulty_init(void *self, struct aloe_setup *setup)
{
	struct faulty *faulty = self;

	faulty->item_bytes = aloe_item_bytes(setup->in[0].type);
	if (faulty->how == CRASH_INIT)
		crash();
	if (faulty->how == ERROR_INIT)
		return aloe_fail(setup, "no coefficients on a Sunday");
	for (volatile unsigned i = 0; faulty->how == HANG_INIT; i = i + 1)
		;
	return 0;
}

static int misbehave(struct faulty *faulty, struct aloe_slot *slot)
{
	const struct timespec long_time = {.tv_sec = 3600};
	uint8_t *out = slot->out[0].data;
	const size_t end = (size_t)slot->out[0].max * faulty->item_bytes;

	switch (faulty->how) {
	case CRASH:
		crash();
		return 0;
	case ABORT:
		__builtin_trap();
	case HANG:
		for (volatile unsigned i = 0;; i = i + 1)
			;
	case SLEEP:
		for (;;)
			nanosleep(&long_time, NULL);
	case ERROR:
		slot->why = "the receiver is on fire";
		return -5;
	case MINUS_ONE:
		return -1;
	case BARE_ERRNO:
		return -22;
	case OVERRUN:
		memset(out + end, 0x55, 64);
		return 0;
	case OVERRUN_ONE:
		out[end] ^= 1;
		return 0;
	case UNDERRUN: /* 1000 items */
		memset(out - (size_t)1000 * faulty->item_bytes, 0x55,
		    (size_t)1000 * faulty->item_bytes);
		return 0;
	case UNDERRUN_FAR: /* and not those just before it */
		memset(out - (size_t)1000 * faulty->item_bytes, 0x55,
		    (size_t)1000 * faulty->item_bytes - 64);
		return 0;
	case CLAIM:
		aloe_put(slot, 0, slot->out[0].max + 1);
		return 0;
	default:
		return 0;
	}
}

static int faulty_work(void *self, struct aloe_slot *slot)
{
	struct faulty *faulty = self;
	const int64_t until = faulty->spin_us > 0 ? now_ns() + (int64_t)(faulty->spin_us * 1e3) : 0;
	const uint32_t n = aloe_pass(slot, 0, 0);

	if (n)
		memcpy(slot->out[0].data, slot->in[0].data, (size_t)n * faulty->item_bytes);
	while (until && now_ns() < until)
		;
	if (faulty->nap_us > 0)
		nanosleep(&(struct timespec){.tv_nsec = (long)(faulty->nap_us * 1e3)}, NULL);
	return slot->index == faulty->at ? misbehave(faulty, slot) : 0;
}

/* All of them do what each does by itself. */
static int faulty_work_many(void *const *self, struct aloe_slot *const *slot, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = faulty_work(self[i], slot[i]);
	return rc;
}

ALOE_COMPONENT(faulty) = {
    .summary = "passes items on, and misbehaves at one index",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct faulty),
    .shape = faulty_shape,
    .init = faulty_init,
    .work = faulty_work,
    .work_many = faulty_work_many,
};
