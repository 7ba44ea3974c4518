/* SPDX-License-Identifier: BSD-3-Clause
 * Copies side by side: the groups of the plan and what they may share; one call for a group makes
 * what a call for each copy makes, whatever is absent, set or wrong in one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/map/side.h"
#include "tests/common/wave.h"

enum { COPIES_MAX = 17, STEPS = 140, EACH = 8, DECODER = 6, SINK = 7 };

static const char text[] =
    "name = \"x\"; slot_ns = 1000000;\n"
    "instances: {\n"
    " source: { component = \"random_source\"; seed = 1; length = 320; };\n"
    " encoder: { component = \"utran_turbo_encoder\"; };\n"
    " mod: { component = \"bpsk_mod\"; output = \"cf32\"; };\n"
    " noise: { component = \"awgn\"; ebn0_db = 0.5; bits_per_item = 0.33; seed = 1; };\n"
    " soft: { component = \"bpsk_soft_demod\"; };\n"
    " hole: { component = \"copy\"; };\n"
    " decoder: { component = \"utran_turbo_decoder\"; iterations = 2; block = 320; };\n"
    " sink: { component = \"null_sink\"; };\n"
    "};\n"
    "links = ( \"source -> encoder -> mod -> noise -> soft -> hole -> decoder -> sink\" );\n";

/* ---- what components do here ---- */

static struct {
	const struct wave *wave;
	bool holes;
	uint64_t calls;
	uint64_t digest[COPIES_MAX];
} now;

static uint32_t copy_of(const void *self)
{
	for (uint32_t i = 0; i < now.wave->view.head->instances.count; i++)
		if (now.wave->instances[i].state == self)
			return i / EACH;
	fail_msg("whose state is this?");
	return 0;
}

static int hole_work(void *self, struct aloe_slot *slot)
{
	const uint32_t copy = copy_of(self), at = (uint32_t)(slot->index * 7 + copy * 5) % 11;

	slot->out[0].len = 0;
	slot->out[0].state = slot->in[0].state;
	if (now.holes && at < 2)
		slot->out[0].state = at == 0 ? ALOE_ABSENT : ALOE_IDLE;
	if (slot->out[0].state == ALOE_VALID) {
		slot->out[0].len = slot->in[0].len - (now.holes && at == 2 ? 9 : 0);
		memcpy(slot->out[0].data, slot->in[0].data, slot->out[0].len * sizeof(int16_t));
	}
	return 0;
}

static int sink_work(void *self, struct aloe_slot *slot)
{
	uint64_t *digest = &now.digest[copy_of(self)];
	const uint64_t head[] = {slot->index, slot->in[0].state, slot->in[0].len};

	*digest = hash_bytes(*digest, head, sizeof(head));
	if (slot->in[0].state == ALOE_VALID)
		*digest = hash_bytes(*digest, slot->in[0].data, slot->in[0].len);
	return 0;
}

static int decoder_counted(void *self, struct aloe_slot *slot)
{
	(void)self;
	(void)slot;
	now.calls++;
	return 0;
}

static const struct wave_work works[] = {
    {"copy", hole_work},
    {"null_sink", sink_work},
    {"utran_turbo_decoder", decoder_counted},
};

static void opened(struct wave *wave, uint32_t copies, const char *side, size_t n_works)
{
	char set[40];
	const char *const sets[] = {set};

	snprintf(set, sizeof(set), "side_by_side=%s", side);
	assert_int_equal(wave_open(wave, text,
	                     &(struct wave_options){.copies = copies,
	                         .sets = sets,
	                         .n_sets = 1,
	                         .works = works,
	                         .n_works = n_works}),
	    0);
	memset(now.digest, 0, sizeof(now.digest));
	now.wave = wave;
	now.calls = 0;
}

static void stepped(struct wave *wave, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n < to; n++)
		segment_step(&wave->segments[0], n, clock_ns());
	assert_int_equal(atomic_load(&image_run(&wave->view)->fault), 0);
}

/* ---- the plan ---- */

/* Returns how many copies of the decoder are in groups; the groups are what they have to be. */
static uint32_t groups_check(const struct wave *wave, uint32_t most, uint32_t least)
{
	const struct plan *plan = wave->plan;
	const struct plan_segment *segment = &plan->segments[0];
	uint32_t grouped = 0, size = 0;

	assert_int_equal(plan->n_segments, 1);
	for (size_t at = 0; at <= segment->n_instances; at++) {
		const struct plan_instance *row =
		    at < segment->n_instances ? &plan->instances[segment->instances[at]] : NULL;

		if (row && row->side > 1) {
			assert_int_equal(row->side, size + 1);
			assert_int_equal(segment->instances[at] % EACH, DECODER);
		} else if (size > 0) {
			assert_in_range(size, least, most);
		}
		size = row ? row->side : 0;
		grouped += size > 0;
	}
	for (size_t l = 0; l < wave->waveform->n_links; l++)
		assert_true(plan->instances[wave->waveform->links[l].from].order <
		    plan->instances[wave->waveform->links[l].to].order);
	return grouped;
}

/* While a group is called, all that it reads and writes is there at once. */
static void places_check(const struct wave *wave)
{
	const struct image_view *view = &wave->view;
	const uint64_t n = view->head->instances.count;
	uint64_t used[2 * COPIES_MAX];
	uint32_t n_used = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = view->order[i];
		const struct image_instance *row = &view->instances[at];

		n_used = row->side <= 1 ? 0 : n_used;
		if (row->side == 0)
			continue;
		if (row->side > 1)
			n_used = 2 * (row->side - 1);
		used[n_used++] = view->buffers[view->inputs[row->inputs].buffer].data;
		used[n_used++] = view->buffers[view->outputs[row->outputs].buffer].data;
		for (uint32_t a = 0; a < n_used; a++)
			for (uint32_t b = 0; b < a; b++)
				assert_int_not_equal(used[a], used[b]);
	}
}

static void test_plan(void **state)
{
	static const struct {
		uint32_t copies;
		const char *side;
		uint32_t most, least, grouped;
	} cases[] = {
	    {17, "auto", 8, 8, 16},
	    {16, "auto", 8, 8, 16},
	    {14, "auto", 8, 6, 14},
	    {11, "auto", 8, 8, 8},
	    {5, "auto", 8, 6, 0},
	    {5, "5", 5, 5, 5},
	    {11, "16", 11, 11, 11},
	    {11, "3", 3, 2, 11},
	    {10, "3", 3, 3, 9},
	    {16, "off", 0, 0, 0},
	    {1, "8", 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wave wave;

		opened(&wave, cases[i].copies, cases[i].side, 2);
		assert_int_equal(
		    groups_check(&wave, cases[i].most, cases[i].least), cases[i].grouped);
		places_check(&wave);
		wave_close(&wave);
	}
}

/* Whoever has other parameters, or another place in the graph, is not among them. */
static void test_unlike(void **state)
{
	struct wave wave;
	struct plan *plan;
	struct diag diag;
	static const int cpus[] = {0, 1};
	const struct platform_model platform = {cpus, 2, 0};

	(void)state;
	opened(&wave, 8, "auto", 2);
	wave.waveform->instances[2 * EACH + DECODER].values[1].number = 40; /* its block */
	diag_init(&diag);
	assert_int_equal(plan_make(wave.waveform, &platform, NULL, &diag, &plan), 0);
	for (uint32_t c = 0; c < 8; c++)
		assert_int_equal(plan->instances[c * EACH + DECODER].side > 0, c != 2);
	plan_free(plan);
	wave.waveform->instances[3 * EACH + DECODER].period = 2;
	assert_int_equal(plan_make(wave.waveform, &platform, NULL, &diag, &plan), 0);
	for (uint32_t c = 0; c < 8; c++)
		assert_int_equal(plan->instances[c * EACH + DECODER].side > 0, c != 2 && c != 3);
	plan_free(plan);
	for (size_t i = 0; i < wave.waveform->n_instances; i++)
		wave.waveform->instances[i].pin = i == 4 * EACH + DECODER;
	assert_int_equal(plan_make(wave.waveform, &platform, NULL, &diag, &plan), 0);
	for (uint32_t c = 0; c < 8; c++) /* too few are left */
		assert_int_equal(plan->instances[c * EACH + DECODER].side, 0);
	plan_free(plan);
	diag_fini(&diag);
	wave_close(&wave);
}

/* ---- the engine ---- */

static void change_add(struct wave *wave, uint64_t index, uint32_t copy, double iterations)
{
	struct node_control *control = &wave->node->control[0];
	const uint64_t n = atomic_load(&control->changes);

	control->change[n % NODE_CHANGES] =
	    (struct node_change){index, n + 1, copy * EACH + DECODER, 0, iterations};
	atomic_store(&control->changes, n + 1);
}

struct outcome {
	uint64_t digest[COPIES_MAX], vars[COPIES_MAX][4], ports[COPIES_MAX];
};

static void outcome_of(uint32_t copies, const char *side, struct outcome *ret)
{
	struct wave wave;

	memset(ret, 0, sizeof(*ret));
	opened(&wave, copies, side, 2);
	change_add(&wave, 20, 3, 5);
	change_add(&wave, 31, 0, 1);
	change_add(&wave, 50, 0, 2);
	stepped(&wave, 0, STEPS);
	memcpy(ret->digest, now.digest, sizeof(now.digest));
	for (uint32_t c = 0; c < copies; c++) {
		const struct instance *it = &wave.instances[c * EACH + DECODER];

		for (uint32_t v = 0; v < it->n_vars && v < 4; v++)
			ret->vars[c][v] = atomic_load(&it->stats->vars[v]);
		ret->ports[c] = atomic_load(&it->stats->port_count);
		assert_int_equal(it->time->count, STEPS);
	}
	assert_int_equal(
	    atomic_load(&wave.segments[0].state->events), STEPS * wave.view.head->instances.count);
	wave_close(&wave);
}

static void test_same(void **state)
{
	static const uint32_t copies[] = {8, 11, 16};
	static const char *const sides[] = {"auto", "16", "3"};

	(void)state;
	for (unsigned holes = 0; holes < 2; holes++)
		for (size_t c = 0; c < 3; c++) {
			static struct outcome alone, beside;

			now.holes = holes;
			outcome_of(copies[c], "off", &alone);
			for (size_t s = 0; s < 3; s++) {
				outcome_of(copies[c], sides[s], &beside);
				assert_memory_equal(&alone, &beside, sizeof(alone));
			}
			assert_int_not_equal(alone.digest[0], alone.digest[1]);
			assert_true(alone.vars[3][0] > alone.vars[4][0]);
		}
}

/* Those of a group are not called one by one; those that are left over are. */
static void test_one_call(void **state)
{
	static const struct {
		uint32_t copies;
		const char *side;
		uint64_t alone;
	} cases[] = {{16, "auto", 0}, {11, "auto", 3}, {16, "off", 16}, {9, "16", 0}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct wave wave;

		opened(&wave, cases[i].copies, cases[i].side, 3);
		stepped(&wave, 0, 10);
		assert_int_equal(now.calls, 10 * cases[i].alone);
		wave_close(&wave);
	}
}

/* Who begins later, or is of another build, is served alone, and the others all the same. */
static void test_apart(void **state)
{
	static struct aloe_component other;
	struct wave wave;

	(void)state;
	for (uint32_t odd = 0; odd < 8; odd += 7) {
		struct instance *it;

		opened(&wave, 8, "auto", 3);
		it = &wave.instances[odd * EACH + DECODER];
		it->first = 4;
		stepped(&wave, 0, 4);
		assert_int_equal(it->time->count, 0);
		stepped(&wave, 4, 8);
		assert_int_equal(it->time->count, 4);
		assert_int_equal(now.calls, 0);
		other = *it->component;
		other.work_many = NULL;
		it->component = &other;
		stepped(&wave, 8, 10);
		assert_int_equal(now.calls, odd == 0 ? 16 : 2);
		for (uint32_t c = 0; c < 8; c++)
			assert_int_equal(
			    wave.instances[c * EACH + DECODER].time->count, c == odd ? 6 : 10);
		wave_close(&wave);
	}
}

/* A failure is of the instance that has a `why`, or else of the first. */
static uint32_t failing(uint32_t set)
{
	static uint32_t which;

	which = set < UINT32_MAX ? set : which;
	return which;
}

static int many_fails(void *const *self, struct aloe_slot *const *slot, uint32_t n)
{
	(void)self;
	if (failing(UINT32_MAX) < n)
		slot[failing(UINT32_MAX)]->why = "no more";
	return -1;
}

static void test_failure(void **state)
{
	(void)state;
	for (uint32_t f = 2; f < 9; f += 6) {
		struct wave wave;

		failing(f);
		opened(&wave, 8, "auto", 2);
		for (uint32_t c = 0; c < 8; c++)
			wave.components[c * EACH + DECODER].work_many = many_fails;
		segment_step(&wave.segments[0], 0, clock_ns());
		assert_int_equal(atomic_load(&image_run(&wave.view)->fault),
		    1 + (f < 8 ? f : 0) * EACH + DECODER);
		assert_string_equal(image_run(&wave.view)->why, f < 8 ? "no more" : "");
		wave_close(&wave);
	}
}

/* ---- a program that is wrong ---- */

static void test_damage(void **state)
{
	static const struct {
		uint32_t copy, side, kind;
	} damages[] = {{0, 2, 0}, {3, 5, 0}, {3, 3, 0}, {3, 17, 0}, {3, UINT32_MAX, 0}, {3, 4, 1},
	    {3, 4, 2}, {3, 4, 3}, {3, 4, 4}, {3, 4, 5}};
	struct wave wave;
	const char *why;
	struct image_head *copy;

	(void)state;
	opened(&wave, 8, "auto", 2);
	for (size_t d = 0; d < sizeof(damages) / sizeof(damages[0]); d++) {
		const size_t len = wave.view.head->static_bytes;
		struct image_instance *row;

		copy = malloc(len);
		memcpy(copy, wave.view.head, len);
		assert_int_equal(image_check(copy, len, &why), 0);
		row = (struct image_instance *)(void *)((uint8_t *)copy + copy->instances.offset) +
		    damages[d].copy * EACH + DECODER;
		row->side = damages[d].side;
		row->period += damages[d].kind == 1;
		row->lag += damages[d].kind == 2;
		row->io |= damages[d].kind == 3;
		row->n_inputs -= damages[d].kind == 4;
		row->run_on += damages[d].kind == 5;
		assert_true(image_check(copy, len, &why) < 0);
		free(copy);
	}
	wave_close(&wave);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_plan),
	    cmocka_unit_test(test_unlike),
	    cmocka_unit_test(test_same),
	    cmocka_unit_test(test_one_call),
	    cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_failure),
	    cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
