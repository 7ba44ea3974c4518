/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/upgrade: what is exported, what is taken over and refused, and the new build in the
 * place of the old one; core/image/follow: an instance of another build, and what is carried. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/image/follow.h"
#include "core/slot/upgrade.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

struct state {
	double gain;
	uint64_t count;
};

static int64_t export_bytes; /* what the component says that it needs, if not 8 */

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BYTE, "bytes"),
    ALOE_OUT("out", ALOE_BYTE, "bytes"),
};
static const struct aloe_param params[] = {
    ALOE_PARAM_REAL(struct state, gain, 1, 0, 10, "", ALOE_LIVE, "a number"),
};
static const struct aloe_param narrow[] = {
    ALOE_PARAM_REAL(struct state, gain, 1, 0, 2, "", ALOE_LIVE, "a number"),
};
static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct state, count, "", "calls"),
};

static int work(void *self, struct aloe_slot *slot)
{
	((struct state *)self)->count++;
	aloe_pass(slot, 0, 0);
	return 0;
}

static int64_t export_count(const void *self, void *to, size_t size, struct aloe_setup *setup)
{
	(void)setup;
	if (export_bytes < 0)
		return aloe_fail(setup, "not now");
	if (size >= 8)
		memcpy(to, &((const struct state *)self)->count, 8);
	return export_bytes > 0 ? export_bytes : 8;
}

static int import_count(void *self, const void *from, size_t size, struct aloe_setup *setup)
{
	if (size != 8)
		return aloe_fail(setup, "%zu bytes", size);
	memcpy(&((struct state *)self)->count, from, 8);
	return 0;
}

#define BUILD(name, list, out, in)                                                                 \
	static const struct aloe_component name = {.ports = ALOE_LIST(ports),                      \
	    .params = ALOE_LIST(list),                                                             \
	    .vars = ALOE_LIST(vars),                                                               \
	    .state_size = sizeof(struct state),                                                    \
	    .work = work,                                                                          \
	    .export_state = out,                                                                   \
	    .import_state = in}
BUILD(whole, params, export_count, import_count);
BUILD(fresh, params, NULL, NULL);
BUILD(small, narrow, export_count, import_count);

struct pair {
	struct rig *rig;
	struct instance fresh; /* of the new build */
	struct arena arena;
};

static struct pair *pair_new(const struct aloe_component *old, const struct aloe_component *build)
{
	struct pair *pair = aligned_alloc(64, (sizeof(*pair) + 63) & ~(size_t)63);
	const struct aloe_entry entry = {ALOE_ABI, "build", build};

	memset(pair, 0, sizeof(*pair));
	export_bytes = 0;
	pair->rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	rig_add(pair->rig, &probe_source, 0, 0);
	rig_add(pair->rig, old, 0, 0);
	rig_link(pair->rig, 0, 0, 1, 0, 0);
	rig_open(pair->rig);
	((struct state *)pair->rig->instances[1].state)->count = 41;
	assert_int_equal(
	    instance_open(&pair->fresh, &pair->rig->view, 1, &entry, NULL, &pair->arena), 0);
	return pair;
}

static void pair_free(struct pair *pair)
{
	assert_int_equal(instance_close(&pair->fresh, 0), 0);
	arena_free(&pair->arena);
	rig_close(pair->rig);
	free(pair);
}

static int take_over(struct pair *pair, bool *ret_imported)
{
	int64_t bytes;
	void *state = instance_export(&pair->rig->instances[1], &bytes);
	const int status = bytes < 0 ? (int)bytes
	                             : instance_take_over(&pair->fresh, &pair->rig->view,
	                                   &pair->rig->view, state, (size_t)bytes, ret_imported);

	free(state);
	return status;
}

static void test_state(void **state)
{
	struct pair *pair = pair_new(&whole, &whole);
	bool imported;

	(void)state;
	assert_int_equal(take_over(pair, &imported), 0);
	assert_true(imported);
	assert_int_equal(((struct state *)pair->fresh.state)->count, 41);
	assert_int_equal(atomic_load(&pair->fresh.stats->vars[0]), 41);
	pair_free(pair);
	pair = pair_new(&fresh, &whole);
	assert_int_equal(take_over(pair, &imported), 0);
	assert_false(imported);
	pair_free(pair);
	pair = pair_new(&whole, &fresh);
	assert_int_equal(take_over(pair, &imported), 0);
	assert_false(imported);
	assert_int_equal(((struct state *)pair->fresh.state)->count, 0);
	pair_free(pair);
}

static void test_export_refused(void **state)
{
	static const struct {
		int64_t bytes;
		const char *words;
	} cases[] = {{-1, "not now"}, {ALOE_EXPORT_MAX + 1ll, "at most 268435456 are allowed"}};
	struct pair *pair = pair_new(&whole, &whole);
	bool imported;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		export_bytes = cases[i].bytes;
		assert_true(take_over(pair, &imported) < 0);
		assert_non_null(strstr(pair->rig->instances[1].setup.error, cases[i].words));
	}
	export_bytes = 9;
	assert_int_equal(take_over(pair, &imported), -EINVAL);
	assert_string_equal(pair->fresh.setup.error, "9 bytes");
	export_bytes = 0;
	pair_free(pair);
}

static void number_in_force(struct pair *pair, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	atomic_store(&pair->rig->instances[1].stats->params[0], bits);
}

static void test_numbers(void **state)
{
	struct pair *pair = pair_new(&whole, &whole);
	bool imported;

	(void)state;
	number_in_force(pair, 7);
	assert_int_equal(take_over(pair, &imported), 0);
	assert_true(((struct state *)pair->fresh.state)->gain == 7);
	pair_free(pair);
	pair = pair_new(&whole, &small);
	number_in_force(pair, 7);
	assert_int_equal(take_over(pair, &imported), -EINVAL);
	assert_non_null(strstr(pair->fresh.setup.error,
	    "parameter gain has been set to 7 since the load, which the new build does not allow"));
	pair_free(pair);
}

static void test_place(void **state)
{
	struct pair *pair = pair_new(&whole, &whole);
	struct instance *place = &pair->rig->instances[1], old;
	void *was = place->state, *is = pair->fresh.state;

	(void)state;
	old = instance_replace(place, &pair->fresh);
	assert_ptr_equal(place->state, is);
	assert_ptr_equal(place->setup.arena, place);
	assert_ptr_equal(old.state, was);
	assert_null(old.stats);
	pair->fresh = instance_replace(place, &old); /* and back, so that each is closed once */
	place->stats = image_instance_state(&pair->rig->view, 1);
	pair_free(pair);
}

/* Another build by its number: allowed only where it is asked for, and its own times begin anew. */
static void test_follows(void **state)
{
	struct pair *pair = pair_new(&whole, &whole);
	struct image_view after, opened;
	struct image_files files;
	char why[300] = "";
	uint64_t step;
	size_t len;
	void *program = rig_program(pair->rig, &len);

	(void)state;
	image_bind(program, &after);
	assert_int_equal(image_follows(&pair->rig->view, program, true, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "the build is the one that runs");
	((struct image_instance *)after.instances)[1].upgrade = 3;
	((struct image_instance *)after.instances)[1].digest++;
	assert_int_equal(
	    image_follows(&pair->rig->view, program, false, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "has been given another build meanwhile"));
	assert_int_equal(image_follows(&pair->rig->view, program, true, why, sizeof(why)), 0);
	((struct image_instance *)after.instances)[1].run_on++;
	assert_int_equal(image_follows(&pair->rig->view, program, true, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "has another tail"));
	((struct image_instance *)after.instances)[1].run_on--;
	atomic_store(&pair->rig->instances[1].stats->absent, 5);
	assert_int_equal(image_create(program, len, &files), 0);
	assert_int_equal(image_open(&files, true, &opened), 0);
	assert_int_equal(image_carry(&pair->rig->view, &opened, &step), 0);
	assert_int_equal(atomic_load(&image_instance_state(&opened, 1)->upgraded), 1);
	assert_int_equal(atomic_load(&image_instance_state(&opened, 0)->upgraded), 0);
	assert_int_equal(atomic_load(&image_instance_state(&opened, 1)->absent), 5);
	image_close(&opened);
	image_files_close(&files);
	free(program);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_state),
	    cmocka_unit_test(test_export_refused),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_place),
	    cmocka_unit_test(test_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
