/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope on a terminal: samples are collected through a tap, drawn, and collected anew from the next
 * index on; keys change what is made of them.
 *
 *	tap_ask, tap_more ---> items ---> signal ---> figure ---> core/cli/term.h
 *	keys ---> view, span, average, pause, the next output */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/cli/term.h"
#include "core/image/image.h"
#include "core/report/report.h"
#include "tools/aloe/scope.h"
#include "tools/aloe/tap_reader.h"

enum {
	DRAW_MS = 100, /* between two drawings */
	WAIT_MS = 50,
	LOOK_EACH = 16, /* waits without a message, until it is asked whether there is more */
	SPAN_MAX = 6,
	AVERAGE_MAX = 64,
	ROWS_MIN = SCOPE_TEXT_ROWS + 3,
	COLUMNS_MIN = SCOPE_TEXT_COLUMNS + 1,
	TITLE = 400
};

struct live_scope {
	struct seen *seen;
	struct client client;
	struct term term;
	struct tap_reader reader;
	char output[160];    /* its name, where another was chosen */
	char refused[TITLE]; /* why another cannot be shown, until the next key; "": none was */
	uint32_t fft;        /* as the user gave it; 0: the usual */
	unsigned span;       /* how often the band, or the time, was halved */
	unsigned over;       /* spectra that are averaged; 1: none */
	struct scope_averaged averaged;
	bool paused, fresh, over_now; /* fresh: samples that no spectrum was made of yet */
	/* items that are collected */
	uint8_t *bytes;
	size_t len, wanted, size;
	uint64_t lost;
	unsigned idle;
	uint64_t drawn_ns;
	bool ends; /* the user wants an end */
};

/* ---- drawing ---- */

/* Frequencies are cut to a part of the band, with finer lines; of the other views there is less
 * time. */
static struct scope_signal span_take(struct live_scope *live, struct scope_options *ret_options)
{
	const enum scope_view view = live->seen->options.view;
	const bool lines = view == SCOPE_SPECTRUM || view == SCOPE_WATERFALL;
	const uint32_t usual = view == SCOPE_WATERFALL ? 256 : 1024;
	struct scope_signal signal = live->seen->signal;

	*ret_options = live->seen->options;
	if (lines) {
		ret_options->fft = live->fft ? live->fft : usual;
		for (unsigned i = 0; i < live->span && ret_options->fft < SCOPE_FFT_MAX; i++)
			ret_options->fft *= 2;
	} else if (signal.n >> live->span > 0) {
		signal.n >>= live->span;
	}
	return signal;
}

/* 0, or -errno with the reason in `ret_why`. */
static int figure_make(
    struct live_scope *live, struct scope_figure *ret, char *ret_why, size_t size)
{
	const enum scope_view view = live->seen->options.view;
	struct scope_options options;
	const struct scope_signal signal = span_take(live, &options);
	int rc = scope_look(&signal, &options, ret, ret_why, size);

	if (rc < 0)
		return rc;
	if (view == SCOPE_SPECTRUM || view == SCOPE_WATERFALL)
		scope_span(ret, live->span, !signal.is_complex);
	/* drawn again without new samples, it is the same spectrum */
	if (view == SCOPE_SPECTRUM && live->over > 1)
		rc = scope_average(ret, live->fresh ? live->over : 0, &live->averaged);
	live->fresh = false;
	if (rc < 0) {
		snprintf(ret_why, size, "%s", strerror(-rc));
		scope_figure_fini(ret);
	}
	return rc;
}

static void keys_line(const struct live_scope *live, char *ret_text, size_t size)
{
	const enum scope_view view = live->seen->options.view;
	char average[24] = "", span[24] = "";

	if (live->over > 1 && view == SCOPE_SPECTRUM)
		snprintf(average, sizeof(average), " %u of %u", live->averaged.count, live->over);
	if (live->span > 0)
		snprintf(span, sizeof(span), " 1/%u", 1u << live->span);
	snprintf(ret_text, size, "%sq quit  v view  p pause  a average%s  + - span%s  n next port",
	    live->over_now     ? "[the waveform has ended] "
	        : live->paused ? "[paused] "
	                       : "",
	    average, span);
}

/* At most rows - 1 lines, so that the cursor stands below them. */
static void figure_put(struct live_scope *live, unsigned rows, unsigned cols, FILE *out)
{
	struct scope_figure figure;
	char title[TITLE], why[TITLE / 2];
	bool made = false;

	if (live->seen->signal.n == 0)
		snprintf(title, sizeof(title), "%s: no samples have come yet", live->seen->name);
	else if (figure_make(live, &figure, why, sizeof(why)) < 0)
		snprintf(title, sizeof(title), "%s %s: %s", live->seen->name,
		    scope_views[live->seen->options.view], why);
	else
		made = true;
	if (made)
		scope_title(live->seen, &figure, title, sizeof(title));
	if (live->refused[0])
		snprintf(title, sizeof(title), "%s", live->refused);
	text_cut(title, strlen(title), cols, out);
	fputc('\n', out);
	if (!made)
		return;
	scope_text(&figure, cols - 1, rows - 3, term_colours(), out);
	scope_figure_fini(&figure);
}

static void live_draw(struct live_scope *live)
{
	char *text = NULL, line[TITLE];
	unsigned rows, cols;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	term_size(STDOUT_FILENO, &rows, &cols);
	if (rows < ROWS_MIN || cols < COLUMNS_MIN) {
		snprintf(line, sizeof(line), "the terminal is too small: %d x %d are needed",
		    COLUMNS_MIN, ROWS_MIN);
	} else {
		figure_put(live, rows, cols, out);
		keys_line(live, line, sizeof(line));
	}
	if (live->term.in >= 0 || rows < ROWS_MIN || cols < COLUMNS_MIN) {
		text_cut(line, strlen(line), cols, out);
		fputc('\n', out);
	}
	if (fclose(out) == 0)
		term_draw(&live->term, text);
	live->drawn_ns = clock_ns();
	free(text);
}

static void live_says(void *self)
{
	struct live_scope *live = self;

	term_clear(&live->term);
	fflush(stdout);
}

/* ---- samples ---- */

/* From the next index on. */
static void capture_begin(struct live_scope *live)
{
	live->len = 0;
	live->lost = 0;
	live->idle = 0;
}

static int capture_end(struct live_scope *live)
{
	int status;

	scope_signal_fini(&live->seen->signal);
	status = scope_signal(live->seen, live->reader.item_type, live->bytes,
	    live->len < live->wanted ? live->len : live->wanted);
	if (status != CLI_OK)
		return status;
	if (live->reader.slot_ns > 0)
		live->seen->signal.rate_hz =
		    live->reader.items_max * 1e9 / (double)live->reader.slot_ns;
	live->seen->lost = live->lost;
	live->fresh = true;
	return scope_frequencies(live->seen);
}

static int frames_take(struct live_scope *live, const struct tap_bytes *came)
{
	const uint32_t most = tap_bytes_max(&live->reader);
	const uint8_t *bytes = came->bytes;
	size_t len = came->len;

	live->idle = len > 0 ? 0 : live->idle + 1;
	while (len > 0 && live->len < live->wanted) {
		struct tap_frame frame;
		const ssize_t n = tap_frame_get(bytes, len, &frame);

		if (n <= 0 || frame.len > (most > 8 ? most : 8)) {
			fprintf(stderr, "aloe: aloe-stats sent frames that are malformed\n");
			return CLI_FAILED;
		}
		if (frame.flags == 0 && frame.len <= live->size - live->len) {
			memcpy(live->bytes + live->len, frame.data, frame.len);
			live->len += frame.len;
		}
		live->lost += frame.flags == TAP_GAP ? frame.count : frame.flags == TAP_ABSENT;
		bytes += n;
		len -= (size_t)n;
	}
	return CLI_OK;
}

static int output_ask(struct client *client, struct tap_reader *reader, struct tap_bytes *ret)
{
	const int status = tap_ask(client, reader, ret);

	return status == CLI_OK && reader->kept == 0
	    ? tap_ring(client, reader, image_tap_keep(reader->slot_ns), ret)
	    : status;
}

/* The output `name`, which stays valid; all is as it was where that cannot be shown. */
static int output_open(struct live_scope *live, const char *name)
{
	struct tap_reader reader = {
	    .waveform = live->seen->args->args[0], .name = name, .every = 1};
	struct tap_bytes came; /* is asked for once more, when there is room for it */
	const int status = output_ask(&live->client, &reader, &came);
	const size_t wanted = live->seen->samples * reader.item_bytes,
	             size = wanted + tap_bytes_max(&reader);
	uint8_t *bytes = status == CLI_OK ? malloc(size + 1) : NULL;

	if (status != CLI_OK)
		return status;
	if (!bytes) {
		fprintf(stderr, "aloe: out of memory\n");
		return CLI_FAILED;
	}
	free(live->bytes);
	live->bytes = bytes;
	live->wanted = wanted;
	live->size = size;
	live->reader = reader;
	live->seen->name = name;
	live->over_now = false;
	scope_signal_fini(&live->seen->signal);
	live->seen->signal = (struct scope_signal){.n = 0};
	capture_begin(live);
	return CLI_OK;
}

/* What was collected is enough, or there will be no more. */
static int capture_look(struct live_scope *live)
{
	bool over = live->reader.ended || live->reader.gone;
	int status = CLI_OK;

	if (!over && live->idle % LOOK_EACH == LOOK_EACH - 1)
		status =
		    client_over(&live->client, live->reader.waveform, &live->reader.gone, &over);
	if (status != CLI_OK || (live->len < live->wanted && !over))
		return status;
	if (live->len > 0 && (status = capture_end(live)) != CLI_OK)
		return status; /* nothing is drawn over the reason */
	live->over_now = over;
	live_draw(live);
	capture_begin(live);
	return CLI_OK;
}

/* The exit status; -EINTR: the user wants an end. */
static int samples_take(struct live_scope *live)
{
	struct tap_bytes came;
	int status;

	if (live->paused || live->over_now ||
	    (live->len == 0 && clock_ns() - live->drawn_ns < DRAW_MS * 1000000ull &&
	        live->seen->signal.n > 0))
		return CLI_OK;
	if (live->len == 0 && live->idle == 0) {
		status = output_ask(&live->client, &live->reader, &came);
	} else {
		status = tap_more(&live->client, &live->reader, &came);
	}
	if (status == CLI_OK)
		status = frames_take(live, &came);
	if (status == CLI_OK && live->reader.again)
		status = output_open(live, live->seen->name);
	return status == CLI_OK ? capture_look(live) : status;
}

/* ---- keys ---- */

static int view_next(struct live_scope *live)
{
	enum scope_view *view = &live->seen->options.view;

	*view = scope_views[*view + 1] ? (enum scope_view)(*view + 1) : SCOPE_TIME;
	return CLI_OK;
}

static int pause_turn(struct live_scope *live)
{
	live->paused = !live->paused;
	capture_begin(live);
	return CLI_OK;
}

static int average_next(struct live_scope *live)
{
	live->over = live->over < AVERAGE_MAX ? 4 * live->over : 1;
	scope_average_fini(&live->averaged);
	return CLI_OK;
}

static int span_narrow(struct live_scope *live)
{
	live->span += live->span < SPAN_MAX;
	return CLI_OK;
}

static int span_widen(struct live_scope *live)
{
	live->span -= live->span > 0;
	return CLI_OK;
}

/* The output behind this one in the list; the first behind the last. */
static const char *output_choose(const json_t *outputs, const char *name)
{
	const size_t n = json_array_size(outputs);
	size_t i = 0;

	while (i < n && strcmp(report_text(json_array_get(outputs, i), "output"), name) != 0)
		i++;
	return n > 0 ? report_text(json_array_get(outputs, i + 1 < n ? i + 1 : 0), "output") : name;
}

static int output_turn(struct live_scope *live)
{
	char name[sizeof(live->output)];
	struct wire_view view;
	struct wire_msg msg;
	json_t *answer;
	int status;

	client_request(&live->client, WIRE_TAP, client_values(&live->client), &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, live->reader.waveform);
	status = client_call(&live->client, &msg, &view);
	answer = status == CLI_OK ? client_json(&view) : NULL;
	if (!answer)
		return status ? status : CLI_FAILED;
	snprintf(name, sizeof(name), "%s",
	    output_choose(json_object_get(answer, "outputs"), live->seen->name));
	json_decref(answer);
	status = output_open(live, name);
	if (status != CLI_OK)
		return status;
	memcpy(live->output, name, sizeof(name));
	live->seen->name = live->reader.name = live->output;
	scope_average_fini(&live->averaged);
	live->paused = false;
	return CLI_OK;
}

/* Where the node refuses it, the output that was stays, and the title says why. */
static int output_next(struct live_scope *live)
{
	char *why = NULL;
	size_t len = 0;
	int status;

	live->client.refusals = open_memstream(&why, &len);
	status = output_turn(live);
	if (live->client.refusals && fclose(live->client.refusals) == 0 && len > 0) {
		snprintf(live->refused, sizeof(live->refused), "no next port: %.*s",
		    (int)strcspn(why, "\n"), why);
		status = CLI_OK;
	}
	live->client.refusals = NULL;
	free(why);
	return status;
}

static int live_end(struct live_scope *live)
{
	live->ends = true;
	return CLI_OK;
}

static const struct {
	int keys[2];
	const char *shown, *help;
	int (*act)(struct live_scope *live);
} keys[] = {
    {{'q'}, "q", "end", live_end},
    {{'v'}, "v", "the next view; one that the signal cannot have says why", view_next},
    {{'p', ' '}, "p, Space", "pause: the samples stay, and can be looked at in all views",
        pause_turn},
    {{'a'}, "a", "average 4, 16 or 64 spectra, or none", average_next},
    {{'+', TERM_UP}, "+, Up", "half of the span, with finer lines; of other views half of the time",
        span_narrow},
    {{'-', TERM_DOWN}, "-, Down", "twice the span", span_widen},
    {{'n', '\t'}, "n, Tab", "the next output of the waveform, which gets a ring", output_next},
};

static int key_obey(struct live_scope *live, int key)
{
	live->refused[0] = 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key == keys[i].keys[0] || key == keys[i].keys[1])
			return keys[i].act(live);
	return CLI_OK;
}

void scope_words(FILE *out)
{
	fprintf(out, "Keys of the drawing that goes on:\n");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(out, "\n  %-13s %s", keys[i].shown, keys[i].help);
}

static int keys_take(struct live_scope *live)
{
	int key, status = CLI_OK;

	while (status == CLI_OK && !live->ends && (key = term_key(&live->term)) != 0) {
		if (key < 0)
			live->ends = true;
		else if (key == TERM_SUSPEND)
			term_suspend(&live->term);
		else
			status = key_obey(live, key);
	}
	if (status == CLI_OK && !live->ends)
		live_draw(live);
	return status;
}

/* ---- the command ---- */

static int live_follow(struct live_scope *live)
{
	int status = output_open(live, live->seen->name);

	if (status == CLI_OK)
		live_draw(live);
	while (status == CLI_OK && !live->ends) {
		const int rc = client_wait_input(&live->client, term_keys(&live->term),
		    live->paused || live->over_now ? 1000
		        : live->len == 0           ? WAIT_MS
		                                   : tap_wait_ms(&live->reader, WAIT_MS));

		if (rc < 0)
			return rc == -EINTR ? CLI_OK : CLI_FAILED;
		if (rc == 1)
			status = keys_take(live);
		else if (live->client.resized)
			live_draw(live);
		if (status == CLI_OK && !live->ends)
			status = samples_take(live);
	}
	return status == -EINTR || status == 130 ? CLI_OK : status;
}

int scope_live(struct seen *seen)
{
	struct live_scope live = {.seen = seen, .fft = seen->options.fft, .over = 1};
	int status = client_open(&live.client, seen->args);

	if (status != CLI_OK)
		return status;
	live.client.says = live_says;
	live.client.words_self = &live;
	term_init(&live.term);
	if (client_signals(&live.client) < 0) {
		client_close(&live.client);
		return CLI_FAILED;
	}
	term_keys_open(&live.term);
	status = live_follow(&live);
	term_leave(&live.term);
	term_keys_close(&live.term);
	fflush(stdout);
	client_close(&live.client);
	scope_average_fini(&live.averaged);
	free(live.bytes);
	return status;
}
