/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/live: arrays that are replaced while the slot runs. Each comes into force before the call of its index, whole,
 * with what `prepare` made of it; what was there stays for the first call that sees the new one, and is released once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>

#include "core/slot/live.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { TAPS = 0, FIXED = 1, COEFFS = 2, ITEMS_MAX = 32768, LOG = 4096 };

struct counts { /* of prepare and release, by the component of a test */
	_Atomic uint32_t prepared, released;
	_Atomic uint32_t refuse; /* the next prepare says no */
};

struct seen {
	uint64_t index;
	float first, coeffs;
	uint32_t len, version;
};

/* Of each array it keeps what it saw last, to look at it again beside the next one. */
struct array {
	struct aloe_reals taps;
	struct aloe_reals fixed;
	struct aloe_reals coeffs;
	struct aloe_reals before;
	float before_first;
	uint64_t calls, torn;
	struct counts *counts;
	struct seen log[LOG];
};

static const struct aloe_port ports[] = {ALOE_OUT("out", ALOE_BYTE, "nothing")};
static const struct aloe_param params[] = {
    ALOE_PARAM_REALS(struct array, taps, ITEMS_MAX, -1e6, 1e6, "", ALOE_LIVE, "all alike"),
    ALOE_PARAM_REALS(struct array, fixed, 4, -1, 1, "", 0, "read at init"),
    ALOE_PARAM_REALS(struct array, coeffs, 8, -1, 1, "", ALOE_LIVE, "another one"),
};

static int array_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = 1;
	return 0;
}

static int array_init(void *self, struct aloe_setup *setup)
{
	struct array *array = self;

	array->counts = aloe_alloc(setup, sizeof(*array->counts));
	return 0;
}

static int array_prepare(const void *self, const struct aloe_param *param, struct aloe_reals *next,
			 struct aloe_setup *setup)
{
	const struct array *array = self;
	float *sum = aloe_alloc(setup, sizeof(*sum));

	if (atomic_load(&array->counts->refuse))
		return aloe_fail(setup, "%s of %s: no", param->name, setup->instance);
	for (uint32_t i = 0; i < next->len; i++)
		*sum += next->data[i] / (float)next->len;
	next->derived = sum;
	atomic_fetch_add(&array->counts->prepared, 1);
	return 0;
}

static void array_release(const void *self, const struct aloe_param *param, struct aloe_reals *old)
{
	const struct array *array = self;

	(void)param;
	*(float *)old->derived = -1e30f; /* whoever looks now sees it */
	atomic_fetch_add(&array->counts->released, 1);
}

static bool whole(const struct aloe_reals *reals, float first)
{
	const float sum = *(const float *)reals->derived;

	for (uint32_t i = 0; i < reals->len; i += 97)
		if (reals->data[i] != first)
			return false;
	return reals->len == 0 || (sum > first - 0.5f && sum < first + 0.5f);
}

static int array_work(void *self, struct aloe_slot *slot)
{
	struct array *array = self;
	struct seen *seen = &array->log[array->calls++ % LOG];

	*seen = (struct seen){slot->index, array->taps.len ? array->taps.data[0] : 0,
			      array->coeffs.len ? array->coeffs.data[0] : 0, array->taps.len, array->taps.version};
	array->torn += !whole(&array->taps, seen->first);
	if (array->before.derived != NULL)
		array->torn += !whole(&array->before, array->before_first);
	array->before = array->taps;
	array->before_first = seen->first;
	return 0;
}

static const struct aloe_component component = {
    .summary = "takes arrays",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct array),
    .shape = array_shape,
    .init = array_init,
    .prepare = array_prepare,
    .release = array_release,
    .work = array_work,
};

/* ---- a source with arrays, alone in its segment ------------------------------------------------------------------------ */

static const float loaded[] = {1, 1, 1}, small[] = {0.5f};

static struct rig *open_rig(uint32_t lag)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	rig_add(rig, &component, 0, lag);
	rig->nodes[0].depth = 2;
	rig->nodes[0].max = 1;
	rig->nodes[0].values[TAPS] = (struct rig_value){.reals = loaded, .n_reals = 3};
	rig->nodes[0].values[FIXED] = (struct rig_value){.reals = small, .n_reals = 1};
	rig->nodes[0].values[COEFFS] = (struct rig_value){.reals = small, .n_reals = 1};
	rig_open(rig);
	return rig;
}

static struct array *array_of(struct rig *rig)
{
	return rig->instances[0].state;
}

static void run(struct rig *rig, uint64_t from, uint64_t to)
{
	for (uint64_t slot = from; slot < to; slot++)
		assert_int_equal(rig_slot(rig, 0, slot), SEGMENT_RAN);
}

static uint32_t sweep(struct rig *rig)
{
	return live_sweep(rig->instances[0].live, atomic_load(&rig_state(rig, 0)->done), &rig->view,
			  &rig->view.params[rig->view.instances[0].params]);
}

static int offer(struct rig *rig, uint32_t param, uint64_t sequence, float value, uint32_t len, char *why)
{
	float *data = malloc((len + 1) * sizeof(*data));
	int status;

	for (uint32_t i = 0; i < len; i++)
		data[i] = value;
	status = live_offer(rig->instances[0].live, param, sequence, data, len, why, 256);
	free(data);
	return status;
}

static void publish(struct rig *rig, uint64_t index, uint32_t param, uint64_t sequence)
{
	const uint64_t n = atomic_load(&rig->control.changes);

	rig->control.change[n % NODE_CHANGES] = (struct node_change){index, sequence, 0, param, 0};
	atomic_store(&rig->control.changes, n + 1);
}

static void set(struct rig *rig, uint64_t index, uint64_t sequence, float value, uint32_t len)
{
	char why[256] = "";

	if (offer(rig, TAPS, sequence, value, len, why) != 0)
		fail_msg("%s", why);
	publish(rig, index, TAPS, sequence);
}

/* How often prepare has been answered by release: read before the instance's memory goes. */
static void close_even(struct rig *rig)
{
	const uint32_t prepared = atomic_load(&array_of(rig)->counts->prepared);
	struct live *live = rig->instances[0].live;
	struct counts *counts = array_of(rig)->counts;

	assert_int_equal(array_of(rig)->torn, 0);
	live_free(live);
	rig->instances[0].live = NULL;
	assert_int_equal(atomic_load(&counts->released), prepared);
	rig_close(rig);
}

static void check_log(struct rig *rig, uint64_t k, float first, uint32_t len)
{
	const struct seen *seen = &array_of(rig)->log[k];

	if (seen->index != k || seen->first != first || seen->len != len)
		fail_msg("index %llu: sees %g and %u items at index %llu, not %g and %u", (unsigned long long)k,
			 (double)seen->first, seen->len, (unsigned long long)seen->index, (double)first, len);
}

static void test_exact(void **state)
{
	(void)state;
	for (uint32_t lag = 0; lag < 4; lag += 3) {
		struct rig *rig = open_rig(lag);

		set(rig, 10, 1, 7, 5);
		set(rig, 20, 2, 9, ITEMS_MAX);
		run(rig, 0, 30);
		for (uint64_t k = 0; k < 30 - lag; k++)
			check_log(rig, k, k < 10 ? 1 : k < 20 ? 7 : 9, k < 10 ? 3 : k < 20 ? 5 : ITEMS_MAX);
		assert_int_equal(array_of(rig)->taps.version, 3);
		assert_true(array_of(rig)->log[25].coeffs == 0.5f && array_of(rig)->fixed.data[0] == 0.5f);
		assert_int_equal(array_of(rig)->fixed.version, 1);
		close_even(rig);
	}
}

/* What was in force stays whole for the call that sees the next one (array_work looks), and is released after it. */
static void test_old(void **state)
{
	struct rig *rig = open_rig(0);
	struct counts *counts = array_of(rig)->counts;

	(void)state;
	set(rig, 5, 1, 7, 4000);
	assert_int_equal(sweep(rig), 1);
	run(rig, 0, 5);
	assert_int_equal(sweep(rig), 1); /* still offered */
	assert_int_equal(atomic_load(&counts->released), 0);
	run(rig, 5, 6);
	assert_int_equal(sweep(rig), 0);
	assert_int_equal(atomic_load(&counts->released), 1);
	run(rig, 6, 9);
	close_even(rig);
}

/* Of several at one index the last is seen, and every one is given back. */
static void test_several(void **state)
{
	struct rig *rig = open_rig(0);

	(void)state;
	for (uint64_t n = 1; n <= 10; n++)
		set(rig, 5, n, (float)n * 10, 100);
	run(rig, 0, 8);
	check_log(rig, 4, 1, 3);
	check_log(rig, 5, 100, 100);
	check_log(rig, 7, 100, 100);
	assert_int_equal(sweep(rig), 0);
	assert_int_equal(atomic_load(&array_of(rig)->counts->released), 10);
	close_even(rig);
}

/* Two arrays of an instance do not meet; a change without an array does nothing. */
static void test_apart(void **state)
{
	struct rig *rig = open_rig(0);
	char why[256];

	(void)state;
	assert_int_equal(offer(rig, COEFFS, 1, 0.25f, 8, why), 0);
	publish(rig, 3, COEFFS, 1);
	publish(rig, 4, TAPS, 2);  /* never offered */
	publish(rig, 4, FIXED, 3); /* not live */
	assert_int_equal(offer(rig, COEFFS, 4, 0.75f, 8, why), 0);
	publish(rig, 4, TAPS, 4); /* offered for the other */
	run(rig, 0, 8);
	assert_true(array_of(rig)->log[2].coeffs == 0.5f && array_of(rig)->log[3].coeffs == 0.25f);
	assert_true(array_of(rig)->log[7].coeffs == 0.25f && array_of(rig)->fixed.data[0] == 0.5f);
	check_log(rig, 7, 1, 3);
	close_even(rig);
}

static void test_refused(void **state)
{
	const float nan[] = {1, NAN}, large[] = {1, 2, 1e7f};
	struct rig *rig = open_rig(0);
	struct live *live = rig->instances[0].live;
	char why[256];

	(void)state;
	assert_int_not_equal(offer(rig, TAPS, 1, 1, ITEMS_MAX + 1, why), 0);
	assert_string_equal(why, "32769 numbers, 1 .. 32768 are allowed");
	assert_int_not_equal(offer(rig, TAPS, 1, 1, 0, why), 0);
	assert_string_equal(why, "0 numbers, 1 .. 32768 are allowed");
	assert_int_not_equal(live_offer(live, TAPS, 1, nan, 2, why, sizeof(why)), 0);
	assert_string_equal(why, "number 1 = nan is outside [-1e+06, 1e+06]");
	assert_int_not_equal(live_offer(live, TAPS, 1, large, 3, why, sizeof(why)), 0);
	assert_string_equal(why, "number 2 = 1e+07 is outside [-1e+06, 1e+06]");
	atomic_store(&array_of(rig)->counts->refuse, 1);
	assert_int_not_equal(offer(rig, TAPS, 1, 1, 5, why), 0);
	assert_string_equal(why, "taps of n0: no");
	atomic_store(&array_of(rig)->counts->refuse, 0);
	publish(rig, 2, TAPS, 1);
	run(rig, 0, 5);
	check_log(rig, 4, 1, 3);
	assert_int_equal(sweep(rig), 0);
	close_even(rig);
}

/* 64 wait for an index, one more is refused; taken back they are gone; the same sequence again replaces. */
static void test_full(void **state)
{
	struct rig *rig = open_rig(0);
	struct live *live = rig->instances[0].live;
	char why[256];

	(void)state;
	for (uint64_t n = 1; n <= LIVE_OFFERED_MAX; n++)
		assert_int_equal(offer(rig, TAPS, n, 2, 10, why), 0);
	assert_int_not_equal(offer(rig, TAPS, 1000, 2, 10, why), 0);
	assert_int_equal(sweep(rig), LIVE_OFFERED_MAX);
	assert_int_equal(offer(rig, TAPS, 7, 3, 11, why), 0);
	for (uint64_t n = 1; n <= LIVE_OFFERED_MAX; n++)
		if (n != 7)
			live_forget(live, n);
	live_forget(live, 12345);
	assert_int_equal(sweep(rig), 1);
	publish(rig, 3, TAPS, 5); /* forgotten */
	publish(rig, 4, TAPS, 7);
	run(rig, 0, 6);
	check_log(rig, 3, 1, 3);
	check_log(rig, 4, 3, 11);
	close_even(rig);
}

static void test_shown(void **state)
{
	struct rig *rig = open_rig(0);
	const struct image_param *param = &rig->view.params[rig->view.instances[0].params + TAPS];
	float *shown = calloc(ITEMS_MAX, sizeof(*shown));

	(void)state;
	assert_int_equal(image_array_read(&rig->view, param, shown), 3);
	assert_true(shown[2] == 1 && image_array_sequence(&rig->view, param) == 0);
	set(rig, 5, 1, 7, 4000);
	run(rig, 0, 5);
	sweep(rig);
	assert_int_equal(image_array_read(&rig->view, param, shown), 3);
	run(rig, 5, 6);
	sweep(rig);
	assert_int_equal(image_array_read(&rig->view, param, shown), 4000);
	assert_true(shown[0] == 7 && shown[3999] == 7 && image_array_sequence(&rig->view, param) == 1);
	set(rig, IMAGE_FOREVER, 2, 8, 2); /* one that is replaced before it was shown counts as seen */
	set(rig, IMAGE_FOREVER, 3, 9, 1);
	run(rig, 6, 7);
	sweep(rig);
	assert_int_equal(image_array_read(&rig->view, param, shown), 1);
	assert_true(shown[0] == 9 && image_array_sequence(&rig->view, param) == 3);
	free(shown);
	close_even(rig);
}

/* ---- the two threads ----------------------------------------------------------------------------------------------------- */

enum { RACES = 3000 };

struct race {
	struct rig *rig;
	_Atomic uint32_t end;
};

static void *run_segment(void *self)
{
	struct race *race = self;

	for (uint64_t slot = 0; !atomic_load(&race->end); slot++)
		rig_slot(race->rig, 0, slot);
	return NULL;
}

static bool ring_full(struct rig *rig)
{
	return atomic_load(&rig->control.changes) - atomic_load(&rig_state(rig, 0)->changes) >= NODE_CHANGES / 2;
}

static void test_race(void **state)
{
	struct race race = {open_rig(0), 0};
	char why[256] = "";
	pthread_t thread;
	uint64_t index;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_segment, &race), 0);
	for (uint64_t n = 1; n <= RACES; n++) {
		while (ring_full(race.rig) ||
		       offer(race.rig, TAPS, n, (float)(n % 100), 1 + n * 7 % 500, why) == -EBUSY)
			sweep(race.rig);
		publish(race.rig, IMAGE_FOREVER, TAPS, n);
	}
	while (!image_taken_index(&race.rig->view, 0, RACES, &index))
		sweep(race.rig);
	while (sweep(race.rig) > 0)
		;
	atomic_store(&race.end, 1);
	pthread_join(thread, NULL);
	assert_true(array_of(race.rig)->taps.version > RACES / 100);
	assert_int_equal(atomic_load(&array_of(race.rig)->counts->released), RACES);
	close_even(race.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exact), cmocka_unit_test(test_old),     cmocka_unit_test(test_several),
	    cmocka_unit_test(test_apart), cmocka_unit_test(test_refused), cmocka_unit_test(test_full),
	    cmocka_unit_test(test_shown), cmocka_unit_test(test_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
