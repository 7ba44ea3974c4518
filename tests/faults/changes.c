/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/faults/changes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/file.h"

enum {
	SETS_FIRST = 65536,
	ITEMS_MAX = 40,
	TRIES = 30000,
	AHEAD = 1000, /* indices */
	AFTER = 20,   /* slots after a stall in which a message may still be absent for it */
};

enum { STEADY, MARKS, NOISY };
static const char *const lasting[CHANGES_LASTING] = {"steady", "marks", "noisy"};

static const char steady[] = "name = \"%s\"; slot_ns = " ALOE_SLOWER(
    "5000000", "20000000") "; late = \"%s\";\n"
                           "instances: {\n"
                           "  source: { component = \"counter\"; };\n"
                           "  work: { component = \"faulty\"; %s = 100.0; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
                           "};\nlinks = ( \"source -> work -> sink\" );\n";
static const char marks[] = "name = \"%s\"; slot_ns = " ALOE_SLOWER(
    "5000000", "20000000") "; late = \"%s\";\n"
                           "instances: {\n"
                           "  source: { component = \"counter\"; };\n"
                           "  a: { component = \"mark\"; values = [1, 1]; };\n"
                           "  slow: { component = \"faulty\"; %s = 60.0; };\n"
                           "  b: { component = \"mark\"; values = [1, 1]; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
                           "};\nlinks = ( \"source -> a -> slow -> b -> sink\" );\n";
static const char noisy[] = "name = \"%s\"; slot_ns = " ALOE_SLOWER(
    "5000000", "20000000") "; late = \"%s\";\n"
                           "instances: {\n"
                           "  source: { component = \"random_source\"; length = 16; };\n"
                           "  mod: { component = \"bpsk_mod\"; };\n"
                           "  noise: { component = \"awgn\"; esn0_db = 1.0; };\n"
                           "  slow: { component = \"faulty\"; %s = 60.0; };\n"
                           "  demod: { component = \"bpsk_demod\"; };\n"
                           "  sink: { component = \"file_sink\"; path = \"%%s\"; };\n"
                           "};\nlinks = ( \"source -> mod -> noise -> slow -> demod -> sink\" );\n";

uint32_t changes_below(struct changes *w, uint32_t n)
{
	return (uint32_t)(rand_r(&w->seed) / (RAND_MAX + 1.0) * n);
}

/* ---- talking ------------------------------------------------------------------------ */

/* Sends what `fill` puts; again while the node asks for it. The answer; a refusal fails the test,
 * but for want of room in a waveform that stands, and for an index that was named and has gone by:
 * then w->nearest is the first that has not. */
static struct wire_view ask(struct changes *w, enum wire_type type, enum wire_peer to,
    const char *waveform, void (*fill)(const void *what, struct wire_msg *msg), const void *what)
{
	struct wire_view view;

	for (int i = 0; i < TRIES; i++) {
		struct wire_msg msg;
		char *why;

		client_request(&w->client, type, to, &msg);
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
		if (fill)
			fill(what, &msg);
		assert_int_equal(client_ask(&w->client, &msg, CLIENT_CALL_MS, &view), 0);
		if (view.type == WIRE_OK)
			return view;
		why = wire_get_text(&view, WIRE_TAG_TEXT, 0);
		if (why && strstr(why, "; name index ")) {
			w->nearest = strtoull(strstr(why, "; name index ") + 13, NULL, 10);
			free(why);
			return view;
		}
		if (why && w->stands && strstr(why, "wait for their index")) {
			free(why);
			return view;
		}
		/* two changes of this test are never under way at once */
		if (!why || !strstr(why, "try again") || strstr(why, "under way"))
			fail_msg("%s of %s: %s", wire_type_name(type), waveform, why);
		free(why);
		w->refused++;
		clock_sleep_until(clock_ns() + 1000000);
	}
	fail_msg("%s of %s: refused again and again", wire_type_name(type), waveform);
	return view;
}

static void tell(struct changes *w, enum wire_type type, const char *waveform)
{
	(void)ask(w, type, WIRE_SWMAN, waveform, NULL, NULL);
}

/* ---- changes ------------------------------------------------------------------------ */

struct setting {
	struct changes_value set[2];
	uint32_t n, len; /* len: items of an array */
	uint64_t at;     /* UINT64_MAX: as soon as possible */
};

static void setting_put(const void *what, struct wire_msg *msg)
{
	const struct setting *s = what;

	for (uint32_t i = 0; i < s->n; i++) {
		char text[ITEMS_MAX * 16] = "";

		wire_put_text(msg, WIRE_TAG_NAME,
		    s->set[i].array     ? s->set[i].who ? "b.values" : "a.values"
		        : s->set[i].who ? "b.level"
		                        : "a.level");
		for (uint32_t k = 0; k < s->len; k++)
			sprintf(text + strlen(text), "%s%g", k ? "," : "", (double)s->set[i].value);
		wire_put_text(msg, WIRE_TAG_VALUE, text);
	}
	if (s->at != UINT64_MAX)
		wire_put_u64(msg, WIRE_TAG_INDEX, s->at);
}

static void value_add(struct changes *w, const struct changes_value *value)
{
	if (w->n_sets == w->room) {
		w->room = w->room > 0 ? 2 * w->room : SETS_FIRST;
		w->sets = realloc(w->sets, w->room * sizeof(*w->sets));
		assert_non_null(w->sets);
	}
	w->sets[w->n_sets++] = *value;
}

void changes_set(struct changes *w, uint32_t n, bool array, bool at)
{
	struct setting s = {.n = n,
	    .len = array ? 1 + changes_below(w, ITEMS_MAX) : 1,
	    .at = at ? w->newest + AHEAD : UINT64_MAX};
	struct wire_view view;
	uint64_t index = 0;

	for (uint32_t i = 0; i < n; i++)
		s.set[i] = (struct changes_value){.who = n == 2 ? i : changes_below(w, 2),
		    .array = array,
		    .value = (float)changes_below(w, 1000000)};
	view = ask(w, WIRE_SET, WIRE_STATS, "marks", setting_put, &s);
	while (at && view.type != WIRE_OK) {
		s.at = w->nearest + AHEAD;
		view = ask(w, WIRE_SET, WIRE_STATS, "marks", setting_put, &s);
	}
	if (view.type != WIRE_OK) {
		assert_true(w->stands);
		return;
	}
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_INDEX, &index), 0);
	assert_true(!at || index == s.at);
	w->newest = !at && index > w->newest ? index : w->newest;
	for (uint32_t i = 0; i < n; i++) {
		s.set[i].index = index;
		value_add(w, &s.set[i]);
	}
}

struct pins {
	const char *const *names;
	uint32_t n, bits;
};

static void pins_put(const void *what, struct wire_msg *msg)
{
	const struct pins *pins = what;

	for (uint32_t i = 0; i < pins->n; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s.pin=%u", pins->names[i], pins->bits >> i & 1);
		wire_put_text(msg, WIRE_TAG_SET, text);
	}
}

void changes_remap(struct changes *w)
{
	static const char *const names[2][6] = {{"source", "a", "slow", "b", "sink"},
	    {"source", "mod", "noise", "slow", "demod", "sink"}};
	const uint32_t which = changes_below(w, 2);
	const struct pins pins = {names[which], 5 + which, changes_below(w, 64)};
	struct wire_view view = ask(w, WIRE_REMAP, WIRE_SWMAN, which ? "noisy" : "marks",
	    changes_below(w, 8) ? pins_put : NULL, &pins);
	uint64_t stood = 0;

	wire_get_u64(&view, WIRE_TAG_COUNT, &stood);
	w->stood_sum += stood;
	w->stood_most = stood > w->stood_most ? stood : w->stood_most;
	w->remaps++;
}

/* It has no gap either. */
void changes_extra(struct changes *w)
{
	char command[256];

	if (w->extra) {
		ran_free(aloe_ok("unload extras"));
		(void)records_check(aloe_path("extras.out"), CHANGES_SLOT_NS, NULL);
	} else {
		snprintf(
		    command, sizeof(command), "load '%s' %s", aloe_path("extras.conf"), w->options);
		ran_free(aloe_ok("%s", command));
		tell(w, WIRE_START, "extras");
	}
	w->extra = !w->extra;
	w->extras++;
}

void changes_draw(struct changes *w, uint32_t least)
{
	const char *which = changes_below(w, 2) ? "marks" : "noisy";
	const uint32_t kind = least + changes_below(w, 100 - least);

	if (kind < 68) {
		changes_set(w, 2, false, false);
	} else if (kind < 76) {
		changes_set(w, 1, false, false);
	} else if (kind < 84) {
		changes_set(w, 2, false, true);
	} else if (kind < 89) {
		changes_set(w, 1, true, false);
	} else if (kind < 95) {
		changes_remap(w);
	} else if (kind < 99) {
		tell(w, WIRE_PAUSE, which);
		w->stands = true;
		if (changes_below(w, 3) == 0 && which[0] == 'm')
			changes_set(w, 1 + changes_below(w, 2), false, false);
		w->stands = false;
		tell(w, WIRE_START, which);
	} else {
		changes_extra(w);
	}
}

/* ---- what came of it ------------------------------------------------------------------------ */

struct record {
	uint64_t index, ns;
	float seen[2][3]; /* of a, b: level, first of the array, its mean */
};

static void apply(const struct changes_value *set, struct record *want)
{
	float *seen = want->seen[set->who];

	if (set->array)
		seen[1] = seen[2] = set->value;
	else
		seen[0] = set->value;
}

/* By index; at one index in the order in which they were sent. They are nearly sorted as they
 * are. */
static void sort(struct changes_value *sets, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct changes_value one = sets[i];
		size_t at = i;

		for (; at > 0 && sets[at - 1].index > one.index; at--)
			sets[at] = sets[at - 1];
		sets[at] = one;
	}
}

size_t changes_marks_check(struct changes *w)
{
	struct record want = {.seen = {{0, 1, 1}, {0, 1, 1}}};
	size_t len, next = 0;
	struct record *all = file_take(aloe_path("marks.out"), &len);

	sort(w->sets, w->n_sets);
	assert_int_equal(len % sizeof(*all), 0);
	for (size_t k = 0; k < len / sizeof(*all); k++) {
		for (; next < w->n_sets && w->sets[next].index == k; next++)
			apply(&w->sets[next], &want);
		if (all[k].index != k)
			fail_msg("marks: index %llu is where %zu should be",
			    (unsigned long long)all[k].index, k);
		for (int i = 0; i < 6; i++)
			if (fabsf(all[k].seen[i / 3][i % 3] - want.seen[i / 3][i % 3]) >
			    1e-6f * want.seen[i / 3][i % 3])
				fail_msg("marks: index %zu: %c shows %g as value %d, not %g", k,
				    i / 3 ? 'b' : 'a', (double)all[k].seen[i / 3][i % 3], i % 3,
				    (double)want.seen[i / 3][i % 3]);
	}
	free(all);
	return next;
}

uint64_t changes_noisy_check(void)
{
	enum { BITS = 16 };
	const size_t bytes = (size_t)BITS;
	size_t len;

	free(file_take(aloe_path("noisy.out"), &len));
	assert_true(len > 0 && len % bytes == 0);
	ran_free(aloe_ok("run '%s' --clock virtual --lanes 0 --slots %zu -q --set 'sink.path=%s' "
	                 "--set slow.nap_us=0 --set slow.spin_us=0",
	    aloe_path("noisy.conf"), len / bytes, aloe_path("noisy.want")));
	files_equal(aloe_path("noisy.want"), aloe_path("noisy.out"));
	return len / bytes;
}

/* ---- the whole ------------------------------------------------------------------------ */

/* Each has the name, the lateness, what takes the time of every call, and the sink's path. */
void changes_conf(const char *name, const char *late, const char *slows)
{
	const char *format = strcmp(name, "marks") == 0 ? marks
	    : strcmp(name, "noisy") == 0                ? noisy
	                                                : steady;
	char text[1024];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	assert_true(snprintf(text, sizeof(text), format, name, late, slows) < (int)sizeof(text));
#pragma GCC diagnostic pop
	conf_write(name, text);
}

static void lasting_begin(struct changes *w, int which)
{
	w->absent[which] = (struct changes_absent){.ns = clock_ns()};
	wave_begin(lasting[which], w->options);
}

void changes_begin(struct changes *w, const char *late, const char *slows, const char *options)
{
	*w = (struct changes){.client = CLIENT_NONE, .options = options, .seed = 1};
	assert_true(dir_runtime(w->client.dir, sizeof(w->client.dir)) == 0);
	assert_int_equal(client_connect(&w->client), 0);
	changes_conf("steady", late, slows);
	changes_conf("extras", "slip", slows);
	changes_conf("marks", "slip", slows);
	changes_conf("noisy", "slip", slows);
	for (int i = 0; i < CHANGES_LASTING; i++)
		lasting_begin(w, i);
}

/* What was absent, or overwritten before it was read, in a process that has died is not counted any
 * more. */
static void absent_check(
    struct changes *w, int which, struct ran *ran, struct stalls *const stalls[2])
{
	struct changes_absent *was = &w->absent[which];
	const double absent = ran_number(ran, "messages.absent"),
	             overwritten = ran_number(ran, "messages.overwritten");
	const struct changes_absent is = {absent + overwritten, clock_ns()};
	const double more = is.messages - (is.messages < was->messages ? 0 : was->messages);
	const uint64_t from = was->ns - (uint64_t)AFTER * CHANGES_SLOT_NS;

	if (more != 0 &&
	    (stalls == NULL ||
	        (!stalls_within(stalls[0], from, is.ns) && !stalls_within(stalls[1], from, is.ns))))
		fail_msg("%s: %g messages were absent or overwritten in the last %.1f s (%g and %g "
		         "in all), and the machine did not stall then",
		    lasting[which], more, (double)(is.ns - was->ns) / 1e9, absent, overwritten);
	if (overwritten != 0 && which != STEADY)
		fail_msg("%s: %g messages were overwritten, and under slip their writer waits",
		    lasting[which], overwritten);
	*was = is;
}

void changes_absent(struct changes *w, struct stalls *const stalls[2])
{
	for (int i = 0; i < CHANGES_LASTING; i++) {
		struct ran *ran = wave_await(lasting[i], "RUN");

		absent_check(w, i, ran, stalls);
		ran_free(ran);
	}
}

static void one_end(struct changes *w, int which, struct stalls *const stalls[2])
{
	struct ran *ran;

	ran_free(aloe_ok("stop %s", lasting[which]));
	ran = wave_await(lasting[which], "STOP");
	assert_string_equal(ran_text(ran, "reason"), "");
	absent_check(w, which, ran, stalls);
	ran_free(ran);
	ran_free(aloe_ok("unload %s", lasting[which]));
}

void changes_finish(struct changes *w, struct stalls *const stalls[2])
{
	if (w->extra)
		changes_extra(w);
	one_end(w, MARKS, stalls);
	one_end(w, NOISY, stalls);
	one_end(w, STEADY, stalls);
	client_close(&w->client);
}

void changes_again(
    struct changes *w, struct stalls *const stalls[2], size_t *ret_seen, uint64_t *ret_noisy)
{
	one_end(w, MARKS, stalls);
	one_end(w, NOISY, stalls);
	*ret_seen += changes_marks_check(w);
	*ret_noisy += changes_noisy_check();
	w->n_sets = 0;
	w->newest = w->nearest = 0;
	lasting_begin(w, MARKS);
	lasting_begin(w, NOISY);
}

void changes_fini(struct changes *w)
{
	free(w->sets);
	w->sets = NULL;
}
