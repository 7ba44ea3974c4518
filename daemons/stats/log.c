/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/log.c - variables of an instance by index.
 *
 *   look    every quarter of the time that a row is for: which index is the instance done with, and
 *           what are its variables; read again if the segment went on meanwhile
 *   row     the first look at each `every` indices gives one; where there was none, there is a gap,
 *           which the indices of the rows show
 *
 * No lane is disturbed: what a segment writes in any case (begin and slot of the step, the instance
 * that runs) says of which index the values are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "daemons/stats/stats.h"

#define LOOK_NS_MIN 250000ull
#define LOOK_NS_MAX 50000000ull
#define LOOK_NS_UNTIMED 1000000ull
#define UNASKED_NS 10000000000ull
enum { LOGS_MAX = 64, ROWS_MAX = 4096, TRIES = 200, ERROR_BYTES = 1000 };

struct stats_log {
	struct stats_log *next;
	uint64_t number, asked_ns, every, edition;
	char waveform[KEEP_KEY_MAX + 1];
	uint32_t instance, var, n_vars;
	uint64_t part;  /* that is wanted next: indices part * every .. */
	uint64_t *rows; /* of an index and n_vars values; row n at n % ROWS_MAX */
	uint64_t written, fetched;
};

static uint64_t *row_at(const struct stats_log *log, uint64_t n)
{
	return log->rows + (n % ROWS_MAX) * (log->n_vars + 1u);
}

/* ---- of which index ------------------------------------------------------------------------ */

struct stand { /* where a segment is */
	uint64_t done;
	uint32_t current;
	bool begun; /* step `done` */
};

static uint64_t start_of(const struct image_segment_state *state, uint64_t step)
{
	return atomic_load_explicit(&state->start_ns[step % IMAGE_STEPS], memory_order_acquire);
}

/* A step that has begun began after the one before it; one that has not, shows the begin of the
 * step IMAGE_STEPS before. Where slots have no edge not every step has a begin
 * (core/slot/virtual.c), but each its own slot. */
static bool step_begun(
    const struct image_view *view, const struct image_segment_state *state, uint64_t step)
{
	const uint64_t began = start_of(state, step),
	               before = step == 0 ? 0 : start_of(state, step - 1);

	if (!image_timed(view->head->clock) && step > 0)
		return atomic_load_explicit(
		           &state->slot[step % IMAGE_STEPS], memory_order_acquire) == step;
	return began != 0 && began >= before;
}

static struct stand stand_read(
    const struct image_view *view, const struct image_segment_state *state)
{
	struct stand stand = {.done = atomic_load_explicit(&state->done, memory_order_acquire)};

	stand.begun = step_begun(view, state, stand.done);
	stand.current = atomic_load_explicit(&state->current, memory_order_acquire);
	return stand;
}

/* Whether it is there still, so that nothing was written meanwhile. `done` is read last: what was
 * read before it is of no later step then. */
static bool stand_holds(const struct image_view *view, const struct image_segment_state *state,
    const struct stand *stand)
{
	const bool same =
	    atomic_load_explicit(&state->current, memory_order_acquire) == stand->current &&
	    step_begun(view, state, stand->done) == stand->begun;

	return same && atomic_load_explicit(&state->done, memory_order_acquire) == stand->done;
}

/* Whether instance `a` runs before instance `b` of the same segment. */
static bool runs_before(const struct image_view *view, uint32_t a, uint32_t b)
{
	const struct image_segment *segment = &view->segments[view->instances[b].segment];

	for (uint32_t i = 0; i < segment->n_instances; i++) {
		const uint32_t at = view->order[segment->order + i];

		if (at == a || at == b)
			return at == a && a != b;
	}
	return false;
}

/* How many indices the instance is done with. False: it is just at work, or nobody can tell. */
static bool indices_done(
    const struct image_view *view, uint32_t instance, const struct stand *stand, uint64_t *ret)
{
	const struct image_instance *row = &view->instances[instance];
	const uint64_t next = image_next_index(view, instance);

	if (!stand->begun ||
	    (stand->current != 0 && runs_before(view, stand->current - 1, instance))) {
		*ret = next;
		return true;
	}
	if (stand->current == 0 || !runs_before(view, instance, stand->current - 1))
		return false;
	*ret = stand->done == next + row->lag ? next + 1 : next;
	return true;
}

/* Beyond the last index the segment goes on for others. */
static uint64_t index_clip(const struct image_view *view, uint32_t instance, uint64_t done)
{
	const uint64_t last = atomic_load(&image_run(view)->last),
	               run_on = view->instances[instance].run_on;

	return last < IMAGE_FOREVER - run_on - 1 && done > last + run_on + 1 ? last + run_on + 1
	                                                                     : done;
}

static bool values_read(const struct image_view *view, const struct stats_log *log, uint64_t *row)
{
	const struct image_segment_state *state =
	    image_segment_state(view, view->instances[log->instance].segment);
	const struct image_instance_state *from = image_instance_state(view, log->instance);

	for (int i = 0; i < TRIES; i++) {
		const struct stand stand = stand_read(view, state);
		uint64_t done;

		if (!indices_done(view, log->instance, &stand, &done))
			continue;
		for (uint32_t v = 0; v < log->n_vars; v++)
			row[v + 1] =
			    atomic_load_explicit(&from->vars[log->var + v], memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		if (!stand_holds(view, state, &stand))
			continue;
		done = index_clip(view, log->instance, done);
		row[0] = done - 1;
		return done > 0;
	}
	return false;
}

static void log_look(struct stats_log *log, const struct image_view *view)
{
	uint64_t row[IMAGE_VARS_MAX + 1];

	if (!values_read(view, log, row) || row[0] / log->every < log->part)
		return;
	log->part = row[0] / log->every + 1;
	memcpy(row_at(log, log->written++), row, (log->n_vars + 1u) * sizeof(row[0]));
	if (log->written - log->fetched > ROWS_MAX)
		log->fetched = log->written - ROWS_MAX;
}

/* ---- the timer ------------------------------------------------------------------------ */

static uint64_t interval_ns(const struct stats_log *log, const struct image_view *view)
{
	const uint64_t slot_ns = view->head->slot_ns,
	               most = slot_ns > 0 ? 4 * LOOK_NS_MAX / slot_ns : 0;
	uint64_t ns = LOOK_NS_UNTIMED;

	if (image_timed(view->head->clock))
		ns = log->every > most ? LOOK_NS_MAX : log->every * slot_ns / 4;
	return ns < LOOK_NS_MIN ? LOOK_NS_MIN : ns;
}

static void log_remove(struct stats_log **at)
{
	struct stats_log *log = *at;

	*at = log->next;
	free(log->rows);
	free(log);
}

static void logs_look(void *self);

static void look_within(struct stats *stats, uint64_t ns)
{
	if (!stats->look.on || stats->look.at_ns > clock_ns() + ns)
		loop_timer_start(&stats->daemon.loop, &stats->look, ns, logs_look, stats);
}

static void logs_look(void *self)
{
	struct stats *stats = self;
	const uint64_t now = clock_ns();

	for (struct stats_log **at = &stats->logs; *at;) {
		struct stats_log *log = *at;
		const struct stats_wave *wave = stats_wave_find(stats, log->waveform);

		if (!wave || wave->edition != log->edition || now - log->asked_ns > UNASKED_NS) {
			log_remove(at);
			continue;
		}
		log_look(log, &wave->view);
		look_within(stats, interval_ns(log, &wave->view));
		at = &log->next;
	}
}

void stats_logs_close(struct stats *stats)
{
	while (stats->logs)
		log_remove(&stats->logs);
	loop_timer_stop(&stats->daemon.loop, &stats->look);
}

/* ---- the request ------------------------------------------------------------------------ */

static json_t *names_json(const struct stats_log *log, const struct image_view *view)
{
	const struct image_instance *row = &view->instances[log->instance];
	json_t *names = json_array();

	for (uint32_t v = 0; v < log->n_vars; v++) {
		char name[256];

		snprintf(name, sizeof(name), "%s.%s", image_text(view, row->name),
		    image_text(view, view->vars[row->vars + log->var + v].name));
		json_array_append_new(names, json_string(name));
	}
	return names;
}

static json_t *row_json(const struct stats_log *log, const struct image_view *view, uint64_t n)
{
	const struct image_instance *row = &view->instances[log->instance];
	const uint64_t *values = row_at(log, n);
	json_t *array = json_array();

	json_array_append_new(array, json_integer((json_int_t)values[0]));
	for (uint32_t v = 0; v < log->n_vars; v++)
		json_array_append_new(
		    array, stats_var(&view->vars[row->vars + log->var + v], values[v + 1]));
	return array;
}

static void rows_send(struct stats *stats, const struct wire_view *request, struct stats_log *log,
    const struct image_view *view)
{
	json_t *rows = json_array();
	json_t *whole = json_pack("{s:o, s:o}", "names", names_json(log, view), "rows", rows);
	struct wire_msg msg;
	char *text;

	for (; log->fetched < log->written; log->fetched++)
		json_array_append_new(rows, row_json(log, view, log->fetched));
	text = json_dumps(whole, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(whole);
	if (!text) {
		daemon_fail(&stats->daemon, request, 1, "aloe-stats: out of memory");
		return;
	}
	bus_reply(stats->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, text);
	wire_put_u64(&msg, WIRE_TAG_CURSOR, log->number);
	bus_send(stats->daemon.bus, &msg);
	free(text);
}

/* Numbers of an aloe-stats that has died are none of this one's. */
static uint64_t number_new(struct stats *stats)
{
	if (stats->numbers == 0)
		stats->numbers = clock_ns();
	return ++stats->numbers;
}

static struct stats_log *log_new(struct stats *stats, const struct stats_wave *wave,
    const struct stats_name *name, uint64_t every)
{
	struct stats_log *log = calloc(1, sizeof(*log));

	if (!log)
		return NULL;
	log->instance = name->instance;
	log->var = name->whole ? 0 : name->var;
	log->n_vars = name->whole ? wave->view.instances[name->instance].n_vars : 1;
	log->every = every;
	log->rows = calloc(ROWS_MAX, (log->n_vars + 1u) * sizeof(*log->rows));
	if (!log->rows) {
		free(log);
		return NULL;
	}
	log->number = number_new(stats);
	log->edition = wave->edition;
	snprintf(log->waveform, sizeof(log->waveform), "%s", wave->name);
	log->next = stats->logs;
	stats->logs = log;
	return log;
}

static struct stats_log *log_find(struct stats *stats, uint64_t number)
{
	struct stats_log *log = stats->logs;

	while (log && log->number != number)
		log = log->next;
	return log;
}

static unsigned logs_count(const struct stats *stats)
{
	unsigned n = 0;

	for (const struct stats_log *log = stats->logs; log; log = log->next)
		n++;
	return n;
}

/* NULL: refused and answered. */
static struct stats_log *log_open(struct stats *stats, const struct wire_view *request,
    const struct stats_wave *wave, const char *text)
{
	struct stats_log *log = NULL;
	struct stats_name name;
	char error[ERROR_BYTES];
	uint64_t every = 1;

	wire_get_u64(request, WIRE_TAG_COUNT, &every);
	if (stats_name_find(wave, text, &name, error, sizeof(error)) < 0)
		stats_name_fail(stats, request, wave, &name, error);
	else if (!name.whole && name.var == IMAGE_NONE)
		daemon_fail(&stats->daemon, request, 2,
		    "%s is a parameter, but only variables can be logged", text);
	else if (name.whole && wave->view.instances[name.instance].n_vars == 0)
		daemon_fail(&stats->daemon, request, 2, "instance \"%s\" has no variables", text);
	else if (wave->view.instances[name.instance].places > 1)
		daemon_fail(&stats->daemon, request, 2,
		    "instance \"%s\" has replicas, which are not done with one index at one "
		    "time; `aloe watch` prints the sums of their counts",
		    image_text(&wave->view, wave->view.instances[name.instance].name));
	else if (every == 0)
		daemon_fail(&stats->daemon, request, 2, "a row is for 1 index or more, not for 0");
	else if (logs_count(stats) >= LOGS_MAX)
		daemon_fail(&stats->daemon, request, 1, "%d logs are open already", LOGS_MAX);
	else if (!(log = log_new(stats, wave, &name, every)))
		daemon_fail(&stats->daemon, request, 1, "aloe-stats: out of memory");
	return log;
}

static void log_answer(struct stats *stats, const struct wire_view *request,
    const struct stats_wave *wave, const char *name)
{
	struct stats_log *log = NULL;
	uint64_t number;

	if (wire_get_u64(request, WIRE_TAG_CURSOR, &number) == 0)
		log = log_find(stats, number);
	if (!log || log->edition != wave->edition)
		log = log_open(stats, request, wave, name);
	if (!log)
		return;
	log->asked_ns = clock_ns();
	log_look(log, &wave->view);
	look_within(stats, interval_ns(log, &wave->view));
	rows_send(stats, request, log, &wave->view);
}

void stats_log(struct stats *stats, const struct wire_view *request)
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0),
	     *name = wire_get_text(request, WIRE_TAG_NAME, 0);
	const struct stats_wave *wave = waveform ? stats_wave_find(stats, waveform) : NULL;
	char error[ERROR_BYTES];

	if (!waveform || !name) {
		daemon_fail(&stats->daemon, request, 2, "log needs a waveform and a name");
	} else if (!wave) {
		stats_wave_missing(stats, waveform, error, sizeof(error));
		daemon_fail(&stats->daemon, request, 2, "%s", error);
	} else {
		log_answer(stats, request, wave, name);
	}
	free(waveform);
	free(name);
}
