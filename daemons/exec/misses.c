/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/misses.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "core/platform/platform.h"

enum {
	CALLS_MAX = 512, /* of a slot, that are looked at */
	MATES_MAX = 256,
	OTHERS_MAX = 64,    /* threads that had the CPU */
	BACK_NS = 20000000, /* records are read from so long before an edge */
};

struct miss_look { /* at one segment */
	struct exec_wave *wave;
	uint32_t segment;
	struct witness_records records;
	bool has_records;
	int32_t mates[MATES_MAX], ordinary[OTHERS_MAX];
	size_t n_mates;
	struct evidence_call calls[CALLS_MAX];
};

/* ---- what is known of a slot ----------------------------------------------------------------- */

/* The calls of a step, as far as they are still there. */
static size_t calls_read(struct miss_look *look, uint64_t step, uint64_t *ret_end)
{
	const struct image_view *view = &look->wave->view;
	const struct image_segment_state *state = image_segment_state(view, look->segment);
	const struct image_event *ring = image_events(view, look->segment);
	const uint64_t size = view->segments[look->segment].n_events,
	               written = atomic_load(&state->events);
	uint64_t end = 0;
	size_t n = 0;

	for (uint64_t e = written > size ? written - size : 0; e < written && n < CALLS_MAX; e++) {
		const struct image_event event = ring[e % size];

		/* calls come one after another; what does not is no call */
		if (event.step != step || event.instance >= view->head->instances.count ||
		    event.start_ns < end || event.ns > UINT64_MAX - event.start_ns)
			continue;
		end = event.start_ns + event.ns;
		look->calls[n++] = (struct evidence_call){.start_ns = event.start_ns,
		    .ns = event.ns,
		    .usual_ns = image_time_quantile(view, event.instance, 0.5),
		    .rare_ns = image_time_quantile(view, event.instance, 0.99),
		    .instance = event.instance};
		*ret_end = end;
	}
	return n;
}

/* When the step before ended. */
static uint64_t before_end(const struct miss_look *look, uint64_t start_ns)
{
	const struct image_view *view = &look->wave->view;
	const struct image_segment_state *state = image_segment_state(view, look->segment);
	const struct image_event *ring = image_events(view, look->segment);
	const uint64_t size = view->segments[look->segment].n_events,
	               written = atomic_load(&state->events);
	uint64_t end = 0;

	for (uint64_t e = written > size ? written - size : 0; e < written; e++) {
		const struct image_event event = ring[e % size];

		if (event.start_ns < start_ns && event.start_ns + event.ns > end)
			end = event.start_ns + event.ns;
	}
	return end;
}

static uint64_t radio_late(const struct exec_wave *wave, uint64_t slot)
{
	const struct image_radio_late *late =
	    &image_run(&wave->view)->radio.late[slot % IMAGE_RADIO_LATES];

	return atomic_load(&late->slot) == slot + 1 ? atomic_load(&late->late_ns) : 0;
}

/* A thread may run several entries of a lane, of waveforms that share a host, too. */
static bool is_alone(const struct miss_look *look)
{
	const struct exec_place *place = &look->wave->places[look->segment];
	const struct node_image *node = look->wave->exec->node;
	const struct node_lane *lane;
	uint32_t n;

	if (place->lane >= node->n_lanes)
		return true;
	lane = &node->lane[place->lane];
	n = atomic_load(&lane->entries);
	for (uint32_t e = 0; e < n && e < NODE_ENTRIES_MAX; e++)
		if (e != place->entry && atomic_load(&lane->entry[e].live) != 0)
			return false;
	return true;
}

/* Of all lanes of the node. */
static void mates_read(struct miss_look *look, int32_t tid)
{
	const struct exec *exec = look->wave->exec;

	look->n_mates = 0;
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		for (uint32_t s = 0; exec->lanes[l].image != NULL && s < NODE_ENTRIES_MAX; s++) {
			const int32_t mate = (int32_t)atomic_load(&exec->lanes[l].image->tid[s]);

			if (atomic_load(&exec->lanes[l].pid[s]) == 0 || mate <= 0 || mate == tid)
				continue;
			if (look->n_mates < MATES_MAX)
				look->mates[look->n_mates++] = mate;
		}
}

/* The records from a little before the edge to the end. */
static void records_put(const struct miss_look *look, struct evidence_slot *slot)
{
	const struct witness_records *all = &look->records;
	const uint64_t from = slot->edge_ns > BACK_NS ? slot->edge_ns - BACK_NS : 0;
	size_t first = 0, end;

	while (first < all->n && all->records[first].ns < from)
		first++;
	for (end = first; end < all->n && all->records[end].ns <= slot->end_ns + BACK_NS;)
		end++;
	slot->records = all->records + first;
	slot->n_records = end - first;
	slot->recorded = look->has_records && slot->tid > 0 &&
	    (all->whole || (all->n > 0 && all->records[0].ns <= slot->edge_ns));
	slot->lost = look->has_records && !slot->recorded;
}

static bool is_known_thread(const int32_t *tids, size_t n, int32_t tid)
{
	while (n > 0 && tids[n - 1] != tid)
		n--;
	return n > 0;
}

/* Those who had the CPU although they have less priority than a lane, if they still live. */
static void ordinary_put(struct miss_look *look, struct evidence_slot *slot)
{
	int32_t known[OTHERS_MAX];
	size_t n = 0;

	slot->ordinary = look->ordinary;
	if (!slot->recorded || platform_priority(slot->tid) <= 0) /* the lane has no more itself */
		return;
	for (size_t i = 0; i < slot->n_records && n < OTHERS_MAX; i++) {
		const struct evidence_record *record = &slot->records[i];

		if (record->kind != EVIDENCE_IN || record->tid <= 0 || record->tid == slot->tid ||
		    record->ns > slot->end_ns || is_known_thread(known, n, record->tid))
			continue;
		known[n++] = record->tid;
		if (platform_priority(record->tid) == 0)
			look->ordinary[slot->n_ordinary++] = record->tid;
	}
}

/* Who had the CPU before the lane's thread. */
static void before_put(const struct evidence_slot *slot, struct exec_miss *ret)
{
	ret->before = -1;
	for (size_t i = 0; slot->recorded && i < slot->n_records; i++) {
		const struct evidence_record *record = &slot->records[i];

		if (record->ns > slot->end_ns)
			break;
		if (record->kind == EVIDENCE_IN && record->tid == slot->tid)
			ret->before = record->other;
	}
	if (ret->before > 0)
		platform_thread_name(
		    ret->before, ret->before, ret->before_name, sizeof(ret->before_name));
}

/* The names of threads, while they are there. */
static void names_put(const struct evidence_slot *slot, struct exec_miss *ret)
{
	for (uint32_t c = 0; c < ret->n_causes; c++) {
		struct evidence_cause *cause = &ret->causes[c];

		if (cause->kind != EVIDENCE_PREEMPTED)
			continue;
		for (size_t i = 0; i < slot->n_records; i++)
			if (slot->records[i].kind == EVIDENCE_NAME &&
			    slot->records[i].tid == cause->tid)
				memcpy(cause->name, slot->records[i].name, 16);
		if (cause->name[0] == 0)
			platform_thread_name(
			    cause->pid, cause->tid, cause->name, sizeof(cause->name));
	}
}

static uint32_t cpu_of(const struct miss_look *look)
{
	return (uint32_t)look->wave->view.lanes[look->wave->view.segments[look->segment].lane].cpu;
}

static void miss_join(struct miss_look *look, struct exec_miss *ret)
{
	const struct image_miss *miss = &ret->miss;
	struct evidence_slot slot = {.kind = miss->kind,
	    .edge_ns = miss->at_ns,
	    .slot_ns = image_span_ns(&look->wave->view, look->segment),
	    .late_ns = miss->late_ns,
	    .start_ns = miss->at_ns + miss->start_late_ns,
	    .from_ns = miss->from_ns,
	    .cpu_ns = miss->cpu_ns,
	    .faults = miss->faults,
	    .switches = miss->switches,
	    .instance = miss->instance,
	    .tid = miss->tid,
	    .cpu = miss->cpu,
	    .lane_cpu = (int32_t)cpu_of(look),
	    .calls = look->calls};

	slot.end_ns = slot.start_ns;
	if (miss->kind == IMAGE_MISS_LATE)
		slot.n_calls = calls_read(look, miss->step, &slot.end_ns);
	slot.end_ns = miss->kind == IMAGE_MISS_LATE ? miss->at_ns + slot.slot_ns + miss->late_ns
	                                            : slot.end_ns;
	slot.before_ns = before_end(look, slot.start_ns);
	slot.radio_ns = radio_late(look->wave, miss->slot);
	mates_read(look, miss->tid);
	slot.alone = is_alone(look);
	slot.mates = look->mates;
	slot.n_mates = look->n_mates;
	records_put(look, &slot);
	ordinary_put(look, &slot);
	ret->n_causes = (uint32_t)evidence_join(&slot, ret->causes);
	ret->heavy = evidence_heavy(&slot, ret->causes, ret->n_causes);
	ret->recorded = slot.recorded;
	ret->clocked = miss->from_ns != 0;
	names_put(&slot, ret);
	before_put(&slot, ret);
}

/* ---- what is kept ------------------------------------------------------------------------ */

/* A kind that an earlier cause of the record has, too: two threads, say. */
static bool cause_has(const struct exec_miss *miss, uint32_t c)
{
	for (uint32_t i = 0; i < c; i++)
		if (miss->causes[i].kind == miss->causes[c].kind)
			return true;
	return false;
}

static void sums_add(struct exec_misses *misses, const struct exec_miss *miss)
{
	for (uint32_t c = 0; c < miss->n_causes; c++) {
		const struct evidence_cause *cause = &miss->causes[c];
		struct exec_miss_sum *sum = &misses->sum[cause->kind];

		sum->records += !cause_has(miss, c);
		sum->slots += c == 0 ? miss->miss.count : 0;
		sum->share_ns += cause->share_ns;
		if (cause->share_ns > sum->worst_ns) {
			sum->worst_ns = cause->share_ns;
			sum->worst_slot = miss->miss.slot;
		}
	}
}

/* The latest record that contains the slot, of those before record *n, which becomes its number. */
static const struct exec_miss *record_before(
    const struct exec_misses *misses, uint64_t slot, uint64_t *n)
{
	const uint64_t least =
	    misses != NULL && misses->n > MISSES_KEPT ? misses->n - MISSES_KEPT : 0;

	while (misses != NULL && *n > least) {
		const struct exec_miss *miss = &misses->kept[--*n % MISSES_KEPT];

		if (slot >= miss->miss.slot && slot - miss->miss.slot < miss->miss.count)
			return miss;
	}
	return NULL;
}

static const struct exec_miss *record_find(
    const struct exec_wave *wave, uint64_t slot, uint32_t segment)
{
	uint64_t n = wave->misses->n;
	const struct exec_miss *miss = record_before(wave->misses, slot, &n);

	while (miss != NULL && miss->segment != segment)
		miss = record_before(wave->misses, slot, &n);
	return miss;
}

size_t misses_find(
    const struct exec_wave *wave, uint64_t slot, const struct exec_miss **ret, size_t most)
{
	uint64_t n = wave->misses != NULL ? wave->misses->n : 0;
	const struct exec_miss *miss;
	size_t found = 0;

	while (found < most && (miss = record_before(wave->misses, slot, &n)) != NULL) {
		size_t i = 0;

		while (i < found && ret[i]->lane != miss->lane)
			i++;
		if (i == found)
			ret[found++] = miss;
	}
	return found;
}

/* A row of slots one after another has one first. */
static uint64_t first_of(const struct exec_misses *misses, const struct exec_miss *miss)
{
	const uint64_t least = misses->n > MISSES_KEPT ? misses->n - MISSES_KEPT : 0;

	for (uint64_t n = misses->n; miss->miss.follows != 0 && n-- > least;) {
		const struct exec_miss *before = &misses->kept[n % MISSES_KEPT];

		if (before->segment == miss->segment &&
		    before->miss.slot + before->miss.count >= miss->miss.slot)
			return before->first;
		if (before->segment == miss->segment)
			break;
	}
	return miss->miss.slot;
}

/* The waveform's own doing: the slot is late by itself, or the first slot of its row was late by
 * the waveform's own doing. */
static bool own_find(const struct exec_wave *wave, const struct exec_miss *miss)
{
	if (miss->heavy)
		return true;
	if (miss->first != miss->miss.slot)
		miss = record_find(wave, miss->first, miss->segment);
	return miss != NULL && evidence_own_doing(miss->causes, miss->n_causes);
}

static void file_write_line(struct exec_wave *wave, const struct exec_miss *miss)
{
	char path[sizeof(wave->folder) + 16], *line = NULL;
	const uint64_t unwritten = wave->misses->file.unwritten;
	json_t *o;
	int rc;

	if (wave->folder[0] == 0)
		return;
	if (!wave->misses->file.full && !wave->misses->file.failed) {
		o = miss_json(wave, miss);
		line = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
		json_decref(o);
	}
	snprintf(path, sizeof(path), "%s/misses.jsonl", wave->folder);
	rc = misses_file_put(&wave->misses->file, path, MISSES_FILE_MAX, line);
	free(line);
	wave_control(wave)->misses_unwritten += wave->misses->file.unwritten - unwritten;
	if (rc == -EFBIG)
		log_warning(&wave->exec->daemon.log,
		    "%s: misses.jsonl has reached %llu MB; further misses are counted but not "
		    "written",
		    wave->name, MISSES_FILE_MAX >> 20);
	else if (rc != 0)
		log_warning(&wave->exec->daemon.log,
		    "%s cannot be written: %s; further misses are counted but not written", path,
		    strerror(-rc));
}

/* A source that is not there, or a radio. */
static bool is_row(const struct exec_miss *last, const struct exec_miss *miss)
{
	return last->segment == miss->segment && last->miss.kind == miss->miss.kind &&
	    last->miss.instance == miss->miss.instance &&
	    last->miss.slot + last->miss.count == miss->miss.slot && last->n_causes == 1 &&
	    miss->n_causes == 1 &&
	    (miss->causes[0].kind == EVIDENCE_INPUT || miss->miss.kind == IMAGE_MISS_RADIO) &&
	    last->miss.count <= UINT32_MAX - miss->miss.count;
}

/* Slots one after another in which the same thing was not there are one record, so that a source
 * that stands for seconds does not push out what else was kept. Of a radio the largest lateness of
 * the row counts, because one pause makes all of them late. */
static bool row_continue(struct exec_misses *misses, const struct exec_miss *miss)
{
	struct exec_miss *last = &misses->kept[(misses->n - 1) % MISSES_KEPT];
	struct evidence_cause *cause = &last->causes[0];
	uint64_t more = miss->causes[0].share_ns;
	struct exec_miss_sum *sum;

	if (misses->n == 0 || !is_row(last, miss))
		return false;
	if (miss->miss.kind == IMAGE_MISS_RADIO)
		more = more > cause->share_ns ? more - cause->share_ns : 0;
	last->miss.count += miss->miss.count;
	last->miss.late_ns += more;
	cause->took_ns += more;
	cause->share_ns += more;
	sum = &misses->sum[cause->kind];
	sum->slots += miss->miss.count;
	sum->share_ns += more;
	if (cause->share_ns > sum->worst_ns) {
		sum->worst_ns = cause->share_ns;
		sum->worst_slot = last->miss.slot;
	}
	return true;
}

/* Also in the node image, for an exec after this one. */
static void lost_add(struct exec_wave *wave, uint64_t n)
{
	wave->misses->lost += n;
	wave_control(wave)->misses_lost += n;
}

static void miss_take(struct miss_look *look, uint64_t n)
{
	struct exec_misses *misses = look->wave->misses;
	const struct image_segment_state *state =
	    image_segment_state(&look->wave->view, look->segment);
	struct exec_miss *miss = &misses->kept[misses->n % MISSES_KEPT];
	struct exec_miss taken = {.miss = state->miss[n % IMAGE_MISSES],
	    .segment = look->segment,
	    .lane = look->wave->view.segments[look->segment].lane};

	atomic_thread_fence(memory_order_acquire); /* the copy is made before the count is read */
	if (taken.miss.kind >= IMAGE_MISS_KINDS || taken.miss.count == 0 ||
	    taken.miss.step > atomic_load(&state->done) + IMAGE_STEPS ||
	    (taken.miss.instance >= look->wave->view.head->instances.count &&
	        taken.miss.instance != IMAGE_NONE) ||
	    atomic_load(&state->misses) - n >= IMAGE_MISSES) { /* overwritten, or by no segment */
		lost_add(look->wave, 1);
		return;
	}
	taken.first = first_of(misses, &taken);
	miss_join(look, &taken);
	taken.own = own_find(look->wave, &taken);
	if (taken.miss.kind == IMAGE_MISS_LATE)
		misses_calls_take(look->wave, look->segment, &taken.miss);
	file_write_line(look->wave, &taken); /* a line for each, also of a row */
	if (row_continue(misses, &taken))
		return;
	*miss = taken;
	misses->n++;
	sums_add(misses, miss);
}

/* From a little before the oldest edge that is to be looked at. */
static void records_read(struct miss_look *look, uint64_t from, uint64_t to)
{
	const struct image_segment_state *state =
	    image_segment_state(&look->wave->view, look->segment);
	const uint32_t lane = look->wave->places[look->segment].lane;
	uint64_t edge = IMAGE_FOREVER;

	for (uint64_t n = from; n < to; n++)
		if (state->miss[n % IMAGE_MISSES].at_ns < edge)
			edge = state->miss[n % IMAGE_MISSES].at_ns;
	look->has_records = lane < look->wave->exec->node->n_lanes &&
	    witness_records(
	        look->wave->exec, lane, edge > BACK_NS ? edge - BACK_NS : 0, &look->records);
	look->wave->misses->evidence_lost += look->records.losses.lost;
	look->wave->misses->evidence_corrupt += look->records.losses.corrupt;
}

static void segment_look(struct miss_look *look, uint64_t from, uint64_t to)
{
	/* the segment may be writing the place after the newest */
	if (to - from > IMAGE_MISSES - 1) {
		lost_add(look->wave, to - from - (IMAGE_MISSES - 1));
		from = to - (IMAGE_MISSES - 1);
	}
	records_read(look, from, to);
	for (; from < to; from++)
		miss_take(look, from);
}

void misses_take(struct exec_wave *wave)
{
	struct miss_look *look = NULL;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint64_t written = atomic_load(&image_segment_state(&wave->view, s)->misses),
		               taken = wave->progress[s].misses;

		if (written <= taken || !image_runs(&wave->view, s))
			continue;
		if (wave->misses == NULL)
			wave->misses = calloc(1, sizeof(*wave->misses));
		if (look == NULL)
			look = calloc(1, sizeof(*look));
		if (wave->misses == NULL || look == NULL)
			break;
		look->wave = wave;
		look->segment = s;
		segment_look(look, taken, written);
		wave->progress[s].misses = written;
	}
	if (look != NULL)
		misses_read_note(wave);
	free(look);
}

bool misses_slots(const struct exec_wave *wave, uint64_t *ret_first, uint64_t *ret_last)
{
	const uint64_t base = atomic_load(&wave_control(wave)->base);
	uint64_t last = 0;
	bool any = false;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t done = image_steps_done(&wave->view, s),
		               slot = done > 0 ? atomic_load(&state->slot[(done - 1) % IMAGE_STEPS])
		                               : 0;

		any |= done > 0;
		last = slot > last ? slot : last;
	}
	*ret_first = base;
	*ret_last = last;
	return base != IMAGE_FOREVER && any;
}

void misses_read_note(const struct exec_wave *wave)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		sum += wave->progress[s].misses;
	wave_control(wave)->misses_read = sum;
}

void misses_resume(struct exec_wave *wave)
{
	struct node_control *control = wave_control(wave);
	const uint64_t read = control->misses_read;
	uint64_t first, last;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		wave->progress[s].misses =
		    atomic_load(&image_segment_state(&wave->view, s)->misses);
	misses_read_note(wave);
	if (control->misses_read > read)
		control->misses_unseen += control->misses_read - read;
	if (misses_slots(wave, &first, &last))
		wave->seen_from = last + 1;
}
