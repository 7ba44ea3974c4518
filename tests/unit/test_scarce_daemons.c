/* SPDX-License-Identifier: BSD-3-Clause
 * What daemons make of reports, requests and files, when memory or the kernel refuses a call of
 * theirs: an error or a smaller answer, never half of one, and nothing left open.
 * (tests/common/scarce.h) */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/sha256.h"
#include "core/base/web_file.h"
#include "core/json/json.h"
#include "daemons/common/builds.h"
#include "daemons/exec/misses.h"
#include "daemons/frontend/listener.h"
#include "daemons/statsman/metrics.h"
#include "daemons/statsman/web_json.h"
#include "daemons/statsman/web_signal.h"
#include "daemons/swman/merge.h"
#include "tests/common/scarce.h"

#include <aloe/component.h>

static void swept(enum scarce what, int (*once)(void *of), void *of)
{
	assert_true(scarce_sweep(what, what == SCARCE_MEMORY ? ENOMEM : EMFILE, once, of) > 0);
}

/* ---- reports ------------------------------------------------------------------------- */

static const char report_text[] =
    "{\"schema\": 1, \"waveform\": \"w\", \"state\": \"RUN\", \"index\": 20, \"run_s\": 3,"
    " \"slot_ns\": 1000000, \"copies\": 1, \"reason\": \"none\","
    " \"slots\": {\"run\": 12, \"drain\": 0, \"skipped\": 1, \"missed\": 2, \"slipped\": 3},"
    " \"messages\": {\"absent\": 4, \"late\": 5, \"overwritten\": 6, \"lost\": 7},"
    " \"latency\": {\"us\": 40000, \"histogram_ns\": [[90, 1]], \"measured_us\": {\"mean\": 1}},"
    " \"radio\": {\"caught_up\": 8, \"channels\": [{\"packets\": 90}, {\"packets\": 91}]},"
    " \"lanes\": [{\"lane\": 0, \"node\": \"a\", \"cpu\": 3, \"slots\": 12, \"load_mean\": 0.5,"
    "   \"left_us\": {\"histogram_ns\": [[-2000, 1], [500, 1], [1000, 7]]},"
    "   \"late_us\": {\"count\": 4, \"mean\": 2.5, \"p50\": 2, \"p99\": 9}}],"
    " \"instances\": [{\"name\": \"x\", \"component\": \"gain\", \"lane\": 0, \"calls\": 3,"
    "   \"order\": 1, \"lag\": 0, \"mean_us\": 5, \"histogram_ns\": [[90, 1], [1000, 1]]},"
    "  {\"name\": \"judge\", \"component\": \"z\", \"lane\": 0, \"order\": 2, \"lag\": 0,"
    "   \"calls\": 4, \"variables\": {\"blocks\": 9, \"block_errors\": 2}}],"
    " \"links\": [{\"from\": \"x\", \"from_port\": \"out\", \"to\": \"judge\","
    "   \"to_port\": \"in\", \"delay\": 0, \"distance\": 0, \"type\": \"cf32\", \"items\": 9}],"
    " \"misses\": [{\"slot\": 15, \"cause\": \"y\", \"causes\": []}],"
    " \"peers\": [{\"node\": \"a\", \"peer\": \"b\", \"sent\": 21, \"sent_bytes\": 2100}]}";

static json_t *report_new(void)
{
	json_t *report = json_loads(report_text, 0, NULL);

	assert_non_null(report);
	return report;
}

static int once_metrics(void *of)
{
	char *written = NULL;
	size_t len;
	const int rc = metrics_write(of, "here", METRICS_OPEN, &written, &len);

	assert_true((rc == 0) == (written != NULL));
	free(written);
	return rc;
}

static void test_metrics(void **state)
{
	json_t *report = report_new(), *reports = json_pack("[O]", report);

	(void)state;
	swept(SCARCE_MEMORY, once_metrics, reports);
	json_decref(reports);
	json_decref(report);
}

static int once_shown(void *of)
{
	char why[WEB_WHY] = "";
	size_t left_out = 0;
	json_t *graph = web_graph_json(of, why), *times = web_histograms_json(of),
	       *second = web_second_json(NULL, of, 1, WEB_EVENT_BYTES),
	       *list = web_list_json(NULL, WEB_LIST_BYTES, &left_out);
	const int rc = graph != NULL && times != NULL && second != NULL ? 0 : -ENOMEM;

	json_decref(graph);
	json_decref(times);
	json_decref(second);
	json_decref(list);
	return rc;
}

static void test_page(void **state)
{
	json_t *report = report_new();

	(void)state;
	swept(SCARCE_MEMORY, once_shown, report);
	json_decref(report);
}

/* Two nodes' reports are one, whatever was lacking: there is no such thing as half of it. */
static int once_merged(void *of)
{
	static const char *const nodes[] = {"a", "b"};
	json_t *reports[] = {json_deep_copy(of), json_deep_copy(of)}, *list = json_array(),
	       *merged = merge_report(reports, nodes, 2);

	if (list != NULL)
		merge_list(list, of, "a");
	json_decref(list);
	json_decref(merged);
	json_decref(reports[0]);
	json_decref(reports[1]);
	return merged != NULL ? 0 : -ENOMEM;
}

static void test_merge(void **state)
{
	json_t *report = report_new();

	(void)state;
	scarce_sweep(SCARCE_MEMORY, ENOMEM, once_merged, report);
	json_decref(report);
}

/* ---- requests ------------------------------------------------------------------------ */

static int body_read(const char *path, const char *body)
{
	const struct http_request request = {.post = true,
	    .path = path,
	    .type = "application/json",
	    .body = body,
	    .len = strlen(body)};
	struct web_target target;
	char why[WEB_WHY];
	int status = web_route(&request, &target, why);

	if (status == 0)
		status = web_route_body(&request, &target, why);
	assert_true(status == 0 || why[0] != 0);
	web_target_fini(&target);
	return status;
}

static int once_body(void *of)
{
	(void)of;
	return body_read("/api/waveforms/w/set",
	    "{\"a.b\": [1, 2.5], \"a.c\": \"text\", \"a.d\": true, \"a.e\": 3}");
}

static void test_bodies(void **state)
{
	(void)state;
	swept(SCARCE_MEMORY, once_body, NULL);
	assert_int_equal(body_read("/api/waveforms/w/ring", "{\"port\": \"a.out\"}"), 0);
	assert_int_equal(
	    body_read("/api/waveforms/w/ring", "{\"port\": \"a.out\", \"keep\": 9}"), 0);
	assert_int_equal(body_read("/api/waveforms/w/ring", "{\"port\": \"\"}"), 400);
	assert_int_equal(body_read("/api/waveforms/w/ring", "{\"keep\": 9}"), 400);
	assert_int_equal(body_read("/api/waveforms/w/ring", "{\"port\": \"a\", \"keep\": 0}"), 400);
	assert_int_equal(body_read("/api/waveforms/w/ring", "{\"port\": \"a\", \"kep\": 1}"), 400);
	assert_int_equal(body_read("/api/waveforms/w/ring", "[]"), 400);
}

static int once_frame(void *of)
{
	static uint8_t taps[16 + 8 * 1024];
	struct web_look look = {.item_type = ALOE_CF32,
	    .item_bytes = 8,
	    .items_max = 1024,
	    .rate_hz = 1e6,
	    .is_complex = true,
	    .slot_ns = 1024000,
	    .view = WEB_SPECTRUM,
	    .bins = 512};
	const uint32_t len = 8 * 1024;
	uint8_t frame[WEB_FRAME_MAX];
	uint64_t newest = 0;
	long rc;

	(void)of;
	memcpy(taps + 12, &len, 4);
	rc = web_look_frame(&look, taps, sizeof(taps), &newest, frame);
	web_look_fini(&look);
	return rc > 0 ? 0 : -ENOMEM;
}

static void test_frames(void **state)
{
	(void)state;
	swept(SCARCE_MEMORY, once_frame, NULL);
}

/* ---- files --------------------------------------------------------------------------- */

static int once_kept(void *of)
{
	struct scarce_folder *folder = of;
	const char *dir = scarce_path(folder, "builds");
	char sha256[SHA256_TEXT], path[256];
	struct web_file file = {.address = "127.0.0.1:7373"};
	int rc;

	sha256_text("build", 5, sha256);
	rc = builds_put(dir, "gain", sha256, "build", 5, 1000);
	if (rc == 0)
		rc = builds_find(dir, "gain", sha256, path, sizeof(path));
	if (rc == 0)
		rc = web_file_path(&file, folder->dir);
	if (rc == 0)
		rc = web_file_token(&file);
	if (rc == 0)
		rc = web_file_write(&file);
	if (rc == 0)
		rc = web_file_read(&file);
	return rc;
}

static void test_files(void **state)
{
	swept(SCARCE_KERNEL, once_kept, *state);
}

static bool takes_nobody(void *self, enum wire_peer daemon, pid_t pid, int fd)
{
	(void)self;
	(void)daemon;
	(void)pid;
	(void)fd;
	return false;
}

static int once_listening(void *of)
{
	struct scarce_folder *folder = of;
	struct listener listener;
	struct loop loop;
	struct log log;
	int rc;

	log_init(&log, "test");
	loop_init(&loop);
	rc = listener_open(&listener, &log, &loop, folder->dir, takes_nobody, NULL);
	if (rc == 0)
		listener_close(&listener);
	loop_fini(&loop);
	unlink(scarce_path(folder, "attach"));
	return rc;
}

static void test_listener(void **state)
{
	swept(SCARCE_KERNEL, once_listening, *state);
}

/* ---- lanes --------------------------------------------------------------------------- */

struct guarded {
	struct exec *exec;
	struct exec_wave *wave;
	int error;
};

/* The user is told what was lacking. */
static int once_guarded(void *of)
{
	struct guarded *guarded = of;
	struct exec *exec = guarded->exec;
	char why[200] = "";
	const int rc = lane_reuse(guarded->wave, 0, why, sizeof(why));

	assert_true(rc == 0 ? why[0] == 0 : strstr(why, strerror(guarded->error)) != NULL);
	assert_true(rc == 0 || rc == -guarded->error);
	assert_int_equal(exec->lanes[0].users, rc == 0);
	assert_int_equal(exec->lanes[0].has_watchdog, rc == 0);
	exec->lanes[0].users = 0;
	watchdog_stop(exec, 0);
	bed_close(&exec->lanes[0].bed);
	witness_fini(exec);
	return rc;
}

/* Nothing runs on a lane that nobody looks after. */
static void test_watchdog(void **state)
{
	struct node_image *node = aligned_alloc(64, (sizeof(*node) + 63) / 64 * 64);
	struct lane_image *image = aligned_alloc(64, (sizeof(*image) + 63) / 64 * 64);
	struct exec *exec = aligned_alloc(64, (sizeof(*exec) + 63) / 64 * 64);
	struct image_head head = {.clock = IMAGE_TIMER};
	struct exec_wave *wave = calloc(1, sizeof(*wave));
	struct guarded guarded = {exec, wave, ENOMEM};

	(void)state;
	assert_true(node != NULL && image != NULL && exec != NULL && wave != NULL);
	memset(node, 0, sizeof(*node));
	memset(image, 0, sizeof(*image));
	memset(exec, 0, sizeof(*exec));
	node->n_lanes = 1;
	node->timebase[0].slot_ns = 1000000;
	atomic_store(&image->baton, baton_make(0, 0, BATON_NOBODY));
	exec->node = node;
	exec->daemon.args.shared = true;
	exec->lanes[0].image = image;
	exec->lanes[0].cpu_lock = -1;
	exec->lanes[0].perf = (struct perf_ring)PERF_RING_NONE;
	wave->exec = exec;
	wave->view.head = &head;
	setenv("ALOE_EVIDENCE", "off", 1);
	swept(SCARCE_MEMORY, once_guarded, &guarded);
	guarded.error = EMFILE;
	swept(SCARCE_KERNEL, once_guarded, &guarded);
	unsetenv("ALOE_EVIDENCE");
	free(wave);
	free(exec);
	free(image);
	free(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_metrics),
	    cmocka_unit_test(test_page),
	    cmocka_unit_test(test_merge),
	    cmocka_unit_test(test_bodies),
	    cmocka_unit_test(test_frames),
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_listener),
	    cmocka_unit_test(test_watchdog),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, scarce_folder_make, scarce_folder_remove);
}
