/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tap: the messages of an output of a running waveform, as bytes.
 *
 *      TAP -> the output, and whether it has a ring; if not: RING, once
 *      TAP from the cursor on -> frames, again and again */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "core/sigmf/writer.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/tap.h"
#include "tools/aloe/tap_reader.h"

enum {
	LOOK_EACH = 16,
	GAPS_SHOWN = 8,
	WAIT_MS_MAX = 50,
	BUSY_BYTES = 1 << 18,
};

struct tap_gap {
	uint64_t first, count;
};

struct tap_run {
	struct tap_reader reader;
	const char *path;
	FILE *out;
	bool framed, holes; /* holes: zeros need no space in a file of its own */
	bool sigmf;
	struct sigmf_writer *writer; /* instead of `out` */
	uint64_t count, keep;        /* count 0: until the end; keep 0: the usual */
	uint64_t wanted;             /* of tap_items: items, from which `count` follows; else 0 */
	uint32_t bytes_max;          /* of a message */
	uint8_t *zeros;
	/* what came */
	uint64_t messages, idle, absent, lost, gaps, before, first, last;
	struct tap_gap gap[GAPS_SHOWN];
	size_t came; /* bytes of the last answer */
};

/* ---- the file ---- */

static int recording_open(struct tap_run *tap)
{
	struct sigmf_global global = sigmf_no_global;
	struct diag diag;
	int rc = sigmf_datatype_for(tap->reader.item_type, &global.datatype);

	global.slot_ns = tap->reader.slot_ns;
	global.items = tap->reader.items_max;
	global.waveform = tap->reader.waveform;
	global.port = tap->reader.name;
	if (tap->reader.slot_ns > 0)
		global.sample_rate_hz = tap->reader.items_max * 1e9 / (double)tap->reader.slot_ns /
		    (double)tap->reader.every;
	diag_init(&diag);
	if (rc == 0)
		rc = sigmf_create(tap->path, &global, &diag, &tap->writer);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

/* Once there is something to tap: a wrong name costs no file. */
static int file_open(struct tap_run *tap)
{
	struct stat about;

	if (tap->zeros || tap->writer)
		return CLI_OK;
	if (tap->sigmf)
		return recording_open(tap);
	if (!tap->out)
		tap->out = strcmp(tap->path, "-") == 0 ? stdout : fopen(tap->path, "we");
	tap->zeros = calloc(1, tap->bytes_max + 1u);
	tap->holes = tap->out && tap->out != stdout && fstat(fileno(tap->out), &about) == 0 &&
	    S_ISREG(about.st_mode);
	if (tap->out && tap->zeros)
		return CLI_OK;
	fprintf(stderr, "aloe: %s: cannot be written: %s\n", tap->path, strerror(errno));
	return CLI_FAILED;
}

/* A waveform without a clock leaves gaps of millions of messages. */
static void zeros_write(struct tap_run *tap, uint64_t count)
{
	if (tap->holes && fseeko(tap->out, (off_t)(count * tap->bytes_max), SEEK_CUR) == 0)
		return;
	for (uint64_t i = 0; i < count && !ferror(tap->out); i++)
		fwrite(tap->zeros, 1, tap->bytes_max, tap->out);
}

/* What is lost or ABSENT is no sample: a segment ends there. */
static int frame_record(struct tap_run *tap, const struct tap_frame *frame)
{
	const uint32_t item_bytes =
	    tap->reader.items_max ? tap->bytes_max / tap->reader.items_max : 1;
	const uint64_t n = frame->flags == TAP_ABSENT ? 1 : frame->count;
	int rc = 0;

	if (frame->flags == 0)
		return sigmf_put(tap->writer,
		    &(struct sigmf_message){.slot = frame->index,
		        .items = frame->data,
		        .n = frame->len / item_bytes,
		        .tick = SIGMF_NONE,
		        .frequency_hz = NAN});
	if (frame->flags != TAP_ABSENT && frame->flags != TAP_GAP)
		return 0;
	for (uint64_t i = 0; i < n && rc == 0; i++)
		rc = sigmf_put_lost(
		    tap->writer, frame->index + i * tap->reader.every, tap->reader.items_max);
	return rc;
}

static void frame_write(struct tap_run *tap, const uint8_t *bytes, const struct tap_frame *frame)
{
	if (tap->framed)
		fwrite(bytes, 1, TAP_FRAME_HEAD + (size_t)frame->len, tap->out);
	else if (frame->flags == 0)
		fwrite(frame->data, 1, frame->len, tap->out);
	else if (frame->flags != TAP_IDLE && tap->wanted == 0)
		zeros_write(tap, frame->count);
}

static void frame_count(struct tap_run *tap, const struct tap_frame *frame)
{
	if (frame->flags == TAP_GAP) {
		if (tap->gaps < GAPS_SHOWN)
			tap->gap[tap->gaps] = (struct tap_gap){frame->index, frame->count};
		tap->gaps++;
		tap->lost += frame->count;
		return;
	}
	if (frame->flags == TAP_BEFORE) {
		tap->before += frame->count;
		return;
	}
	if (tap->messages++ == 0)
		tap->first = frame->index;
	tap->last = frame->index;
	tap->idle += frame->flags == TAP_IDLE;
	tap->absent += frame->flags == TAP_ABSENT;
}

static int frames_take(struct tap_run *tap, const uint8_t *bytes, size_t len)
{
	int rc = 0;

	tap->came = len;
	while (rc == 0 && len > 0 && !(tap->count > 0 && tap->messages >= tap->count)) {
		struct tap_frame frame;
		const ssize_t n = tap_frame_get(bytes, len, &frame);

		if (n <= 0 || frame.len > (tap->bytes_max > 8 ? tap->bytes_max : 8)) {
			fprintf(stderr, "aloe: aloe-stats sent frames that are malformed\n");
			return CLI_FAILED;
		}
		if (tap->writer)
			rc = frame_record(tap, &frame);
		else
			frame_write(tap, bytes, &frame);
		frame_count(tap, &frame);
		bytes += n;
		len -= (size_t)n;
	}
	if (!tap->writer && (fflush(tap->out) != 0 || ferror(tap->out)))
		rc = -errno;
	if (rc == 0)
		return CLI_OK;
	fprintf(stderr, "aloe: %s: cannot be written: %s\n", tap->path,
	    rc == -E2BIG ? "there are more gaps than a recording can have" : strerror(-rc));
	return CLI_FAILED;
}

/* ---- the node ---- */

static int tap_begin(struct client *client, struct tap_run *tap)
{
	struct tap_reader *reader = &tap->reader;
	struct tap_bytes came;
	int status = tap_ask(client, reader, &came);

	if (status == CLI_OK && (reader->kept == 0 || reader->kept < tap->keep))
		status = tap_ring(client, reader,
		    tap->keep > 0 ? tap->keep : image_tap_keep(reader->slot_ns), &came);
	tap->bytes_max = tap_bytes_max(reader);
	if (tap->wanted > 0 && reader->items_max > 0)
		tap->count = (tap->wanted + reader->items_max - 1) / reader->items_max;
	if (status == CLI_OK)
		status = file_open(tap);
	return status ? status : frames_take(tap, came.bytes, came.len);
}

static int frames_ask(struct client *client, struct tap_run *tap)
{
	struct tap_bytes came;
	int status = tap_more(client, &tap->reader, &came);

	if (status == CLI_OK)
		status = frames_take(tap, came.bytes, came.len);
	return status == -EINTR ? 130 : status;
}

static int wait_ms(const struct tap_run *tap)
{
	return tap->came >= BUSY_BYTES ? 0 : tap_wait_ms(&tap->reader, WAIT_MS_MAX);
}

static bool tap_over(const struct tap_run *tap)
{
	return tap->reader.ended || tap->reader.again || tap->reader.gone ||
	    (tap->count > 0 && tap->messages >= tap->count);
}

static int tap_follow(struct client *client, struct tap_run *tap)
{
	bool over = false;
	unsigned idle = 0;
	int status = tap_begin(client, tap);

	while (status == CLI_OK && !tap_over(tap) && !over) {
		if (client_wait(client, wait_ms(tap)) < 0)
			break;
		idle = tap->came > 0 ? 0 : idle + 1;
		if (idle % LOOK_EACH == LOOK_EACH - 1)
			status =
			    client_over(client, tap->reader.waveform, &tap->reader.gone, &over);
		if (status == CLI_OK && !tap->reader.gone)
			status = frames_ask(client, tap);
	}
	return status == 130 ? CLI_OK : status;
}

/* ---- what is said ---- */

static void gaps_print(const struct tap_run *tap)
{
	fprintf(stderr, "; %" PRIu64 " gap%s, in which %" PRIu64 " message%s lost (", tap->gaps,
	    plural(tap->gaps), tap->lost, tap->lost == 1 ? " is" : "s are");
	for (size_t g = 0; g < tap->gaps && g < GAPS_SHOWN; g++)
		fprintf(stderr, "%s%" PRIu64 " from index %" PRIu64, g > 0 ? ", " : "",
		    tap->gap[g].count, tap->gap[g].first);
	if (tap->gaps > GAPS_SHOWN)
		fputs(" and more", stderr);
	fputc(')', stderr);
}

static void tap_print(const struct tap_run *tap)
{
	if (tap->reader.again)
		fprintf(
		    stderr, "aloe: the waveform was loaded anew under its name; the tap ends\n");
	fprintf(stderr, "%s: %" PRIu64 " message%s", tap->reader.name, tap->messages,
	    plural(tap->messages));
	if (tap->messages > 0)
		fprintf(stderr, ", index %" PRIu64, tap->first);
	if (tap->messages > 1)
		fprintf(stderr, " to %" PRIu64, tap->last);
	if (tap->idle > 0)
		fprintf(stderr, ", %" PRIu64 " idle", tap->idle);
	if (tap->absent > 0)
		fprintf(stderr, ", %" PRIu64 " absent", tap->absent);
	if (tap->before > 0)
		fprintf(stderr, ", %" PRIu64 " before the tap", tap->before);
	if (tap->gaps > 0)
		gaps_print(tap);
	else
		fputs("; no gaps", stderr);
	fputc('\n', stderr);
}

static int recording_close(struct tap_run *tap)
{
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = sigmf_finish(tap->writer, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	tap_print(tap);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int file_close(struct tap_run *tap)
{
	int status = CLI_OK;
	/* zeros may be the last */
	const bool whole = !tap->holes ||
	    (fflush(tap->out) == 0 && ftruncate(fileno(tap->out), ftello(tap->out)) == 0);

	if (tap->out && tap->out != stdout && (fclose(tap->out) != 0 || !whole)) {
		fprintf(stderr, "aloe: %s: cannot be written: %s\n", tap->path, strerror(errno));
		status = CLI_FAILED;
	}
	if (tap->out)
		tap_print(tap);
	free(tap->zeros);
	return status;
}

/* ---- without an output: which there are ---- */

static int outputs_print(struct client *client, const char *waveform, bool json)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *answer, *output;
	int status;
	size_t n;

	client_request(client, WIRE_TAP, client_values(client), &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	status = client_call(client, &msg, &view);
	answer = status ? NULL : client_json(&view);
	if (!answer)
		return status ? status : CLI_FAILED;
	if (json &&
	    (json_dumpf(answer, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER) != 0 ||
	        putchar('\n') == EOF))
		status = CLI_FAILED;
	json_array_foreach(json ? NULL : json_object_get(answer, "outputs"), n, output)
	{
		const double items = report_number(output, "items_max"),
		             keep = report_number(output, "keep");

		printf("%s: %.0f item%s of type %s", report_text(output, "output"), items,
		    plural(items), report_text(output, "type"));
		if (keep > 0)
			printf(", the ring keeps %.0f message%s", keep, plural(keep));
		putchar('\n');
	}
	json_decref(answer);
	return status;
}

/* ---- for a scope ---- */

int tap_items(
    struct client *client, const struct cli_args *args, uint64_t wanted, struct tap_items *ret)
{
	struct tap_run tap = {
	    .reader = {.waveform = args->args[0], .name = args->args[1], .every = 1},
	    .path = args->args[1],
	    .wanted = wanted,
	    .out = open_memstream(&ret->bytes, &ret->len)};
	int status = tap.out ? tap_follow(client, &tap) : CLI_FAILED;

	if (tap.out && fclose(tap.out) != 0)
		status = CLI_FAILED;
	free(tap.zeros);
	ret->type = tap.reader.item_type;
	ret->items_max = tap.reader.items_max;
	ret->slot_ns = tap.reader.slot_ns;
	ret->lost = tap.lost;
	ret->absent = tap.absent;
	return status;
}

/* ---- the command ---- */

static int options_take(const struct cli_args *args, struct tap_run *tap)
{
	if (cli_whole(args, "count", 1, UINT64_MAX >> 1, &tap->count) < 0 ||
	    cli_whole(args, "every", 1, UINT32_MAX, &tap->reader.every) < 0 ||
	    cli_whole(args, "keep", 1, IMAGE_TAP_MAX, &tap->keep) < 0)
		return CLI_USAGE;
	if (cli_whole(args, "from", 0, UINT64_MAX >> 1, &tap->reader.number) < 0 ||
	    cli_whole(args, "last", 1, UINT64_MAX >> 1, &tap->reader.number) < 0)
		return CLI_USAGE;
	tap->reader.begin = cli_has(args, "from") ? TAP_FROM
	    : cli_has(args, "last")               ? TAP_LAST
	                                          : TAP_NEXT;
	if (cli_has(args, "from") && cli_has(args, "last"))
		return cli_fail(args, "--from and --last both say where to begin; give one");
	if (args->n_args > 1 && cli_has(args, "json"))
		return cli_fail(args, "--json describes outputs, and is given without INST.PORT");
	if (args->n_args > 1 && strcmp(tap->path, "-") == 0 && isatty(STDOUT_FILENO))
		return cli_fail(args, "the messages are no text for a terminal; give -o FILE");
	if (tap->sigmf && (tap->framed || strcmp(tap->path, "-") == 0))
		return cli_fail(
		    args, "--sigmf writes two files, named by -o NAME, without --framed");
	return CLI_OK;
}

int aloe_tap(const struct cli_args *args)
{
	const char *path = cli_get(args, "output");
	struct tap_run tap = {.reader = {.waveform = args->args[0],
	                          .name = args->n_args > 1 ? args->args[1] : NULL,
	                          .every = 1},
	    .path = path ? path : "-",
	    .framed = cli_has(args, "framed"),
	    .sigmf = cli_has(args, "sigmf")};
	int status = options_take(args, &tap), closed;
	struct client client;

	status = status ? status : client_open(&client, args);
	if (status)
		return status;
	if (!tap.reader.name)
		status = outputs_print(&client, tap.reader.waveform, cli_has(args, "json"));
	else
		status = client_signals(&client) < 0 ? CLI_FAILED : tap_follow(&client, &tap);
	client_close(&client);
	closed = tap.writer ? recording_close(&tap) : file_close(&tap);
	return status ? status : closed;
}
