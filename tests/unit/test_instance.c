/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/instance: a component is opened with what the program says, is given each message for
 * what it is, shows its variables and parameters; and every way in which opening can fail. When it
 * writes or claims too much: test_damage.c. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/common/probe.h"
#include "tests/common/rig.h"
#include "tests/common/starve.h"

static struct probe *probe_of(struct rig *rig, int node)
{
	return rig->instances[node].state;
}

static struct image_instance_state *stats(const struct rig *rig, int node)
{
	return image_instance_state(&rig->view, (uint32_t)node);
}

/* ---- messages ------------------------------------------------------------------------ */

static struct rig *chain_open(uint32_t delay)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_join, 0, 0);
	rig_link(rig, 0, 0, 1, 0, delay);
	rig_open(rig);
	return rig;
}

static void test_delay(void **state)
{
	(void)state;
	for (uint32_t delay = 0; delay < 4; delay++) {
		struct rig *rig = chain_open(delay);

		for (uint64_t k = 0; k < 20; k++) {
			const struct probe_call *call = &probe_of(rig, 1)->log[k];

			assert_int_equal(instance_call(&rig->instances[0], k, false), 0);
			assert_int_equal(instance_call(&rig->instances[1], k, false), 0);
			assert_int_equal(call->state, k < delay ? ALOE_ABSENT : ALOE_VALID);
			assert_int_equal(call->value, k < delay ? 0 : probe_value(k - delay));
		}
		/* the first ones are so by plan */
		assert_int_equal(atomic_load(&stats(rig, 1)->absent), 0);
		assert_int_equal(probe_of(rig, 1)->calls, 20);
		rig_close(rig);
	}
}

static void say_absent(struct probe *probe, struct aloe_slot *slot)
{
	(void)probe;
	/* but len and data were written */
	slot->out[0].state = slot->index == 1 ? ALOE_ABSENT : ALOE_IDLE;
}

/* A message of another state than VALID has no items, whatever its writer left there. */
static void test_states(void **state)
{
	struct rig *rig = chain_open(0);
	const struct probe_call *log = probe_of(rig, 1)->log;
	const void *data;

	(void)state;
	probe_of(rig, 0)->hook = NULL;
	instance_call(&rig->instances[0], 0, false);
	instance_call(&rig->instances[1], 0, false);
	probe_of(rig, 0)->hook = say_absent;
	for (uint64_t k = 1; k < 3; k++) {
		instance_call(&rig->instances[0], k, false);
		assert_int_equal(rig_message(rig, 0, 0, k, &data)->len, 0);
		instance_call(&rig->instances[1], k, false);
	}
	assert_int_equal(log[0].state, ALOE_VALID);
	assert_int_equal(log[1].state, ALOE_ABSENT);
	assert_int_equal(log[2].state, ALOE_IDLE);
	assert_int_equal(log[1].value, 0);
	assert_int_equal(log[2].value, 0);
	/* it was there: its writer called it so */
	assert_int_equal(atomic_load(&stats(rig, 1)->absent), 0);
	instance_call(&rig->instances[1], 3, false); /* not written yet */
	assert_int_equal(log[3].state, ALOE_ABSENT);
	assert_int_equal(atomic_load(&stats(rig, 1)->absent), 1);
	instance_idle(&rig->instances[0], 3);
	instance_call(&rig->instances[1], 3, false);
	assert_int_equal(log[4].state, ALOE_IDLE);
	assert_int_equal(atomic_load(&stats(rig, 0)->idle), 1);
	rig_close(rig);
}

static void look_optional(struct probe *probe, struct aloe_slot *slot)
{
	probe->arg = (void *)slot->in[1].data;
	assert_int_equal(slot->in[1].state, ALOE_ABSENT);
	assert_int_equal(slot->in[1].len, 0);
	assert_int_equal(slot->out[0].max, 0);
}

/* Nor where another process wrote a length beside such a state. */
static void test_length_of_nothing(void **state)
{
	struct rig *rig = chain_open(0);
	struct image_message *message;
	const void *data;

	(void)state;
	instance_call(&rig->instances[0], 0, false);
	message = (struct image_message *)rig_message(rig, 0, 0, 0, &data);
	atomic_store(&message->state, ALOE_IDLE);
	assert_int_equal(message->len, 8);
	instance_call(&rig->instances[1], 0, false);
	assert_int_equal(probe_of(rig, 1)->log[0].state, ALOE_IDLE);
	assert_int_equal(probe_of(rig, 1)->log[0].value, 0);
	rig_close(rig);
}

/* An input without a writer reads ABSENT and is not counted; an output without a reader holds
 * nothing. */
static void test_optional(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_join, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[1].depth = 0;
	rig_open(rig);
	assert_int_equal(rig->instances[1].setup.in[0].type, ALOE_BYTE);
	assert_int_equal(rig->instances[1].setup.in[0].max, 8);
	assert_int_equal(rig->instances[1].setup.in[1].type, 0);
	assert_int_equal(rig->instances[1].setup.out[0].type, 0);
	probe_of(rig, 1)->hook = look_optional;
	for (uint64_t k = 0; k < 10; k++) {
		instance_call(&rig->instances[0], k, false);
		assert_int_equal(instance_call(&rig->instances[1], k, false), 0);
		instance_idle(&rig->instances[1], k);
	}
	assert_int_equal(atomic_load(&stats(rig, 1)->absent), 0);
	rig_close(rig);
}

/* The same messages and counts with the clock read around each port, and the ports' times
 * summed. */
static void test_sampled(void **state)
{
	struct rig *rig = chain_open(1);

	(void)state;
	for (uint64_t k = 0; k < 20; k++) {
		assert_int_equal(instance_call_sampled(&rig->instances[0], k, false), 0);
		assert_int_equal(instance_call_sampled(&rig->instances[1], k, true), 0);
		assert_int_equal(probe_of(rig, 1)->log[k].value, k > 0 ? probe_value(k - 1) : 0);
	}
	assert_int_equal(atomic_load(&stats(rig, 1)->port_count), 20);
	assert_int_equal(probe_of(rig, 1)->calls, 20);
	assert_true(atomic_load(&stats(rig, 1)->port_ns[0]) > 0);
	assert_true(atomic_load(&stats(rig, 1)->port_ns[ALOE_PORTS_MAX]) > 0);
	assert_int_equal(atomic_load(&stats(rig, 0)->port_ns[0]), 0); /* it has no input */
	probe_of(rig, 1)->fail_at = 20 + 1;
	assert_int_equal(instance_call_sampled(&rig->instances[1], 20, false), -ERANGE);
	probe_of(rig, 1)->fail_at = 21 + 1;
	assert_int_equal(instance_call(&rig->instances[1], 21, false), -ERANGE);
	rig_close(rig);
}

/* ---- variables, parameters ---- */

static void test_vars(void **state)
{
	struct rig *rig = chain_open(0);
	double level;
	uint64_t bits;

	(void)state;
	for (uint64_t k = 0; k < 7; k++) {
		instance_call(&rig->instances[0], k, false);
		assert_int_equal(atomic_load(&stats(rig, 0)->vars[0]), k + 1);
		bits = atomic_load(&stats(rig, 0)->vars[1]);
		memcpy(&level, &bits, sizeof(level));
		assert_true(level == (double)k / 2);
	}
	probe_of(rig, 0)->calls = 77; /* as close may still count */
	instance_close(&rig->instances[0], 0);
	assert_int_equal(atomic_load(&stats(rig, 0)->vars[0]), 77);
	rig_close(rig);
}

struct kinds {
	float real32;
	double real64, unset;
	int32_t i32;
	uint64_t u64;
	bool flag;
	int32_t choice;
	char text[8];
	struct aloe_reals taps;
};

static const char *const choices[] = {"red", "green", "blue", NULL};
static const struct aloe_param kinds_params[] = {
    ALOE_PARAM_REAL(struct kinds, real32, 1, 0, 10, "", ALOE_LIVE, "r"),
    ALOE_PARAM_REAL(struct kinds, real64, 2, 0, 10, "", ALOE_LIVE, "r"),
    ALOE_PARAM_INT(struct kinds, i32, -3, -10, 10, "", ALOE_LIVE, "i"),
    ALOE_PARAM_INT(struct kinds, u64, 4, 0, 1e15, "", ALOE_LIVE, "u"),
    ALOE_PARAM_BOOL(struct kinds, flag, 0, ALOE_LIVE, "b"),
    ALOE_PARAM_ENUM(struct kinds, choice, choices, "green", ALOE_LIVE, "e"),
    ALOE_PARAM_TEXT(struct kinds, text, "abc", 0, "t"),
    ALOE_PARAM_REALS(struct kinds, taps, 5, -1, 1, "", 0, "taps"),
};

static int kinds_work(void *self, struct aloe_slot *slot)
{
	(void)self;
	(void)slot;
	return 0;
}

static const struct aloe_component kinds = {
    .summary = "one parameter of each kind",
    .params = ALOE_LIST(kinds_params),
    .state_size = sizeof(struct kinds),
    .work = kinds_work,
};

static struct rig *kinds_rig(void)
{
	static const float taps[] = {0.5f, -0.25f, 1};
	static const double numbers[] = {1.5, 2.5, -9, 1e14, 1, 2};
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	rig_add(rig, &kinds, 0, 0);
	for (int i = 0; i < 6; i++)
		rig->nodes[0].values[i] = (struct rig_value){.set = true, .number = numbers[i]};
	rig->nodes[0].values[6].text = "seven77";
	rig->nodes[0].values[7] = (struct rig_value){.reals = taps, .n_reals = 3};
	return rig;
}

static void test_params(void **state)
{
	struct rig *rig = kinds_rig();
	const struct kinds *have;
	double shown;

	(void)state;
	rig_open(rig);
	have = rig->instances[0].state;
	assert_true(have->real32 == 1.5f && have->real64 == 2.5 && have->i32 == -9 &&
	    have->u64 == 100000000000000);
	assert_true(have->flag && have->choice == 2);
	assert_string_equal(have->text, "seven77");
	assert_int_equal(have->taps.len, 3);
	assert_true(have->taps.data[0] == 0.5f && have->taps.data[2] == 1);
	for (int i = 0; i < 6; i++) {
		const uint64_t bits = atomic_load(&stats(rig, 0)->params[i]);

		memcpy(&shown, &bits, sizeof(shown));
		assert_true(shown == rig->nodes[0].values[i].number);
	}
	rig_close(rig);
}

/* ---- opening fails ------------------------------------------------------------------------ */

static int open_alone(struct rig *rig, const struct aloe_component *component)
{
	const struct aloe_entry entry = {ALOE_ABI, "c", component};

	return instance_open(&rig->instances[0], &rig->view, 0, &entry, NULL, &rig->arena);
}

static void refused(struct rig *rig, const struct aloe_component *component, const char *why)
{
	if (rig->files.program < 0)
		rig_image(rig);
	assert_true(open_alone(rig, component) < 0);
	assert_string_equal(rig->instances[0].setup.error, why);
	assert_int_equal(instance_close(&rig->instances[0], 0), 0);
	rig->instances[0].component = NULL;
}

static void test_param_refused(void **state)
{
	static const float taps[6];
	static const struct {
		int param;
		struct rig_value value;
		const char *why;
	} bad[] = {
	    {2, {.set = true, .number = 0.5}, "parameter i32 does not fit the component"},
	    {2, {.set = true, .number = 1e12}, "parameter i32 does not fit the component"},
	    {3, {.set = true, .number = 1e17}, "parameter u64 does not fit the component"},
	    {4, {.set = true, .number = 2}, "parameter flag does not fit the component"},
	    {5, {.set = true, .number = 3}, "parameter choice does not fit the component"},
	    {6, {.text = "longer than 8"}, "parameter text does not fit the component"},
	    {7, {.reals = taps, .n_reals = 6}, "parameter taps does not fit the component"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rig *rig = kinds_rig();

		rig->nodes[0].values[bad[i].param] = bad[i].value;
		refused(rig, &kinds, bad[i].why);
		rig_close(rig);
	}
}

/* The plan was made from another build of the component. */
static void test_other_component(void **state)
{
	struct aloe_component other = probe_source;
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	const struct aloe_var moved[] = {
	    ALOE_VAR_U64(struct probe, calls, "", "where the plan says"),
	    {"level", 1, sizeof(struct probe) + 4096, "", "elsewhere"},
	};

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	refused(rig, &probe_sink, "the component's ports are not those of the plan");
	refused(rig, &probe_pass, "the component's ports are not those of the plan");
	other.params.len = 1;
	refused(rig, &other, "the component has 1 parameter, but the plan has 2");
	other = probe_source;
	other.vars.len = 1;
	refused(rig, &other, "the component's variables are not those of the plan");
	other.vars = (struct aloe_list_vars){moved, 2};
	refused(rig, &other, "the component's variables are not those of the plan");
	rig_close(rig);
	rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	rig_add(rig, &probe_pass, 0, 0);
	/* one port less */
	refused(rig, &probe_sink, "the component's ports are not those of the plan");
	rig_close(rig);
}

/* ---- callbacks ------------------------------------------------------------------------ */

struct told {          /* what a component is told to do by its parameters */
	int32_t fails; /* letter of the callback that fails */
	int32_t records;
	double buffer_ms;
	int32_t filled, drained, worked;
};

static const struct aloe_param told_params[] = {
    ALOE_PARAM_INT(struct told, fails, 0, 0, 255, "", 0, "letter"),
    ALOE_PARAM_INT(struct told, records, 3, 0, 100000, "", 0, "records of the source"),
    ALOE_PARAM_REAL(struct told, buffer_ms, 10, 0, 1e9, "ms", 0, "as I/O components have it"),
};

/* Each callback leaves its letter in the note. */
static int called(struct told *told, struct aloe_setup *setup, char letter)
{
	const size_t len = strlen(setup->note);

	if (len + 2 < sizeof(setup->note))
		memcpy(setup->note + len, (char[]){letter, 0}, 2);
	return told->fails == letter ? aloe_fail(setup, "%c failed", letter) : 0;
}

static int told_check(void *self, struct aloe_setup *setup)
{
	return called(self, setup, 'c');
}

static int told_init(void *self, struct aloe_setup *setup)
{
	if (aloe_alloc(setup, 1000) == NULL)
		return aloe_fail(setup, "no memory for init");
	return called(self, setup, 'i');
}

static int told_fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	struct told *told = self;

	if (told->filled == told->records)
		return told->fails == 'f' ? called(told, setup, 'f') : ALOE_FILL_END;
	record->len = record->max;
	memset(record->data, ++told->filled, record->max);
	return 0;
}

static int told_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	struct told *told = self;

	assert_true(record->state == ALOE_ABSENT || record->len == record->max);
	told->drained++;
	return called(told, setup, 'd');
}

static int told_close(void *self, struct aloe_setup *setup)
{
	struct told *told = self;

	return told->fails == 'd' ? (called(told, setup, 'x'), aloe_fail(setup, "x failed after d"))
	                          : called(told, setup, 'x');
}

static const struct aloe_port out_port[] = {ALOE_OUT_OPTIONAL("out", ALOE_BYTE, "items")};
static const struct aloe_port in_port[] = {ALOE_IN("in", ALOE_BYTE, "items")};

static int count_work(void *self, struct aloe_slot *slot)
{
	(void)slot;
	((struct told *)self)->worked++;
	return 0;
}

#define TOLD(...)                                                                                  \
	{                                                                                          \
		.summary = "told", .params = ALOE_LIST(told_params),                               \
		.state_size = sizeof(struct told), .check = told_check, .init = told_init,         \
		.close = told_close, __VA_ARGS__                                                   \
	}
static const struct aloe_component told_plain =
    TOLD(.ports = ALOE_LIST(out_port), .work = count_work);
static const struct aloe_component told_source =
    TOLD(.ports = ALOE_LIST(out_port), .fill = told_fill);
static const struct aloe_component told_sink =
    TOLD(.ports = ALOE_LIST(in_port), .drain = told_drain);

/* Opened and closed with callback `fails` failing: the letters of those that were called, and the
 * words left. */
static void told_is(const struct aloe_component *component, char fails, int records, bool opens,
    const char *notes, const char *error)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	struct instance *it = &rig->instances[0];

	rig_add(rig, component, 0, 0);
	rig->nodes[0].values[0] = (struct rig_value){.set = true, .number = fails};
	rig->nodes[0].values[1] = (struct rig_value){.set = true, .number = records};
	rig_image(rig);
	assert_int_equal(open_alone(rig, component) == 0, opens);
	/* I/O errors are kept */
	assert_int_equal(instance_close(it, 0) < 0, error[0] != 0 && (opens || fails == 'f'));
	assert_string_equal(it->setup.note, notes);
	assert_string_equal(it->setup.error, error);
	assert_null(it->io.records);
	it->component = NULL;
	rig_close(rig);
}

static void test_callbacks(void **state)
{
	(void)state;
	told_is(&told_plain, 0, 0, true, "cix", "");
	told_is(&told_plain, 'c', 0, false, "c", "c failed");
	told_is(&told_plain, 'i', 0, false, "ci", "i failed");
	told_is(&told_plain, 'x', 0, true, "cix", "x failed");
	told_is(&told_source, 0, 3, true, "cix", "");
	told_is(&told_source, 0, 0, false, "cix", "there is nothing to read: the source is empty");
	told_is(&told_source, 'f', 2, false, "cifx", "f failed");
	told_is(&told_source, 'i', 2, false, "ci", "i failed");
}

/* Memory fails at each allocation in turn: refused with words, nothing lost, and the next try
 * succeeds. */
static void test_memory(void **state)
{
	static const struct aloe_component *const all[] = {&told_plain, &told_source, &told_sink};

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
		struct instance *it = &rig->instances[0];
		long n = 0;
		int status;

		rig_add(rig, all[c], 0, 0);
		rig_image(rig);
		for (;; n++) {
			arena_free(&rig->arena);
			starve_after(n);
			status = open_alone(rig, all[c]);
			if (!starve_over())
				break;
			assert_true(status < 0);
			assert_non_null(strstr(it->setup.error, "no memory for "));
			assert_int_equal(instance_close(it, 0), 0);
		}
		assert_int_equal(status, 0);
		/* the arena's region, and the ring's two pieces */
		assert_true(n >= (c == 0 ? 1 : 3));
		rig_close(rig);
	}
}

/* Without copies each has its own, so that they can go to different lanes. */
static void test_scratch_alone(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	struct aloe_setup *one = &rig->instances[0].setup, *other = &rig->instances[1].setup;

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_source, 0, 0);
	rig_open(rig);
	assert_ptr_not_equal(aloe_scratch(one, 1000), aloe_scratch(other, 1000));
	rig_close(rig);
}

/* Copies that run in a segment share the first piece that each asks for, and no other. */
static void test_scratch(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	struct aloe_setup *one = &rig->instances[0].setup, *other = &rig->instances[1].setup;
	void *shared, *own;

	(void)state;
	rig->copies = 2;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_source, 0, 0);
	rig_open(rig);
	shared = aloe_scratch(one, 1000);
	own = aloe_scratch(one, 100);
	assert_non_null(shared);
	assert_non_null(own);
	assert_ptr_equal(aloe_scratch(other, 1000), shared);
	assert_ptr_not_equal(own, shared);
	assert_ptr_not_equal(aloe_scratch(other, 100), shared);
	assert_ptr_not_equal(aloe_scratch(other, 100), own);
	rig_close(rig);
}

static void test_ring_memory(void **state)
{
	struct io_ring ring;

	(void)state;
	for (long n = 0; n < 2; n++) {
		starve_after(n);
		assert_int_equal(io_ring_init(&ring, 4, 8, 8), -ENOMEM);
		assert_true(starve_over());
		assert_null(ring.records);
		assert_null(ring.data);
	}
}

static void test_segment_memory(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	struct segment segment;
	long n = 0;

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_open(rig);
	for (;; n++) {
		starve_after(n);
		const int status =
		    segment_init(&segment, &rig->view, 0, rig->instances, &rig->control);

		if (!starve_over())
			break;
		assert_int_equal(status, -ENOMEM);
		assert_null(segment.instances);
		assert_null(segment.gates);
	}
	assert_true(n >= 2);
	segment_fini(&segment);
	rig_close(rig);
}

/* ---- records ------------------------------------------------------------------------ */

static void test_ring_length(void **state)
{
	static const struct {
		double buffer_ms;
		uint32_t records;
	} all[] = {{0, 4}, {3.9, 4}, {5, 5}, {200, 200}, {1e6, 4096}};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP); /* slots of 1 ms */

		rig_add(rig, &told_source, 0, 0);
		rig->nodes[0].values[2] =
		    (struct rig_value){.set = true, .number = all[i].buffer_ms};
		rig_open(rig);
		assert_int_equal(rig->instances[0].io.len, all[i].records);
		rig_close(rig);
	}
}

/* source of 3 records -> sink, without work of their own: the record is copied, the last one ends
 * the waveform. */
static void test_copy(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	const struct told *sink;
	const void *data;

	(void)state;
	rig_add(rig, &told_source, 0, 0);
	rig_add(rig, &told_sink, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_open(rig);
	sink = rig->instances[1].state;
	for (uint64_t k = 0; k < 3; k++) {
		assert_true(instance_can(&rig->instances[0]));
		assert_true(instance_can(&rig->instances[1]));
		assert_int_equal(instance_call(&rig->instances[0], k, false), 0);
		assert_int_equal(instance_call(&rig->instances[1], k, false), 0);
		assert_int_equal(rig->instances[0].slot.flags, k == 2 ? ALOE_SLOT_END : 0);
		assert_int_equal(rig->instances[1].slot.flags, 0);
		assert_int_equal(rig_message(rig, 0, 0, k, &data)->len, 8);
		assert_int_equal(((const uint8_t *)data)[7], k + 1);
		assert_int_equal(rig->instances[1].io.records[k].index, k);
		assert_int_equal(((const uint8_t *)rig->instances[1].io.records[k].data)[7], k + 1);
	}
	assert_false(instance_can(&rig->instances[0]));
	assert_int_equal(sink->drained, 0);
	assert_int_equal(instance_close(&rig->instances[1], 0), 0); /* drains what is left */
	assert_string_equal(rig->instances[1].setup.note, "cidddx");
	rig_close(rig);
}

/* Under skip: no record, so ABSENT; no space, so lost; both counted, and the sink's file goes on
 * later. */
static void test_without_record(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SKIP);
	const void *data;

	(void)state;
	rig_add(rig, &told_source, 0, 0);
	rig_add(rig, &told_sink, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[1].values[2] = (struct rig_value){.set = true, .number = 4};
	rig_open(rig);
	for (uint64_t k = 0; k < 3; k++)
		assert_int_equal(rig_slot(rig, 0, k), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, 3), SEGMENT_ENDED); /* 3 records: index 2 was the last */
	atomic_store(&image_run(&rig->view)->last, IMAGE_FOREVER);
	for (uint64_t k = 3; k < 10; k++)
		assert_int_equal(rig_slot(rig, 0, k), SEGMENT_RAN);
	assert_int_equal(rig_message(rig, 0, 0, 9, &data)->state, ALOE_ABSENT);
	assert_int_equal(rig_message(rig, 0, 0, 9, &data)->len, 0);
	assert_int_equal(atomic_load(&stats(rig, 0)->io_lost), 7);
	assert_int_equal(atomic_load(&stats(rig, 1)->io_lost), 6); /* 4 fit */
	rig_close(rig);
}

/* Under slip the segment waits for the record or the space instead. */
static void test_waits_for_record(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	const struct segment_gate *gate;

	(void)state;
	rig_add(rig, &told_source, 0, 0);
	rig_add(rig, &told_sink, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[0].values[1] = (struct rig_value){.set = true, .number = 1000};
	rig->nodes[1].values[2] = (struct rig_value){.set = true, .number = 4};
	rig_open(rig);
	for (uint64_t k = 0; k < 4; k++)
		assert_int_equal(rig_slot(rig, 0, k), SEGMENT_RAN);
	assert_int_equal(rig_slot(rig, 0, 4), SEGMENT_WAITS); /* the sink is full */
	assert_int_equal(segment_ready(&rig->segments[0], &gate), SEGMENT_WAITS);
	assert_null(gate);
	io_drain(
	    &rig->instances[1].io, &told_sink, rig->instances[1].state, &rig->instances[1].setup);
	for (uint64_t k = 5; k < 9; k++)
		assert_int_equal(rig_slot(rig, 0, k), SEGMENT_RAN);
	/* the source has 10 records in its ring, one kept back */
	for (uint64_t k = 9; k < 40; k++) {
		rig_slot(rig, 0, k);
		io_drain(&rig->instances[1].io, &told_sink, rig->instances[1].state,
		    &rig->instances[1].setup);
	}
	assert_int_equal(atomic_load(&rig_state(rig, 0)->done), 9);
	assert_int_equal(
	    atomic_load(&stats(rig, 0)->io_lost) + atomic_load(&stats(rig, 1)->io_lost), 0);
	rig_close(rig);
}

/* Draining at the end fails: its words stay, also when close fails after it. */
static void test_drain_fails(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig_add(rig, &told_source, 0, 0);
	rig_add(rig, &told_sink, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[1].values[0] = (struct rig_value){.set = true, .number = 'd'};
	rig_open(rig);
	rig_slot(rig, 0, 0);
	assert_true(instance_close(&rig->instances[1], 0) < 0);
	assert_string_equal(rig->instances[1].setup.note, "cidx");
	assert_string_equal(rig->instances[1].setup.error, "d failed");
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_delay),
	    cmocka_unit_test(test_states),
	    cmocka_unit_test(test_length_of_nothing),
	    cmocka_unit_test(test_optional),
	    cmocka_unit_test(test_sampled),
	    cmocka_unit_test(test_vars),
	    cmocka_unit_test(test_params),
	    cmocka_unit_test(test_param_refused),
	    cmocka_unit_test(test_other_component),
	    cmocka_unit_test(test_callbacks),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_scratch),
	    cmocka_unit_test(test_scratch_alone),
	    cmocka_unit_test(test_ring_memory),
	    cmocka_unit_test(test_segment_memory),
	    cmocka_unit_test(test_ring_length),
	    cmocka_unit_test(test_copy),
	    cmocka_unit_test(test_without_record),
	    cmocka_unit_test(test_waits_for_record),
	    cmocka_unit_test(test_drain_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
