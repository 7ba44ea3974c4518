/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/source.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"

static const char force_set[] = "admit=always", rr_set[] = "scheduler=rr";

/* lanes_parse reads "0,1": CPU numbers. The number of them, or -EINVAL after saying what is
 * needed. */
static int lanes_parse(const struct cli_args *args, int *ret_lanes)
{
	const char *text = cli_get(args, "lanes");
	int n = 0;

	for (const char *at = text; at && *at; at++) {
		char *end;
		const long cpu = strtol(at, &end, 10);
		if (!isdigit((unsigned char)*at) || cpu > INT_MAX || (*end && *end != ',') ||
		    (*end && !end[1]) || n == SOURCE_LANES_MAX) {
			n = 0;
			break;
		}
		ret_lanes[n++] = (int)cpu;
		at = *end ? end : end - 1;
	}
	if (text && !n) {
		cli_fail(args,
		    "--lanes %s: CPU numbers separated by commas are needed, such as 0,1; at "
		    "most %d",
		    text, SOURCE_LANES_MAX);
		return -EINVAL;
	}
	return n;
}

static int slot_parse(const struct cli_args *args, uint64_t *ret_slot_ns)
{
	double slot_us = 0;

	if (cli_real(args, "slot-us", 0.001, 1e9, &slot_us) < 0)
		return -EINVAL;
	*ret_slot_ns = (uint64_t)(slot_us * 1e3 + 0.5);
	return 0;
}

static size_t option_count(const struct cli_args *args, const char *name)
{
	size_t n = 0;

	while (cli_nth(args, name, n))
		n++;
	return n;
}

/* Other commands that read a waveform have other options. */
static bool option_taken(const struct cli_args *args, const char *name)
{
	const struct cli_options *options = &args->command->options;

	for (size_t i = 0; i < options->len; i++)
		if (strcmp(options->items[i].name, name) == 0)
			return true;
	return false;
}

/* --tap INST.PORT --keep N is --set INST.PORT.tap=N to who reads the waveform. NULL after saying
 * what is needed. */
static char *tap_set(const struct cli_args *args, const char *tap, uint64_t keep)
{
	const char *dot = strchr(tap, '.');
	char *set;

	if (!dot || dot == tap || !dot[1] || strpbrk(dot + 1, ".=")) {
		cli_fail(args, "--tap %s: INSTANCE.PORT is needed, an output of the waveform", tap);
		return NULL;
	}
	if ((keep ? asprintf(&set, "%s.tap=%llu", tap, (unsigned long long)keep)
	          : asprintf(&set, "%s.tap=true", tap)) < 0)
		return NULL;
	return set;
}

/* What --set, --tap, --force and --rr ask for, one after another. 0 or -EINVAL. */
static int sets_collect(struct source *source, const struct cli_args *args)
{
	const size_t n_sets = option_count(args, "set"), n_taps = option_count(args, "tap");
	uint64_t keep = 0;

	source->sets = calloc(n_sets + n_taps + 3, sizeof(*source->sets));
	if (!source->sets)
		return -ENOMEM;
	if (option_taken(args, "tap") && cli_whole(args, "keep", 1, WF_TAP_MAX, &keep) < 0)
		return -EINVAL;
	if (keep && !n_taps) {
		cli_fail(args, "--keep is the length of the ring of a --tap, and there is none");
		return -EINVAL;
	}
	for (size_t i = 0; i < n_sets + n_taps; i++) {
		char *set = i < n_sets ? strdup(cli_nth(args, "set", i))
		                       : tap_set(args, cli_nth(args, "tap", i - n_sets), keep);
		if (!set)
			return -EINVAL;
		source->sets[source->n_sets++] = set;
	}
	if (cli_has(args, "force") && (source->sets[source->n_sets] = strdup(force_set)))
		source->n_sets++;
	if (cli_has(args, "rr") && (source->sets[source->n_sets] = strdup(rr_set)))
		source->n_sets++;
	return 0;
}

static int source_parse(struct source *source, const struct cli_args *args)
{
	int lanes[SOURCE_LANES_MAX], rc = lanes_parse(args, lanes);
	uint64_t copies = 1;
	struct wf_overrides overrides = {
	    .sets = (const char *const *)source->sets,
	    .n_sets = source->n_sets,
	    .cwd = source->cwd,
	    .clock = cli_get(args, "clock"),
	    .isolation = cli_get(args, "isolation"),
	    .late = cli_get(args, "late"),
	    .pipelined = cli_has(args, "pipelined") ? 1 : -1,
	    .lanes = lanes,
	    .radio = source->radio ? cli_get(args, "radio") : NULL,
	    .radio_text = source->radio,
	};

	overrides.n_lanes = rc > 0 ? (size_t)rc : 0;
	rc = rc < 0 ? rc : slot_parse(args, &overrides.slot_ns);
	rc = rc < 0 ? rc : cli_whole(args, "copies", 1, SOURCE_COPIES_MAX, &copies);
	overrides.copies = (uint32_t)copies;
	return rc == 0 ? waveform_parse(source->file, source->text, source->len, source->registry,
	                     &overrides, &source->diag, &source->waveform)
	               : rc;
}

static int shape_ask(struct source *source)
{
	char host[PATH_MAX];
	const int rc = child_path("aloe-host", host, sizeof(host));

	return rc < 0 ? diag_error(&source->diag, NULL, 0,
	                    "aloe-host is missing in the folder of aloe: %s", strerror(-rc))
	              : waveform_shape(source->waveform, host, &source->diag);
}

static bool is_file(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

static bool in_folder(
    const char *folder, int folder_len, const char *name, char *ret_path, size_t size)
{
	static const char *const endings[] = {".conf", ""};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (path_print(ret_path, size, "%.*s/%s%s", folder_len, folder, name, endings[i]) ==
		        0 &&
		    is_file(ret_path))
			return true;
	return false;
}

int source_find(const char *name, char *ret_path, size_t size)
{
	/* seen from the program: installed, and in a build folder of the sources */
	static const char *const places[] = {"../share/aloe/waveforms", "../../waveforms"};
	const char *at = getenv("ALOE_WAVEFORMS");
	char folder[PATH_MAX];

	if (strchr(name, '/') || is_file(name))
		return path_print(ret_path, size, "%s", name);
	for (; at && *at; at += strcspn(at, ":"), at += *at == ':')
		if (*at != ':' && in_folder(at, (int)strcspn(at, ":"), name, ret_path, size))
			return 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (child_path(places[i], folder, sizeof(folder)) == 0 &&
		    in_folder(folder, (int)strlen(folder), name, ret_path, size))
			return 0;
	return path_print(ret_path, size, "%s", name) < 0 ? -ENAMETOOLONG : -ENOENT;
}

static int text_read(struct source *source, const char *name)
{
	int rc = source_find(name, source->file, sizeof(source->file));

	if (rc == -ENOENT)
		return diag_error(&source->diag, name, 0,
		    "cannot be read: no such file, and no waveform of this name in "
		    "ALOE_WAVEFORMS or among the waveforms of ALOE");
	if (rc == 0)
		rc = file_read(source->file, SOURCE_BYTES_MAX, &source->text, &source->len);
	if (rc == -EFBIG)
		return diag_error(&source->diag, source->file, 0,
		    "is longer than %d bytes and therefore no waveform file", SOURCE_BYTES_MAX);
	return rc < 0
	    ? diag_error(&source->diag, source->file, 0, "cannot be read: %s", file_reason(rc))
	    : 0;
}

static int radio_read(struct source *source, const struct cli_args *args)
{
	const char *file = cli_get(args, "radio");
	size_t len;
	const int rc = file ? file_read(file, SOURCE_BYTES_MAX, &source->radio, &len) : 0;

	return rc < 0 ? diag_error(&source->diag, file, 0, "cannot be read: %s", file_reason(rc))
	              : 0;
}

/* What tells one wish to load from another. */
static uint64_t load_id(void)
{
	uint64_t id;

	return getrandom(&id, sizeof(id), 0) == (ssize_t)sizeof(id)
	    ? id
	    : clock_ns() ^ (uint64_t)getpid() << 40;
}

int source_open(struct source *source, const struct cli_args *args, const char *file, bool shape)
{
	char *dirs;
	int rc;

	*source = (struct source){.load_id = load_id()};
	diag_init(&source->diag);
	if (!getcwd(source->cwd, sizeof(source->cwd)))
		diag_error(&source->diag, NULL, 0, "the working directory is unknown: %s",
		    strerror(errno));
	dirs = registry_dirs();
	source->registry = dirs ? registry_open(dirs, &source->diag) : NULL;
	free(dirs);
	rc = source->registry ? text_read(source, file) : -ENOMEM;
	if (rc == 0)
		rc = radio_read(source, args);
	if (rc == 0)
		rc = sets_collect(source, args);
	if (rc == 0)
		rc = source_parse(source, args);
	if (rc == 0 && shape)
		rc = shape_ask(source);
	if (rc < 0 || source->diag.errors)
		diag_print(&source->diag, stderr);
	if (rc == -ENOMEM)
		fprintf(stderr, "aloe: out of memory\n");
	return rc < 0 ? CLI_USAGE : 0;
}

void source_close(struct source *source)
{
	if (source->waveform)
		waveform_free(source->waveform);
	if (source->registry)
		registry_close(source->registry);
	diag_fini(&source->diag);
	for (size_t i = 0; i < source->n_sets; i++)
		free(source->sets[i]);
	free(source->sets);
	free(source->text);
	free(source->radio);
}

int source_set(struct source *source, const char *format, ...)
{
	char **sets = realloc(source->sets, (source->n_sets + 1) * sizeof(*sets));
	va_list list;
	int len;

	if (!sets)
		return -ENOMEM;
	source->sets = sets;
	va_start(list, format);
	len = vasprintf(&sets[source->n_sets], format, list);
	va_end(list);
	if (len < 0)
		return -ENOMEM;
	source->n_sets++;
	return 0;
}

int source_put(const struct source *source, const struct cli_args *args, struct wire_msg *msg)
{
	uint64_t slot_ns = 0, slots = 0, copies = 0;

	if (slot_parse(args, &slot_ns) < 0 ||
	    cli_whole(args, "slots", 1, UINT64_MAX >> 1, &slots) < 0 ||
	    cli_whole(args, "copies", 1, SOURCE_COPIES_MAX, &copies) < 0)
		return CLI_USAGE;
	wire_put_u64(msg, WIRE_TAG_LOAD_ID, source->load_id);
	wire_put_text(msg, WIRE_TAG_FILE, source->file);
	wire_put_bytes(msg, WIRE_TAG_TEXT, source->text, source->len);
	wire_put_text(msg, WIRE_TAG_CWD, source->cwd);
	for (size_t i = 0; i < source->n_sets; i++)
		wire_put_text(msg, WIRE_TAG_SET, source->sets[i]);
	wire_put_text(msg, WIRE_TAG_CLOCK, cli_get(args, "clock"));
	wire_put_text(msg, WIRE_TAG_LATE, cli_get(args, "late"));
	wire_put_text(msg, WIRE_TAG_ISOLATION, cli_get(args, "isolation"));
	wire_put_text(msg, WIRE_TAG_LANES, cli_get(args, "lanes"));
	wire_put_text(msg, WIRE_TAG_RADIO, source->radio ? cli_get(args, "radio") : NULL);
	wire_put_text(msg, WIRE_TAG_RADIO_TEXT, source->radio);
	wire_put_text(msg, WIRE_TAG_RECORD, cli_get(args, "record"));
	wire_put_text(msg, WIRE_TAG_REPLAY, cli_get(args, "replay"));
	if (cli_has(args, "pipelined"))
		wire_put_u64(msg, WIRE_TAG_PIPELINED, 1);
	if (slot_ns)
		wire_put_u64(msg, WIRE_TAG_SLOT_NS, slot_ns);
	if (slots)
		wire_put_u64(msg, WIRE_TAG_SLOTS, slots);
	if (copies)
		wire_put_u64(msg, WIRE_TAG_COPIES, copies);
	return 0;
}
