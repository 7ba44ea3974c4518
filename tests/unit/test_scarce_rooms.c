/* SPDX-License-Identifier: BSD-3-Clause
 * Rooms that keep files, descriptors and memory: whatever call of theirs the kernel or the heap
 * refuses, they say so, leave nothing open and nothing half made, and the next attempt works.
 * (tests/common/scarce.h) */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/notify.h"
#include "core/bus/bus.h"
#include "core/bus/keys.h"
#include "core/bus/samples/samples.h"
#include "core/json/json.h"
#include "core/keep/keep.h"
#include "core/measure/local.h"
#include "core/report/runs.h"
#include "core/report/store.h"
#include "core/scope/scope.h"
#include "core/sigmf/reader.h"
#include "core/sigmf/writer.h"
#include "core/trace/trace.h"
#include "tests/common/image_sample.h"
#include "tests/common/scarce.h"
#include "tools/bench/copying.h"

#include <aloe/component.h>

/* Both ways of refusing. */
static void swept(void **state, int (*once)(void *of))
{
	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once, *state) > 0);
	assert_true(scarce_sweep(SCARCE_KERNEL, EMFILE, once, *state) > 0);
}

static void kernel_swept(void **state, int (*once)(void *of), int error)
{
	assert_true(scarce_sweep(SCARCE_KERNEL, error, once, *state) > 0);
}

/* ---- files --------------------------------------------------------------------------- */

static int once_file(void *self)
{
	struct scarce_folder *of = self;
	char *text = NULL;
	size_t len = 0;
	int rc, fd, again = -1;

	rc = dir_make(scarce_path(of, "a/b"));
	if (rc == 0)
		rc = file_writable(scarce_path(of, "a/b/file"));
	if (rc == 0)
		rc = file_write(scarce_path(of, "a/b/file"), "text", 4);
	if (rc == 0)
		rc = file_write_closed(scarce_path(of, "a/b/closed"), "text", 4);
	if (rc == 0)
		rc = file_read(scarce_path(of, "a/b/file"), 100, &text, &len);
	assert_true(rc == 0 ? len == 4 && memcmp(text, "text", 5) == 0 : text == NULL);
	free(text);
	fd = memfd_create("scarce", MFD_CLOEXEC);
	if (rc == 0) {
		again = fd >= 0 ? file_read_only(fd) : -errno;
		rc = again >= 0 ? 0 : again;
	}
	if (fd >= 0)
		close(fd);
	if (again >= 0)
		close(again);
	assert_true(rc <= 0 && strlen(file_reason(rc)) > 0);
	return rc;
}

/* A file that could not be replaced is the old one, whole. */
static int once_replaced(void *self)
{
	struct scarce_folder *of = self;
	char *text = NULL;
	size_t len = 0;
	int rc;

	rc = file_write(scarce_path(of, "kept"), "new", 3);
	scarce_after(SCARCE_NOTHING, 0, 0); /* what it is now is read in peace */
	assert_int_equal(file_read(scarce_path(of, "kept"), 100, &text, &len), 0);
	assert_string_equal(text, rc == 0 ? "new" : "old");
	free(text);
	assert_int_equal(file_write(scarce_path(of, "kept"), "old", 3), 0);
	return rc;
}

static void test_files(void **state)
{
	swept(state, once_file);
	scarce_folder_clean(*state);
}

static void test_replaced(void **state)
{
	struct scarce_folder *of = *state;
	unsigned n = 0, refused = 0;

	for (bool failed = true; failed; n++) {
		assert_int_equal(file_write(scarce_path(of, "kept"), "old", 3), 0);
		scarce_after(SCARCE_KERNEL, n, ENOSPC);
		failed = once_replaced(of) != 0;
		refused += failed;
	}
	assert_in_range(refused, 3, 20);
	scarce_folder_clean(of);
}

/* ---- channels and images ------------------------------------------------------------- */

static int once_kept(void *self)
{
	struct keep_entry entry = {.n_fds = 0};
	int fds[2] = {-1, -1}, rc = keep_pair(fds);
	const int passed[] = {0, 1};

	(void)self;
	if (rc == 0)
		rc = keep_put(fds[0], "key", "blob", 4, passed, 2);
	if (rc == 0) {
		rc = keep_recv(fds[1], &entry);
		if (rc == 0) {
			assert_true(entry.len == 4 && memcmp(entry.blob, "blob", 4) == 0);
			assert_int_equal(entry.n_fds, 2);
			keep_entry_fini(&entry);
		}
	}
	if (rc == 0)
		rc = keep_hello(fds[0], "name");
	if (rc == 0)
		rc = keep_drop(fds[0], "key");
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
	return rc;
}

static int once_listening(void *self)
{
	struct scarce_folder *of = self;
	pid_t pid = 0;
	int listens = keep_listen(of->dir), connects = -1, accepts = -1, rc;

	rc = listens < 0 ? listens : 0;
	if (rc == 0) {
		connects = keep_connect(of->dir);
		rc = connects < 0 ? connects : 0;
	}
	if (rc == 0) {
		accepts = keep_accept(listens, &pid);
		rc = accepts < 0 ? accepts : 0;
	}
	if (listens >= 0)
		close(listens);
	if (connects >= 0)
		close(connects);
	if (accepts >= 0)
		close(accepts);
	unlink(scarce_path(of, "attach"));
	return rc;
}

static void test_keep(void **state)
{
	swept(state, once_kept);
	kernel_swept(state, once_listening, EMFILE);
}

struct image_of {
	struct rig *rig;
};

static int once_image(void *self)
{
	const struct image_of *of = self;
	struct image_files files = {-1, -1};
	struct image_view view = {.base = NULL}, host = {.base = NULL};
	int rc = image_create(of->rig->view.program, of->rig->view.program_bytes, &files);

	if (rc == 0) {
		rc = image_open(&files, true, &view);
		if (rc == 0)
			image_close(&view);
	}
	if (rc == 0) {
		rc = image_open_host(&files, 0, &host);
		if (rc == 0)
			image_close(&host);
	}
	image_files_close(&files);
	return rc;
}

static void test_image(void **state)
{
	struct image_of of = {image_sample_rig()}, *self = &of;

	(void)state;
	rig_open(of.rig);
	swept((void **)&self, once_image);
	rig_close(of.rig);
}

/* ---- the bus and its keys ------------------------------------------------------------ */

static int once_bus(void *self)
{
	struct scarce_folder *of = self;
	char dir[96];
	struct bus *bound, *connected;
	int rc = 0;

	snprintf(dir, sizeof(dir), "%s/run", of->dir);
	bound = bus_bind(dir);
	if (bound == NULL)
		rc = -errno;
	if (rc != 0)
		assert_true(strlen(bus_dir_text(-rc)) > 0);
	connected = rc == 0 ? bus_connect(dir, WIRE_EXEC) : NULL;
	if (rc == 0 && connected == NULL)
		rc = -errno;
	if (rc == 0)
		rc = bus_hello(connected);
	bus_close(connected);
	bus_abandon(bound);
	return rc;
}

static void test_bus(void **state)
{
	swept(state, once_bus);
	scarce_folder_clean(*state);
}

static int once_nodes(void *self)
{
	struct scarce_folder *of = self;
	struct keys_list *list = malloc(sizeof(*list));
	struct keys_own own;
	struct diag diag;
	char folder[96];
	int rc;

	snprintf(folder, sizeof(folder), "%s/keys", of->dir);
	diag_init(&diag);
	rc = keys_new(folder, "a", true, &diag);
	if (rc == 0)
		rc = keys_own_load(folder, &diag, &own);
	if (rc == 0)
		rc = keys_allow(folder, "b", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf8", &diag);
	if (rc == 0)
		rc = list != NULL ? keys_list_load(folder, &diag, list) : -ENOMEM;
	if (rc == 0)
		rc = keys_revoke(folder, "b", &diag);
	if (rc == -EINVAL)
		assert_true(diag.errors > 0 || diag.lost);
	free(list);
	diag_fini(&diag);
	return rc;
}

static int once_tcp(void *self)
{
	struct scarce_folder *of = self;
	const struct bus_tcp listens = {
	    .node = "a", .address = "127.0.0.1:0", .insecure = true, .folder = of->dir};
	struct bus_tcp joins = {.node = "b", .insecure = true};
	struct bus *bound, *joined = NULL;
	char address[32];
	struct diag diag;

	diag_init(&diag);
	bound = bus_listen(&listens, &diag);
	if (bound != NULL) {
		snprintf(address, sizeof(address), "127.0.0.1:%u", bus_port(bound));
		joins.address = address;
		joined = bus_join(&joins, WIRE_EXEC, &diag);
	}
	assert_true(joined != NULL || diag.errors > 0 || diag.lost);
	bus_abandon(joined);
	bus_abandon(bound);
	diag_fini(&diag);
	return joined != NULL ? 0 : -1;
}

static void test_keys(void **state)
{
	swept(state, once_nodes);
	scarce_folder_clean(*state);
}

static void test_tcp(void **state)
{
	swept(state, once_tcp);
	scarce_folder_clean(*state);
}

static int once_samples(void *self)
{
	struct scarce_folder *of = self;
	char address[128], why[SAMPLES_WHY] = "";
	const struct samples_use use = {.address = address,
	    .pattern = SAMPLES_PUB_SUB,
	    .bind = true,
	    .queue = 4,
	    .item_bytes = 8,
	    .key = "key"};
	struct samples_use in = use;
	struct samples_out *sends = NULL;
	struct samples_in *takes = NULL;
	int rc;

	snprintf(address, sizeof(address), "ipc://%s/samples", of->dir);
	in.bind = false;
	rc = samples_out_open(&use, &sends, why);
	if (rc == 0)
		rc = samples_in_open(&in, &takes, why);
	samples_in_close(takes);
	samples_out_close(sends);
	return rc;
}

static void test_samples(void **state)
{
	swept(state, once_samples);
	scarce_folder_clean(*state);
}

/* ---- recordings ---------------------------------------------------------------------- */

static int once_recorded(void *self)
{
	struct scarce_folder *of = self;
	static const float items[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	const struct sigmf_message message = {
	    .slot = 3, .items = items, .n = 4, .tick = SIGMF_NONE, .frequency_hz = NAN};
	struct sigmf_global global = sigmf_no_global;
	struct sigmf_writer *writer = NULL;
	struct sigmf_reader *reader = NULL;
	struct diag diag;
	int rc;

	diag_init(&diag);
	global.datatype = SIGMF_CF32_LE;
	global.sample_rate_hz = 1e6;
	rc = sigmf_create(scarce_path(of, "r.sigmf-meta"), &global, &diag, &writer);
	if (rc == 0) {
		const int put = sigmf_put(writer, &message), lost = sigmf_put_lost(writer, 7, 2);

		rc = sigmf_finish(writer, &diag);
		if (rc == 0)
			rc = put != 0 ? put : lost;
	}
	if (rc == 0)
		rc = sigmf_open(scarce_path(of, "r.sigmf-meta"), true, &diag, &reader);
	if (reader != NULL)
		sigmf_close(reader);
	if (rc == -EINVAL)
		assert_true(diag.errors > 0 || diag.lost);
	diag_fini(&diag);
	return rc;
}

static void test_sigmf(void **state)
{
	swept(state, once_recorded);
	scarce_folder_clean(*state);
}

/* ---- runs and capacities ------------------------------------------------------------- */

static const char kept_text[] =
    "{\"schema\":1,\"waveform\":\"w\",\"clock\":\"virtual\",\"run_s\":2.5,\"slot_ns\":1000000,"
    "\"state\":\"STOP\",\"slots\":{\"run\":2500,\"missed\":0,\"skipped\":0},"
    "\"instances\":[{\"name\":\"few\",\"component\":\"c\",\"calls\":2500,\"mean_us\":2.0,"
    "\"kmac\":2.0,\"kmac_p50\":1.0,\"kmac_p99\":2.0,\"build\":\"x\","
    "\"variables\":{\"blocks\":100,\"block_errors\":4}}]}";

static int entry_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int once_run(void *self)
{
	struct scarce_folder *of = self;
	struct runs runs = {.n = 0};
	json_t *report = json_loads(kept_text, 0, NULL), *json = NULL;
	struct class_rates rates;
	struct diag diag;
	char dir[256];
	int rc;

	assert_non_null(report);
	diag_init(&diag);
	local_kind(&rates);
	rc = store_run_new(of->dir, "w", 1000000000, dir, sizeof(dir));
	if (rc == 0)
		rc = store_run_write(dir, report);
	if (rc == 0)
		rc = store_run_last(of->dir, "w", dir, sizeof(dir));
	if (rc == 0)
		rc = store_profile_write(of->dir, report, &rates, &diag);
	if (rc == 0)
		rc = runs_scan(of->dir, &runs);
	if (rc == 0)
		rc = runs_read(of->dir, &runs);
	if (rc == 0) {
		assert_true(runs.n >= 1);
		json = runs_json(&runs);
		rc = json != NULL ? 0 : -ENOMEM;
	}
	diag_fini(&diag);
	runs_free(&runs);
	/* libc's own calls */
	nftw(scarce_path(of, "runs"), entry_remove, 16, FTW_DEPTH | FTW_PHYS);
	json_decref(json);
	json_decref(report);
	return rc;
}

static void test_runs(void **state)
{
	swept(state, once_run);
	scarce_folder_clean(*state);
}

struct costs {
	struct scarce_folder *of;
	json_t *report;
	struct class_rates rates;
};

static int once_costs(void *self)
{
	struct costs *costs = self;
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = store_profile_write(costs->of->dir, costs->report, &costs->rates, &diag);
	assert_true((rc == 0) == (diag.errors == 0));
	diag_fini(&diag);
	return rc;
}

/* On a clock of which nothing is kept. */
static int once_no_costs(void *self)
{
	const struct costs *costs = self;
	const struct waveform waveform = {.name = (char *)"w", .clock = WF_CLOCK_STEP};
	struct profile profile;
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = store_profile_read(costs->of->dir, &waveform, &diag, &profile);
	assert_int_equal(profile.len, 0);
	plan_profile_fini(&profile);
	diag_fini(&diag);
	return rc;
}

static char *costs_read(struct costs *costs, size_t *ret_len)
{
	char path[160], *text = NULL;

	snprintf(path, sizeof(path), "%s/profiles/w/%016llx-virtual.json", costs->of->dir,
	    (unsigned long long)class_rates_fingerprint(&costs->rates));
	assert_int_equal(file_read(path, 1 << 20, &text, ret_len), 0);
	return text;
}

/* The run that is kept missed nothing, so that a run that missed slots takes nothing of its place,
 * whatever of the file cannot be read. */
static void test_costs(void **state)
{
	struct costs costs = {.of = *state, .report = json_loads(kept_text, 0, NULL)};
	json_t *few = json_array_get(json_object_get(costs.report, "instances"), 0);
	char *before, *after;
	size_t len, len_after;

	assert_non_null(few);
	local_kind(&costs.rates);
	costs.rates.mmac_per_s = 500;
	for (int c = 0; c < CALIBRATE_CLASSES; c++)
		costs.rates.ns[c] = 1;
	json_object_set_new(few, "build",
	    json_string("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"));
	json_object_set_new(few, "p50_us", json_real(1));
	json_object_set_new(few, "p99_us", json_real(2));
	assert_int_equal(once_costs(&costs), 0);
	before = costs_read(&costs, &len);
	json_object_set_new(few, "p50_us", json_real(1.5));
	json_object_set_new(json_object_get(costs.report, "slots"), "missed", json_integer(3));
	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once_costs, &costs) > 0);
	assert_true(scarce_sweep(SCARCE_KERNEL, EIO, once_costs, &costs) > 0);
	/* where neither a file nor the folder can be opened nobody says that there are none */
	assert_int_equal(scarce_sweep(SCARCE_KERNEL, EMFILE, once_no_costs, &costs), 2);
	after = costs_read(&costs, &len_after);
	assert_int_equal(len_after, len);
	assert_memory_equal(after, before, len);
	free(after);
	free(before);
	json_decref(costs.report);
	scarce_folder_clean(*state);
}

/* ---- signals and traces -------------------------------------------------------------- */

static int figure_of(const struct scope_signal *signal, enum scope_view view)
{
	const struct scope_options options = {.view = view, .fft = 16, .symbol = 4};
	struct scope_averaged averaged = {.n = 0};
	struct scope_figure figure = {.n = 0};
	char why[160] = "";
	FILE *out = fopen("/dev/null", "we");
	int rc = out != NULL ? scope_look(signal, &options, &figure, why, sizeof(why)) : -errno;

	if (rc == 0 && view == SCOPE_SPECTRUM)
		rc = scope_average(&figure, 4, &averaged);
	if (rc == 0) {
		scope_csv(&figure, out);
		scope_gnuplot(&figure, "a", out);
		rc = scope_text(&figure, 80, 24, true, out);
	}
	scope_average_fini(&averaged);
	scope_figure_fini(&figure);
	if (out != NULL)
		fclose(out);
	return rc;
}

static int once_seen(void *self)
{
	float items[128];
	struct scope_signal signal = {.n = 0};
	int rc;

	(void)self;
	for (int i = 0; i < 128; i++)
		items[i] = (float)sin(i);
	rc = scope_take(ALOE_CF32, items, sizeof(items), &signal);
	for (enum scope_view view = SCOPE_TIME; rc == 0 && view <= SCOPE_HISTOGRAM; view++)
		rc = figure_of(&signal, view);
	scope_signal_fini(&signal);
	return rc;
}

static int once_traced(void *self)
{
	static const struct trace_track wave = {.name = "waveform"};
	const struct trace_track lane = {.name = "lane", .about = "0", .group = &wave, .rank = 1};
	const struct trace_arg arg = {.name = "index", .number = 7};
	const struct trace_flow flow = {.id = 5};
	const struct trace_event event = {.track = &lane,
	    .ns = 10,
	    .name = "work",
	    .args = &arg,
	    .n_args = 1,
	    .flows = &flow,
	    .n_flows = 1};
	int rc = 0;

	(void)self;
	for (int format = TRACE_PROTOBUF; format <= TRACE_JSON; format++) {
		struct trace trace;
		uint8_t *bytes;
		size_t len = 0;

		trace_init(&trace, format, 0);
		trace_track(&trace, &wave);
		trace_track(&trace, &lane);
		for (int i = 0; i < 2000; i++) {
			trace_begin(&trace, &event);
			trace_end(&trace, &lane, 20);
		}
		bytes = trace_take(&trace, &len);
		if (bytes == NULL)
			rc = -ENOMEM;
		free(bytes);
	}
	return rc;
}

static void test_scope(void **state)
{
	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once_seen, *state) > 0);
}

static void test_trace(void **state)
{
	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once_traced, *state) > 0);
}

/* ---- children ------------------------------------------------------------------------ */

static int once_leash(void *self)
{
	struct notify notify;
	int fds[2] = {-1, -1}, rc;

	(void)self;
	rc = leash_new(fds);
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
	setenv("NOTIFY_SOCKET", "@aloe-scarce", 1);
	if (rc == 0) {
		rc = notify_open(&notify);
		notify_close(&notify);
	}
	unsetenv("NOTIFY_SOCKET");
	return rc;
}

static void test_leash(void **state)
{
	kernel_swept(state, once_leash, EMFILE);
}

/* ---- a bare loop ------------------------------------------------------------------------ */

static unsigned copying_lane(const struct copying *copying, unsigned pipe)
{
	return pipe % copying->lanes;
}

static int once_copied(void *self)
{
	const int cpu = sched_getcpu(), cpus[] = {cpu, cpu, cpu};
	const struct copying copying = {.pipes = 3,
	    .stages = 2,
	    .lanes = 3,
	    .sources = true,
	    .cpus = cpus,
	    .bytes = 256,
	    .messages = 4,
	    .kernels = move_kernels(SIMD_PLAIN),
	    .lane_of = copying_lane};

	(void)self;
	return copying_run(&copying) >= 0 ? 0 : -1;
}

/* One of its threads is refused: those that wait for all of them end. */
static void test_copying(void **state)
{
	(void)state;
	assert_int_equal(scarce_sweep(SCARCE_KERNEL, EAGAIN, once_copied, NULL), 3);
	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once_copied, NULL) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_replaced),
	    cmocka_unit_test(test_keep),
	    cmocka_unit_test(test_image),
	    cmocka_unit_test(test_bus),
	    cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_tcp),
	    cmocka_unit_test(test_samples),
	    cmocka_unit_test(test_sigmf),
	    cmocka_unit_test(test_runs),
	    cmocka_unit_test(test_costs),
	    cmocka_unit_test(test_scope),
	    cmocka_unit_test(test_trace),
	    cmocka_unit_test(test_leash),
	    cmocka_unit_test(test_copying),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, scarce_folder_make, scarce_folder_remove);
}
