/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/host/shadow.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/registry/registry.h"
#include "core/slot/upgrade.h"
#include "core/tap/tap.h"
#include "daemons/common/shadow.h"

struct shadow {
	int fds[SHADOW_FDS];
	pid_t parent;
	struct shadow_page *page;
	struct image_view wave, mine; /* mine: a whole image, of which one instance is used */
	const struct image_instance *row;
	struct instance instance;
	struct arena arena;
	void *handle;
	struct tap in[ALOE_PORTS_MAX], out[ALOE_PORTS_MAX];
	uint8_t *items; /* a message of the waveform */
	double nearest_db;
};

/* ---- words ------------------------------------------------------------------------ */

__attribute__((format(printf, 3, 4))) static int verdict_put(
    struct shadow *shadow, enum shadow_verdict verdict, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(shadow->page->text, sizeof(shadow->page->text), format, args);
	va_end(args);
	atomic_store(&shadow->page->verdict, verdict);
	return -1;
}

/* ---- opening ------------------------------------------------------------------------ */

static int fds_take(struct shadow *shadow, const char *text)
{
	for (int i = 0; i < SHADOW_FDS; i++) {
		char *end;
		const long fd = strtol(text, &end, 10);

		if (end == text || fd < 0 || fd > 1 << 20 || *end != (i + 1 < SHADOW_FDS ? ',' : 0))
			return -EINVAL;
		shadow->fds[i] = (int)fd;
		text = end + 1;
	}
	return 0;
}

/* The image is this process's alone: an instance that writes elsewhere spoils nothing else. */
static int images_open(struct shadow *shadow)
{
	const struct image_files wave = {
	    shadow->fds[SHADOW_WAVE_PROGRAM_FD], shadow->fds[SHADOW_WAVE_IMAGE_FD]};
	struct image_files mine = {-1, -1};
	const off_t len = lseek(shadow->fds[SHADOW_PROGRAM_FD], 0, SEEK_END);
	void *program =
	    len > 0 ? image_map(shadow->fds[SHADOW_PROGRAM_FD], (size_t)len, false) : NULL;
	int status = program != NULL ? image_open(&wave, false, &shadow->wave) : -ENOMEM;

	if (status == 0)
		status = image_create(program, (size_t)len, &mine);
	if (status == 0)
		status = image_open(&mine, true, &shadow->mine);
	image_files_close(&mine);
	if (status == 0 &&
	    (shadow->page->instance >= shadow->mine.head->instances.count ||
	        shadow->page->instance >= shadow->wave.head->instances.count))
		status = -EBADMSG;
	return status;
}

static int component_take(struct shadow *shadow)
{
	const char *path = image_text(&shadow->mine, shadow->row->path);
	const struct aloe_entry *entry = NULL;
	struct instance *it = &shadow->instance;
	struct diag diag;
	int status;

	diag_init(&diag);
	status = component_open(path, &diag, &shadow->handle, &entry);
	if (status != 0)
		verdict_put(shadow, SHADOW_FAILED, "%.380s", diag.len > 0 ? diag.lines[0] : path);
	diag_fini(&diag);
	if (status != 0)
		return status;
	status =
	    instance_open(it, &shadow->mine, shadow->page->instance, entry, NULL, &shadow->arena);
	if (status < 0)
		return verdict_put(shadow, SHADOW_FAILED, "init of the new build failed: %s",
		    it->setup.error[0] ? it->setup.error : "it gave no reason");
	return 0;
}

static int state_take(struct shadow *shadow)
{
	const struct shadow_page *page = shadow->page;
	void *state = page->has_state != 0 && page->state_bytes <= ALOE_EXPORT_MAX
	    ? calloc(1, page->state_bytes + 1)
	    : NULL;
	bool imported = false;
	int status = 0;

	for (uint64_t at = 0; state != NULL && at < page->state_bytes && status == 0;) {
		const ssize_t n = pread(shadow->fds[SHADOW_STATE_FD], (uint8_t *)state + at,
		    page->state_bytes - at, (off_t)at);

		at += n > 0 ? (uint64_t)n : 0;
		status = n > 0 ? 0 : -EIO;
	}
	if (status == 0)
		status = instance_take_over(&shadow->instance, &shadow->mine, &shadow->wave, state,
		    page->state_bytes, &imported);
	if (status != 0)
		verdict_put(shadow, SHADOW_FAILED, "%s",
		    shadow->instance.setup.error[0] ? shadow->instance.setup.error
		                                    : "the exported state cannot be read");
	atomic_store(&shadow->page->imported, imported);
	free(state);
	return status;
}

static int taps_open(struct shadow *shadow)
{
	const struct image_view *view = &shadow->wave;
	const struct image_instance *row = &view->instances[shadow->page->instance];
	const uint64_t from = shadow->page->from;
	size_t most = 1;

	for (uint32_t p = 0; p < row->n_inputs + row->n_outputs; p++) {
		const bool in = p < row->n_inputs;
		const uint32_t o = p - row->n_inputs,
		               b = in ? view->inputs[row->inputs + p].buffer
		                      : view->outputs[row->outputs + o].buffer;
		const uint32_t delay = in ? view->inputs[row->inputs + p].delay : 0;

		if (b == IMAGE_NONE)
			continue;
		tap_init(in ? &shadow->in[p] : &shadow->out[o], view, b,
		    from > delay ? from - delay : 0);
		most = tap_bytes(view, b) > most ? tap_bytes(view, b) : most;
	}
	shadow->items = calloc(1, most);
	return shadow->items != NULL ? 0 : -ENOMEM;
}

/* ---- one message ------------------------------------------------------------------------ */

/* The message of that index, waited for: 0, or -1 with the verdict. */
static int message_await(
    struct shadow *shadow, struct tap *tap, uint64_t index, struct tap_message *ret)
{
	enum { NAP_NS = 50000 };

	for (;;) {
		switch (tap_next(tap, shadow->items, ret)) {
		case TAP_MESSAGE:
			if (ret->index == index)
				return 0;
			break;
		case TAP_EARLIER:
		case TAP_LOST:
			if (ret->index + ret->count > index)
				return verdict_put(shadow, SHADOW_LOST,
				    "the messages of index %llu were overwritten before the "
				    "shadow had read them: the waveform is faster than the new "
				    "build in its own process",
				    (unsigned long long)index);
			break;
		case TAP_END:
			return verdict_put(shadow, SHADOW_LOST,
			    "the waveform ended before index %llu", (unsigned long long)index);
		default:
			if (getppid() != shadow->parent)
				_exit(1);
			clock_sleep_until(clock_ns() + NAP_NS);
		}
	}
}

static int input_feed(struct shadow *shadow, uint32_t p, uint64_t k)
{
	const struct image_view *mine = &shadow->mine;
	const struct image_input *in = &mine->inputs[shadow->row->inputs + p];
	const struct image_buffer *buffer;
	struct tap_message came;
	uint64_t m, place;
	struct image_message *message;

	if (in->buffer == IMAGE_NONE || k < in->delay)
		return 0;
	m = k - in->delay;
	if (message_await(shadow, &shadow->in[p], m, &came) != 0)
		return -1;
	buffer = &mine->buffers[in->buffer];
	place = m & (buffer->depth - 1);
	message = &image_messages(mine, in->buffer)[place];
	if (came.bytes <= tap_bytes(mine, in->buffer))
		memcpy(image_data(mine, in->buffer) + place * buffer->stride, shadow->items,
		    came.bytes);
	atomic_store(&message->len, came.len);
	atomic_store(&message->state, came.state);
	atomic_store(&message->stamp, m + 1);
	return 0;
}

/* ---- comparing ------------------------------------------------------------------------ */

static double item_at(const uint8_t *items, uint32_t type, uint64_t n)
{
	float f;
	int16_t i;

	switch (type) {
	case ALOE_F32:
	case ALOE_CF32:
		memcpy(&f, items + n * sizeof(f), sizeof(f));
		return f;
	case ALOE_I16:
	case ALOE_LLR16:
	case ALOE_CI16:
		memcpy(&i, items + n * sizeof(i), sizeof(i));
		return i;
	default:
		return items[n];
	}
}

/* How many dB the error is below the signal; INFINITY: there is none. */
static double distance_db(const uint8_t *ours, const uint8_t *theirs, uint32_t type, uint32_t bytes)
{
	const uint64_t step = type == ALOE_F32 || type == ALOE_CF32 ? sizeof(float)
	    : type == ALOE_BIT || type == ALOE_BYTE                 ? 1
	                                                            : sizeof(int16_t);
	double error = 0, power = 0;

	for (uint64_t n = 0; n < bytes / step; n++) {
		const double a = item_at(ours, type, n), b = item_at(theirs, type, n);

		error += (a - b) * (a - b);
		power += b * b;
	}
	if (!(error > 0))
		return error == 0 ? INFINITY : -INFINITY;
	return power > 0 ? 10 * log10(power / error) : -INFINITY;
}

/* As far apart as they are in dB: the same bytes INFINITY, another length or state -INFINITY. */
static double output_compare(
    struct shadow *shadow, uint32_t p, uint64_t k, const struct tap_message *came)
{
	const uint32_t b = shadow->mine.outputs[shadow->row->outputs + p].buffer;
	const struct image_buffer *buffer = &shadow->mine.buffers[b];
	const uint64_t place = k & (buffer->depth - 1);
	const struct image_message *made = &image_messages(&shadow->mine, b)[place];
	const uint8_t *items = image_data(&shadow->mine, b) + place * buffer->stride;

	if (atomic_load(&made->state) != came->state ||
	    (came->state == ALOE_VALID && atomic_load(&made->len) != came->len))
		return -INFINITY;
	if (came->bytes == 0 || memcmp(items, shadow->items, came->bytes) == 0)
		return INFINITY;
	return distance_db(items, shadow->items, buffer->type, came->bytes);
}

static int outputs_compare(struct shadow *shadow, uint64_t k)
{
	struct shadow_page *page = shadow->page;
	bool different = false;

	for (uint32_t p = 0; p < shadow->row->n_outputs; p++) {
		struct tap_message came;
		double db;
		uint64_t bits;

		if (shadow->out[p].view == NULL)
			continue;
		if (message_await(shadow, &shadow->out[p], k, &came) != 0)
			return -1;
		db = output_compare(shadow, p, k, &came);
		different |= db != INFINITY && !(page->within_db > 0 && db >= page->within_db);
		shadow->nearest_db = db < shadow->nearest_db ? db : shadow->nearest_db;
		memcpy(&bits, &shadow->nearest_db, sizeof(bits));
		atomic_store(&page->nearest_db_bits, bits);
	}
	if (different && atomic_fetch_add(&page->different, 1) == 0)
		atomic_store(&page->first_different, k);
	atomic_fetch_add(&page->compared, 1);
	return 0;
}

/* ---- the run ------------------------------------------------------------------------ */

static int index_work(struct shadow *shadow, uint64_t k)
{
	struct instance *it = &shadow->instance;
	int status = 0;

	atomic_store(&shadow->page->index, k);
	for (uint32_t p = 0; p < shadow->row->n_inputs; p++)
		if (input_feed(shadow, p, k) != 0)
			return -1;
	atomic_store(&shadow->page->since_ns, clock_ns());
	if (it->period > 1 && (k + it->period - it->phase) % it->period != 0)
		instance_idle(it, k);
	else
		status = instance_call(it, k, 0);
	atomic_store(&shadow->page->since_ns, 0);
	if (status < 0)
		return verdict_put(shadow, SHADOW_FAILED,
		    "the new build would have stopped the waveform at index %llu: %s",
		    (unsigned long long)k, it->slot.why != NULL ? it->slot.why : "work failed");
	return outputs_compare(shadow, k);
}

static void verdict_tell(struct shadow *shadow)
{
	const struct shadow_page *page = shadow->page;
	const uint64_t different = atomic_load(&page->different), n = atomic_load(&page->compared);

	if (different > 0)
		verdict_put(shadow, SHADOW_DIFFERS,
		    "compared: %llu, different%s: %llu, the first index that differed: %llu",
		    (unsigned long long)n, page->within_db > 0 ? " by more than allowed" : "",
		    (unsigned long long)different,
		    (unsigned long long)atomic_load(&page->first_different));
	else if (shadow->nearest_db != INFINITY)
		verdict_put(shadow, SHADOW_WITHIN,
		    "compared: %llu, all equal within %.6g dB; the largest error was %.1f dB below "
		    "the signal of its message",
		    (unsigned long long)n, page->within_db, shadow->nearest_db);
	else
		verdict_put(shadow, SHADOW_EQUAL, "compared: %llu, all equal bit for bit",
		    (unsigned long long)n);
}

/* The waveform goes over to the image with the rings, and its next index is the first one. */
static void order_await(struct shadow *shadow)
{
	enum { NAP_NS = 200000 };

	atomic_store(&shadow->page->phase, SHADOW_READY);
	while (atomic_load(&shadow->page->go) == 0) {
		if (getppid() != shadow->parent)
			_exit(1);
		clock_sleep_until(clock_ns() + NAP_NS);
	}
}

static int shadow_run(struct shadow *shadow)
{
	const struct shadow_page *page = shadow->page;

	shadow->row = &shadow->mine.instances[page->instance];
	if (component_take(shadow) != 0)
		return 0;
	order_await(shadow);
	atomic_store(&shadow->page->since_ns, clock_ns());
	atomic_store(&shadow->page->phase, SHADOW_IMPORTS);
	if (state_take(shadow) != 0)
		return 0;
	atomic_store(&shadow->page->since_ns, 0);
	atomic_store(&shadow->page->phase, SHADOW_WORKS);
	if (taps_open(shadow) != 0)
		return verdict_put(shadow, SHADOW_FAILED, "the shadow has no memory"), 0;
	for (uint64_t k = page->from; k < page->from + page->n; k++)
		if (index_work(shadow, k) != 0)
			return 0;
	verdict_tell(shadow);
	return 0;
}

int host_shadow(const char *fds, const char *parent)
{
	struct shadow *shadow = aligned_alloc(64, (sizeof(*shadow) + 63) & ~(size_t)63);
	int status = shadow != NULL ? 0 : -ENOMEM;

	if (status == 0) {
		memset(shadow, 0, sizeof(*shadow));
		shadow->nearest_db = INFINITY;
		shadow->parent = atoi(parent);
		status = fds_take(shadow, fds);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (status == 0 && getppid() == shadow->parent)
		shadow->page = image_map(shadow->fds[SHADOW_PAGE_FD], sizeof(*shadow->page), true);
	if (status != 0 || shadow->page == NULL)
		return 1;
	status = images_open(shadow);
	if (status != 0)
		verdict_put(shadow, SHADOW_FAILED, "the shadow cannot make its image: %s",
		    strerror(-status));
	else
		shadow_run(shadow);
	_exit(0); /* the new build is not asked to end in order */
}
