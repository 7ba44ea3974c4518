/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_web.c - the dashboard's server, what is pure of it: who may speak, what is asked
 * for, the rates, a tone and points as frames, and what the second between two reports was like. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/web_file.h"
#include "core/http/frame.h"
#include "core/http/guard.h"
#include "core/tap/frame.h"
#include "daemons/statsman/page.h"
#include "daemons/statsman/web_json.h"
#include "daemons/statsman/web_signal.h"

#include <aloe/component.h>

/* ---- who may ------------------------------------------------------------------------ */

static void test_hosts(void **state)
{
	static const char *const ours[] = {"127.0.0.1", "127.0.0.1:80", "127.1.2.3:7373",
	    "localhost", "LocalHost:1", "[::1]", "[::1]:7373", NULL};
	static const char *const others[] = {"", "evil", "127.0.0.1.evil", "128.0.0.1",
	    "10.0.0.1:80", "localhost:", "localhost:x", "localhost:123456", "[::1", "[::2]",
	    "[::1]x", "127.0.0.1:1:2", "127.0.0.1 ", "0.0.0.0", NULL};

	(void)state;
	for (int i = 0; ours[i]; i++)
		if (!http_host_local(ours[i]))
			fail_msg("%s is local", ours[i]);
	for (int i = 0; others[i]; i++)
		if (http_host_local(others[i]))
			fail_msg("%s is not local", others[i]);
	assert_true(http_host_local(NULL));
}

static void test_origins(void **state)
{
	(void)state;
	assert_true(http_origin_own(NULL, "localhost:1"));
	assert_true(http_origin_own("http://localhost:1", "localhost:1"));
	assert_false(http_origin_own("http://localhost:1", "localhost:2"));
	assert_false(http_origin_own("http://localhost", NULL));
	assert_false(http_origin_own("https://localhost:1", "localhost:1"));
	assert_false(http_origin_own("http://localhost:1/", "localhost:1"));
	assert_false(http_origin_own("null", "localhost:1"));
	assert_false(http_origin_own("", "localhost:1"));
}

static void test_tokens(void **state)
{
	(void)state;
	assert_true(http_token_same("abc", "abc"));
	assert_false(http_token_same("abc", "abd"));
	assert_false(http_token_same("abc", "ab"));
	assert_false(http_token_same("abc", "abcd"));
	assert_false(http_token_same("abc", NULL));
	assert_false(http_token_same("", ""));
	assert_false(http_token_same(NULL, ""));
}

static void test_the_file_of_the_token(void **state)
{
	char dir[] = "/tmp/aloe-web.XXXXXX";
	struct web_file file = {.address = "127.0.0.1:7373"}, read;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(web_file_path(&file, dir), 0);
	read = file;
	assert_int_equal(web_file_read(&read), -ENOENT);
	assert_int_equal(web_file_token(&file), 0);
	assert_int_equal(web_file_write(&file), 0);
	assert_int_equal(web_file_read(&read), 0);
	assert_string_equal(read.token, file.token);
	assert_string_equal(read.address, "127.0.0.1:7373");
	assert_int_equal(chmod(file.path, 0640), 0);
	assert_int_equal(web_file_read(&read), -EPERM);
	memset(file.token, 'x', 3); /* no digit */
	assert_int_equal(web_file_write(&file), 0);
	assert_int_equal(chmod(file.path, 0600), 0);
	assert_int_equal(web_file_read(&read), -EBADMSG);
	assert_int_equal(unlink(file.path), 0);
	assert_int_equal(symlink("/etc/hostname", file.path), 0);
	assert_int_equal(web_file_read(&read), -EPERM);
	assert_int_equal(unlink(file.path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void test_frames_of_a_client(void **state)
{
	static const uint8_t ping[] = {0x89, 0x82, 1, 2, 3, 4, 'a' ^ 1, 'b' ^ 2, 0x88};
	static const uint8_t most[] = {0x82, 0xfe, 4, 0}, more[] = {0x82, 0xfe, 4, 1},
	                     huge[] = {0x82, 0xff}, bare[] = {0x82, 2};
	uint8_t bytes[HTTP_FRAME_HEAD + HTTP_FRAME_BYTES] = {0};
	struct http_frame frame;

	(void)state;
	for (size_t have = 0; have < 8; have++) {
		memcpy(bytes, ping, sizeof(ping));
		assert_int_equal(http_frame_take(bytes, have, &frame), 0);
	}
	assert_int_equal(http_frame_take(bytes, sizeof(ping), &frame), 8);
	assert_int_equal(frame.opcode, 9);
	assert_int_equal(frame.len, 2);
	assert_memory_equal(frame.bytes, "ab", 2);
	memcpy(bytes, most, sizeof(most)); /* 1024 bytes: the buffer, whole */
	assert_int_equal(http_frame_take(bytes, sizeof(bytes) - 1, &frame), 0);
	assert_int_equal(http_frame_take(bytes, sizeof(bytes), &frame), sizeof(bytes));
	assert_int_equal(frame.len, 1024);
	memcpy(bytes, more, sizeof(more));
	assert_int_equal(http_frame_take(bytes, 4, &frame), -EMSGSIZE);
	memcpy(bytes, huge, sizeof(huge));
	assert_int_equal(http_frame_take(bytes, 2, &frame), -EMSGSIZE);
	memcpy(bytes, bare, sizeof(bare)); /* without a mask */
	assert_int_equal(http_frame_take(bytes, 2, &frame), -EPROTO);
}

/* ---- what is asked for ------------------------------------------------------------------ */

static int routed(const char *path, const char *query, struct web_target *ret)
{
	const struct http_request request = {
	    .path = path, .query = query, .socket = strcmp(path, "/api/signal") == 0};
	char why[WEB_WHY];
	const int status = web_route(&request, ret, why);

	web_target_fini(ret);
	assert_int_equal(status == 0, why[0] == 0);
	return status;
}

static void test_addresses(void **state)
{
	static const struct {
		const char *path;
		enum web_kind kind;
	} cases[] = {{"/", WEB_PAGE}, {"/app.js", WEB_PAGE}, {"/metrics", WEB_METRICS},
	    {"/api/node", WEB_NODE}, {"/api/waveforms", WEB_WAVEFORMS},
	    {"/api/waveforms/w", WEB_REPORT}, {"/api/waveforms/w/", WEB_REPORT},
	    {"/api/waveforms/w/graph", WEB_GRAPH}, {"/api/waveforms/w/misses", WEB_MISSES},
	    {"/api/waveforms/w/misses/9", WEB_MISS}, {"/api/waveforms/w/trace", WEB_TRACE},
	    {"/api/components/awgn", WEB_COMPONENT}};
	struct web_target target;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(routed(cases[i].path, NULL, &target), 0);
		assert_int_equal(target.kind, cases[i].kind);
		assert_false(target.changes);
	}
	assert_int_equal(routed("/api/waveforms/w/misses/12", NULL, &target), 0);
	assert_string_equal(target.waveform, "w");
	assert_int_equal(target.number, 12);
	assert_int_equal(routed("/api/waveforms/utran384-random_1/graph", NULL, &target), 0);
	assert_string_equal(target.waveform, "utran384-random_1");
	assert_int_equal(routed("/api/components/awgn", NULL, &target), 0);
	assert_string_equal(target.port, "awgn");
	assert_int_equal(routed("/api/components/", NULL, &target), 404);
	assert_int_equal(routed("/api/components/../x", NULL, &target), 404);
	assert_int_equal(routed("/api/components/awgn", "ms=1", &target), 400);
	assert_int_equal(routed("/api/waveforms/-x/graph", NULL, &target), 404);
	assert_int_equal(routed("/api/waveforms/w/set", NULL, &target), 405);
	assert_int_equal(routed("/api/waveforms//graph", NULL, &target), 404);
	assert_int_equal(routed("/api/waveforms/", NULL, &target), 404);
	assert_int_equal(routed("/api/waveforms/a b", NULL, &target), 404);
	assert_int_equal(routed("/api/waveforms/w/graph/x", NULL, &target), 404);
	assert_int_equal(routed("/api/waveforms/w/misses/", NULL, &target), 400);
	assert_int_equal(routed("/api/waveforms/w/misses/-1", NULL, &target), 400);
	assert_int_equal(
	    routed("/api/waveforms/w/misses/99999999999999999999", NULL, &target), 400);
}

/* Events may be read either way, a signal through a WebSocket alone, all else never. */
static void test_sockets(void **state)
{
	static const struct {
		const char *path, *query;
		int plain, socket;
	} cases[] = {{"/api/events", NULL, 0, 0}, {"/api/signal", "waveform=w&port=a.b", 400, 0},
	    {"/api/node", NULL, 0, 400}, {"/", NULL, 0, 400}};
	struct web_target target;
	char why[WEB_WHY];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int socket = 0; socket < 2; socket++) {
			const struct http_request request = {
			    .path = cases[i].path, .query = cases[i].query, .socket = socket};

			assert_int_equal(web_route(&request, &target, why),
			    socket ? cases[i].socket : cases[i].plain);
			assert_true(why[0] || target.socket == (socket != 0));
			web_target_fini(&target);
		}
}

static void test_queries(void **state)
{
	static const char signal[] = "/api/signal";
	struct web_target target;

	(void)state;
	assert_int_equal(
	    routed(signal, "waveform=w&port=a%2eb&view=time&rate=25&bins=64", &target), 0);
	assert_string_equal(target.port, "a.b");
	assert_int_equal(target.view, WEB_TIME);
	assert_int_equal(target.rate, 25);
	assert_int_equal(target.bins, 64);
	assert_int_equal(routed(signal, "waveform=w&port=a.b", &target), 0);
	assert_int_equal(target.rate, WEB_RATE_USUAL);
	assert_int_equal(routed(signal, "waveform=w", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=a%", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=a%2", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=a%00", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=a&rate=0", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=a&rate=1e1", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=a&bins=65", &target), 400);
	assert_int_equal(routed(signal, "waveform=w&port=a&port=b", &target), 400);
	assert_int_equal(routed("/api/waveforms/w/trace", "ms=100&format=json", &target), 0);
	assert_true(target.json);
	assert_int_equal(target.number, 100);
	assert_int_equal(routed("/api/waveforms/w/trace", "format=xml", &target), 400);
	assert_int_equal(routed("/api/waveforms/w/graph", "ms=1", &target), 400);
	assert_int_equal(routed("/", "anything", &target), 0);
}

/* The number of values that a body sets, or the status. */
static int body_sets(const char *body, struct web_target *ret)
{
	const struct http_request request = {.post = true,
	    .path = "/api/waveforms/w/set",
	    .type = "application/json; charset=utf-8",
	    .body = body,
	    .len = strlen(body)};
	char why[WEB_WHY];
	int status = web_route(&request, ret, why);

	assert_int_equal(status, 0);
	assert_true(ret->changes);
	status = web_route_body(&request, ret, why);
	return status ? status : (int)ret->n_sets;
}

static void test_bodies(void **state)
{
	static const char *const wrong[] = {"", "[]", "{}", "{\"a.b\": null}", "{\"ab\": 1}",
	    "{\"a.b\": [1, \"x\"]}", "{\"a.b\": []}", "{\"a.b\": \"@f\"}", "{\"a.b\": \"\\u0000\"}",
	    "{\"a.b\": 1, \"a.b\": 2}", "{\"a b.c\": 1}", NULL};
	struct web_target target;

	(void)state;
	assert_int_equal(body_sets("{\"a.b\": 1.5, \"a.c\": [1, 2.25], \"a.d\": \"x y\", \"a.e\": "
	                           "true, \"a.f\": -7}",
	                     &target),
	    5);
	assert_string_equal(target.sets[0].name, "a.b");
	assert_string_equal(target.sets[0].value, "1.5");
	assert_string_equal(target.sets[1].value, "1,2.25");
	assert_string_equal(target.sets[2].value, "x y");
	assert_string_equal(target.sets[3].value, "true");
	assert_string_equal(target.sets[4].value, "-7");
	web_target_fini(&target);
	for (int i = 0; wrong[i]; i++) {
		if (body_sets(wrong[i], &target) != 400)
			fail_msg("%s is no body", wrong[i]);
		web_target_fini(&target);
	}
}

static void test_the_page(void **state)
{
	struct http_request request = {.path = "/"};
	struct http_reply reply;

	(void)state;
	page_answer(&request, &reply);
	assert_int_equal(reply.status, 200);
	assert_int_equal(strlen(reply.body), reply.len);
	assert_non_null(strstr(reply.body, "<!doctype html>"));
	free(reply.body);
	request.match = reply.etag;
	page_answer(&request, &reply);
	assert_int_equal(reply.status, 304);
	assert_null(reply.body);
	request.path = "/../main.c";
	page_answer(&request, &reply);
	assert_int_equal(reply.status, 404);
}

/* ---- frames ------------------------------------------------------------------------ */

static void test_rates(void **state)
{
	(void)state;
	for (size_t bytes = 80; bytes < 5000; bytes += 37)
		for (uint32_t asked = 1; asked <= WEB_RATE_MAX; asked++) {
			const uint32_t rate = web_rate_given(asked, bytes);

			assert_in_range(rate, 1, asked);
			assert_true(rate * 8 * (bytes + WEB_SOCKET_HEAD) <= WEB_SIGNAL_BITS);
			assert_true(rate == asked ||
			    (rate + 1) * 8 * (bytes + WEB_SOCKET_HEAD) > WEB_SIGNAL_BITS);
		}
	assert_int_equal(web_rate_given(25, 16 + 512), 25);
	for (unsigned signals = 1; signals <= 64; signals++)
		for (uint32_t most = 1; most <= WEB_RATE_MAX; most++) {
			const uint32_t rate = web_rate_share(most, signals);

			assert_in_range(rate, 1, most);
			assert_true(rate == 1 || rate * signals <= WEB_FRAMES_ALL);
		}
	assert_int_equal(web_rate_share(25, 1), 25);
	assert_int_equal(web_rate_share(10, 4), 10);
	assert_int_equal(web_rate_lower(25), 12);
	assert_int_equal(web_rate_lower(1), 1);
}

/* A frame of a tap. */
static size_t tap_put(uint8_t *to, uint64_t index, uint32_t flags, const void *items, uint32_t len)
{
	memcpy(to, &index, 8);
	memcpy(to + 8, &flags, 4);
	memcpy(to + 12, &len, 4);
	if (len > 0)
		memcpy(to + 16, items, len);
	return 16 + len;
}

enum { TONE_N = 1024 };

static size_t tone_put(uint8_t *to, uint64_t index, double cycles, float amplitude)
{
	float iq[2 * TONE_N];

	for (int i = 0; i < TONE_N; i++) {
		const double phase = 2 * M_PI * cycles * (double)(i + (int)index * TONE_N) / TONE_N;

		iq[2 * i] = amplitude * (float)cos(phase);
		iq[2 * i + 1] = amplitude * (float)sin(phase);
	}
	return tap_put(to, index, 0, iq, sizeof(iq));
}

static struct web_look look_of(enum web_view view)
{
	return (struct web_look){.item_type = ALOE_CF32,
	    .item_bytes = 8,
	    .items_max = TONE_N,
	    .rate_hz = 1e6,
	    .is_complex = true,
	    .slot_ns = 1024000,
	    .view = view,
	    .bins = 512};
}

static void test_a_tone(void **state)
{
	static uint8_t taps[3 * (16 + 8 * TONE_N)];
	struct web_look look = look_of(WEB_SPECTRUM);
	uint8_t frame[WEB_FRAME_MAX], again[WEB_FRAME_MAX];
	uint64_t newest = 0, index;
	size_t len = 0, most = 0;
	double db;

	(void)state;
	assert_int_equal(web_look_messages(&look), 1);
	/* -10 dBFS at 200 lines of 1024: line 100 of 512, above the middle */
	for (uint64_t i = 0; i < 2; i++)
		len += tone_put(taps + len, 7 + i, 200, 0.316228f);
	assert_int_equal(web_look_frame(&look, taps, len, &newest, frame), 16 + 512);
	assert_int_equal(newest, 8);
	memcpy(&index, frame, 8);
	assert_int_equal(index, 8);
	assert_int_equal(frame[12] + 256 * frame[13], 512);
	assert_int_equal(frame[14], 1);
	assert_int_equal(frame[15], 0);
	for (size_t i = 0; i < 512; i++)
		most = frame[16 + i] > frame[16 + most] ? i : most;
	assert_in_range(most, 256 + 99, 256 + 101); /* the window is flat there */
	assert_int_equal(frame[16 + 256 + 100], frame[16 + most]);
	db = WEB_DB_LOW + frame[16 + most] * (double)(WEB_DB_HIGH - WEB_DB_LOW) / 255;
	if (fabs(db + 10) > 0.35) /* half of a step of a byte */
		fail_msg("%f dB", db);
	assert_true(frame[16 + 100] < 30);
	assert_int_equal(web_look_frame(&look, taps, len, &newest, again), 16 + 512);
	assert_memory_equal(again, frame, 16 + 512); /* its window is kept */
	web_look_fini(&look);
	assert_null(look.welch);
}

static void test_a_message_that_is_missing(void **state)
{
	static uint8_t taps[3 * (16 + 8 * TONE_N)];
	struct web_look look = look_of(WEB_TIME);
	uint8_t frame[WEB_FRAME_MAX];
	uint64_t newest = 0;
	size_t len = 0;
	float scale;

	(void)state;
	len += tone_put(taps + len, 7, 0, 3);
	len += tap_put(taps + len, 8, 2, NULL, 0);
	len += tone_put(taps + len, 9, 0, 0.5f);
	assert_int_equal(web_look_frame(&look, taps, len, &newest, frame), 16 + 2 * 256);
	memcpy(&scale, frame + 8, 4);
	assert_true(scale == 0.5f); /* what was before the gap is not there */
	assert_int_equal(frame[15], WEB_FRAME_LOST);
	assert_int_equal((int8_t)frame[16], 127);
	assert_int_equal((int8_t)frame[17], 0);
	assert_int_equal(web_look_frame(&look, taps, 0, &newest, frame), 0);
	len = tap_put(taps, 8, 2, NULL, 0);
	assert_int_equal(web_look_frame(&look, taps, len, &newest, frame), 0);
}

static void test_cut_messages(void **state)
{
	static const char items[] = "0123456789";
	uint8_t taps[256];
	struct tap_frame frame;
	size_t len = tap_put(taps, 1, 0, items, 10), left;

	(void)state;
	len += tap_put(taps + len, 2, TAP_ABSENT, NULL, 0);
	len += tap_put(taps + len, 3, TAP_GAP, "\7\0\0\0\0\0\0\0", 8);
	len += tap_put(taps + len, 10, 0, items, 4);
	left = tap_frames_cut(taps, len, 4);
	assert_int_equal(left, len - 6);
	assert_int_equal(tap_frame_get(taps, left, &frame), 20);
	assert_memory_equal(frame.data, "0123", 4);
	assert_int_equal(tap_frame_get(taps + 20, left - 20, &frame), 16);
	assert_int_equal(frame.flags, TAP_ABSENT);
	assert_int_equal(tap_frame_get(taps + 36, left - 36, &frame), 24);
	assert_int_equal(frame.count, 7);
	assert_int_equal(tap_frame_get(taps + 60, left - 60, &frame), 20);
	assert_int_equal(frame.index, 10);
	assert_int_equal(tap_frames_cut(taps, 0, 4), 0);
}

static void test_few_samples_and_odd_ones(void **state)
{
	static const float odd[] = {NAN, INFINITY, -2, 1};
	uint8_t taps[16 + sizeof(odd)], frame[WEB_FRAME_MAX];
	struct web_look look = look_of(WEB_CONSTELLATION);
	const size_t len = tap_put(taps, 1, 0, odd, sizeof(odd));
	uint64_t newest;

	(void)state;
	assert_int_equal(web_look_frame(&look, taps, len, &newest, frame), 16 + 4);
	assert_int_equal(frame[12], 2);
	assert_int_equal((int8_t)frame[16], 0);
	assert_int_equal((int8_t)frame[18], -127);
	look.view = WEB_SPECTRUM;
	assert_int_equal(web_look_frame(&look, taps, len, &newest, frame), 16 + 512);
	look.item_type = ALOE_F32;
	look.item_bytes = 4;
	look.is_complex = false;
	assert_int_equal(web_look_frame(&look, taps, len, &newest, frame), 16 + 256);
	assert_string_equal(web_look_why(&look), "");
	look.view = WEB_CONSTELLATION;
	assert_string_not_equal(web_look_why(&look), "");
	look.item_bytes = 0;
	assert_string_not_equal(web_look_why(&look), "");
	web_look_fini(&look);
}

/* ---- reports ------------------------------------------------------------------------ */

static const char before_text[] =
    "{\"waveform\": \"w\", \"index\": 10, \"lanes\": [{\"lane\": 0, \"cpu\": 1, \"slots\": 100,"
    " \"load_mean\": 0.5, \"left_us\": {\"histogram_ns\": [[-2000, 1], [1000, 5]]}},"
    " {\"lane\": 1, \"slots\": 3, \"load_mean\": 0.5}],"
    "\"instances\": [{\"name\": \"a\", \"calls\": 110, \"timed\": 10, \"mean_us\": 5.0}],"
    "\"misses\": [{\"slot\": 3, \"cause\": \"x\"}]}";
static const char after_text[] =
    "{\"waveform\": \"w\", \"index\": 20, \"lanes\": [{\"lane\": 0, \"cpu\": 1, \"slots\": 200,"
    " \"load_mean\": 0.4, \"missed\": 2,"
    " \"left_us\": {\"histogram_ns\": [[-2000, 1], [500, 1], [1000, 7]]}},"
    " {\"lane\": 1, \"slots\": 3, \"load_mean\": 0.5}],"
    "\"instances\": [{\"name\": \"a\", \"calls\": 130, \"timed\": 30, \"mean_us\": 9.0,"
    " \"variables\": {\"v\": 1.5, \"text\": \"no\"}}],"
    "\"misses\": [{\"slot\": 3, \"cause\": \"x\"},"
    " {\"slot\": 15, \"cause\": \"y\", \"causes\": []}]}";

static double number_at(const json_t *json, const char *key)
{
	const json_t *value = json_object_get(json, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static void test_a_second(void **state)
{
	json_t *before = json_loads(before_text, 0, NULL), *after = json_loads(after_text, 0, NULL),
	       *second = web_second_json(before, after, 1.5, 6000);
	const json_t *lane = json_array_get(json_object_get(second, "lanes"), 0),
	             *idle = json_array_get(json_object_get(second, "lanes"), 1),
	             *instance = json_array_get(json_object_get(second, "instances"), 0),
	             *misses = json_object_get(second, "misses");

	(void)state;
	assert_true(fabs(number_at(second, "seconds") - 1.5) < 1e-9);
	assert_true(fabs(number_at(lane, "load") - 0.3) < 1e-9);
	assert_true(fabs(number_at(lane, "least_us") - 0.5) < 1e-9);
	assert_true(number_at(lane, "slots") == 100);
	assert_true(json_is_null(json_object_get(idle, "load")));
	assert_true(json_is_null(json_object_get(idle, "least_us")));
	assert_true(number_at(instance, "calls") == 20);
	assert_true(fabs(number_at(instance, "mean_us") - 11) < 1e-9);
	assert_int_equal(json_array_size(misses), 1);
	assert_true(number_at(json_array_get(misses, 0), "slot") == 15);
	assert_null(json_object_get(json_array_get(misses, 0), "causes"));
	assert_int_equal(json_object_size(json_object_get(second, "values")), 1);
	assert_true(number_at(json_object_get(second, "values"), "a.v") == 1.5);
	json_decref(second);
	second = web_second_json(NULL, after, 9, 200); /* the first look, and little room */
	assert_true(number_at(second, "seconds") == 0);
	assert_int_equal(json_object_size(json_object_get(second, "values")), 0);
	assert_true(json_array_size(json_object_get(second, "left_out")) > 0);
	json_decref(second);
	json_decref(before);
	json_decref(after);
}

/* Counts that go back are those of another load, and its misses are all new. */
static void test_a_load_of_the_same_name(void **state)
{
	json_t *before = json_loads(after_text, 0, NULL), *after = json_loads(before_text, 0, NULL),
	       *second = web_second_json(before, after, 1.5, 6000);
	const json_t *instance = json_array_get(json_object_get(second, "instances"), 0);

	(void)state;
	assert_true(number_at(second, "seconds") == 0);
	assert_true(json_is_null(json_object_get(instance, "calls")));
	assert_int_equal(json_array_size(json_object_get(second, "misses")), 1);
	json_decref(second);
	json_object_set_new(before, "index", json_integer(1)); /* its instances have gone back */
	second = web_second_json(before, after, 1.5, 6000);
	assert_true(number_at(second, "seconds") == 0);
	json_decref(second);
	json_decref(before);
	json_decref(after);
}

static void test_misses_of_two_lanes(void **state)
{
	json_t *before = json_loads("{\"misses\": [{\"slot\": 3, \"lane\": 0}]}", 0, NULL),
	       *after = json_loads("{\"misses\": [{\"slot\": 3, \"lane\": 1},"
	                           " {\"slot\": 3, \"lane\": 0}]}",
	           0, NULL),
	       *second = web_second_json(before, after, 1, 6000), *misses;

	(void)state;
	misses = json_object_get(second, "misses");
	assert_int_equal(json_array_size(misses), 1);
	assert_true(number_at(json_array_get(misses, 0), "lane") == 1);
	json_decref(second);
	json_decref(before);
	json_decref(after);
}

static void test_bounds_of_an_event(void **state)
{
	json_t *list = json_array(), *some, *report = json_object(), *second;
	size_t left_out;
	char long_text[3000];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = 0;
	for (int i = 0; i < 200; i++)
		json_array_append_new(
		    list, json_pack("{s:s, s:s, s:i}", "name", "w", "state", "RUN", "index", i));
	some = web_list_json(list, 2400, &left_out);
	assert_in_range(web_size(some), 2300, 2400);
	assert_int_equal(json_array_size(some) + left_out, 200);
	json_decref(some);
	some = web_list_json(list, 100000, &left_out);
	assert_int_equal(json_array_size(some), 200);
	assert_int_equal(left_out, 0);
	json_decref(some);
	json_decref(list);
	json_object_set_new(report, "reason", json_string(long_text));
	second = web_second_json(NULL, report, 0, 2000);
	assert_true(web_size(second) < 2000);
	assert_int_equal(json_array_size(json_object_get(second, "left_out")), 6);
	json_decref(second);
	json_decref(report);
}

static void test_reports_that_are_none(void **state)
{
	static const char *const texts[] = {"{}", "{\"links\": 1}", "{\"lanes\": [1, null, {}]}",
	    "{\"instances\": {}, \"links\": [], \"lanes\": {}}",
	    "{\"links\": [], \"instances\": [1, {\"name\": 5}], \"lanes\": [{}]}",
	    "{\"instances\": [{\"name\": \"a\", \"variables\": []}]}", NULL};
	char why[WEB_WHY];
	size_t left_out;

	(void)state;
	for (int i = 0; texts[i]; i++) {
		json_t *report = json_loads(texts[i], 0, NULL);

		json_decref(web_second_json(report, report, 1, 6000));
		json_decref(web_histograms_json(report));
		json_decref(web_graph_json(report, why));
		json_decref(web_list_json(report, 6000, &left_out));
		json_decref(report);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts),
	    cmocka_unit_test(test_origins), cmocka_unit_test(test_tokens),
	    cmocka_unit_test(test_the_file_of_the_token), cmocka_unit_test(test_frames_of_a_client),
	    cmocka_unit_test(test_addresses), cmocka_unit_test(test_sockets),
	    cmocka_unit_test(test_queries), cmocka_unit_test(test_bodies),
	    cmocka_unit_test(test_the_page), cmocka_unit_test(test_rates),
	    cmocka_unit_test(test_a_tone), cmocka_unit_test(test_a_message_that_is_missing),
	    cmocka_unit_test(test_cut_messages), cmocka_unit_test(test_few_samples_and_odd_ones),
	    cmocka_unit_test(test_a_second), cmocka_unit_test(test_a_load_of_the_same_name),
	    cmocka_unit_test(test_misses_of_two_lanes), cmocka_unit_test(test_bounds_of_an_event),
	    cmocka_unit_test(test_reports_that_are_none)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
