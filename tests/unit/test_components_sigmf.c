/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/sigmf: every datatype there and back with gaps, what the validator of pip's sigmf does
 * not look at (the hash, the order, the numbers of the samples) held against the data file, a WAV
 * that is described, and every reason for which a recording is refused before the first slot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/sha512.h"
#include "core/sigmf/reader.h"
#include "tests/mock/mock.h"

enum { LENGTH = 10, MESSAGES = 12, END_TYPES = 7 };

static char folder[128];

static const char *in_folder(const char *name)
{
	static _Thread_local char path[4][256];
	static _Thread_local unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

/* Items of message k: any bytes, but of ci8 only what 8 bits hold. */
static void items_make(uint8_t items[LENGTH * 8], size_t bytes, unsigned k, bool narrow)
{
	for (size_t i = 0; i < bytes; i++)
		items[i] = (uint8_t)(narrow && i % 2 == 0 ? 0 : 17 * k + 31 * i + 1);
}

/* Messages 0, 3, 4 and 9 are ABSENT, 6 is IDLE, the last is short. */
static enum aloe_state state_of(unsigned k)
{
	if (k == 0 || k == 3 || k == 4 || k == 9)
		return ALOE_ABSENT;
	return k == 6 ? ALOE_IDLE : ALOE_VALID;
}

static uint32_t length_of(unsigned k)
{
	return k == MESSAGES - 1 ? 7 : LENGTH;
}

static void recording_make(uint32_t type, bool ci8)
{
	uint8_t items[LENGTH * 8];
	struct mock m;

	mock_open(&m, "sigmf_sink");
	mock_set(&m, "path", in_folder("run"));
	mock_set(&m, "rate_hz", "7.68e6");
	mock_set(&m, "datatype", ci8 ? "ci8" : "auto");
	mock_input(&m, 0, type, LENGTH);
	if (mock_start(&m) < 0)
		fail_msg("%s", m.setup.error);
	assert_int_equal(access(in_folder("run.sigmf-meta.partial"), F_OK), 0);
	for (unsigned k = 0; k < MESSAGES; k++) {
		items_make(items, sizeof(items), k, ci8);
		if (state_of(k) == ALOE_VALID)
			mock_give(&m, 0, items, length_of(k));
		else
			mock_give_state(&m, 0, state_of(k));
		assert_int_equal(mock_work(&m, k), 0);
	}
	assert_true(mock_var(&m, "absent") == 3); /* not the one before the first */
	mock_close(&m);
	assert_int_not_equal(access(in_folder("run.sigmf-meta.partial"), F_OK), 0);
}

static void source_open(struct mock *m, const char *path, const char *type, const char *gaps)
{
	mock_open(m, "sigmf_source");
	mock_set(m, "path", path);
	mock_set(m, "length", "10");
	mock_set(m, "type", type);
	mock_set(m, "gaps", gaps);
}

/* The recording is read as it was: message k of the sink is message k - 1 of the source, for the
 * first one was no part of it, and one less behind the IDLE one. */
static void recording_read(const char *type, uint32_t item_bytes, bool ci8, bool zeros)
{
	static const unsigned order[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11};
	uint8_t items[LENGTH * 8];
	struct mock m;

	source_open(&m, in_folder("run.sigmf-data"), type, zeros ? "zeros" : "absent");
	if (mock_start(&m) < 0)
		fail_msg("%s", m.setup.error);
	for (unsigned i = 0; i < 10; i++) {
		const unsigned k = order[i];

		assert_int_equal(mock_work(&m, i), 0);
		items_make(items, sizeof(items), k, ci8);
		if (state_of(k) == ALOE_VALID) {
			assert_int_equal(m.out[0].state, ALOE_VALID);
			assert_int_equal(m.out[0].len, length_of(k));
			assert_memory_equal(m.out[0].data, items, length_of(k) * item_bytes);
		} else {
			assert_int_equal(m.out[0].state, zeros ? ALOE_VALID : ALOE_ABSENT);
			assert_int_equal(m.out[0].len, zeros ? LENGTH : 0);
		}
	}
	assert_int_equal(mock_work(&m, 10), ALOE_FILL_END);
	assert_true(mock_var(&m, "lost") == (zeros ? 30 : 0));
	assert_true(mock_var(&m, "absent") == (zeros ? 0 : 3));
	mock_close(&m);
}

/* What no validator looks at: the segments and the remarks, number by number, and the hash. */
static void recording_check(enum sigmf_datatype datatype)
{
	struct sigmf_meta *meta = NULL;
	struct diag diag;
	struct sha512 hash;
	char *text, *data, hex[SHA512_TEXT];
	size_t len, data_len;
	uint64_t samples;

	diag_init(&diag);
	assert_int_equal(file_read(in_folder("run.sigmf-meta"), 1 << 20, &text, &len), 0);
	assert_int_equal(file_read(in_folder("run.sigmf-data"), 1 << 20, &data, &data_len), 0);
	assert_int_equal(sigmf_parse("run", text, len, &diag, &meta), 0);
	assert_int_equal(sigmf_check(meta, "run", data_len, &diag, &samples), 0);
	assert_int_equal(samples, 67);
	assert_int_equal(data_len, 67 * sigmf_formats[datatype].bytes);
	assert_int_equal(meta->global.samples, 67);
	sha512_init(&hash);
	sha512_add(&hash, data, data_len);
	sha512_text(&hash, hex);
	assert_string_equal(meta->global.sha512, hex);
	assert_true(meta->global.sample_rate_hz == 7.68e6);
	assert_int_equal(meta->global.datatype, datatype);
	assert_int_equal(meta->n_captures, 3);
	assert_int_equal(meta->captures[0].index, 0);
	assert_int_equal(meta->captures[0].slot, 1);
	assert_int_equal(meta->captures[1].sample_start, 20);
	assert_int_equal(meta->captures[1].index, 40);
	assert_int_equal(meta->captures[1].slot, 5);
	assert_int_equal(meta->captures[2].sample_start, 50);
	assert_int_equal(meta->captures[2].index, 80);
	for (size_t i = 0; i < 3; i++)
		assert_non_null(meta->captures[i].datetime);
	assert_int_equal(meta->n_annotations, 2);
	assert_int_equal(meta->annotations[0].sample_start, 20);
	assert_int_equal(meta->annotations[0].slot, 3);
	assert_int_equal(meta->annotations[0].slots, 2);
	assert_int_equal(meta->annotations[1].slot, 9);
	assert_int_equal(meta->annotations[1].slots, 1);
	sigmf_free(meta);
	free(text);
	free(data);
	diag_fini(&diag);
}

static void every_datatype_there_and_back(void **state)
{
	static const struct {
		uint32_t type;
		const char *read_as;
		enum sigmf_datatype datatype;
		bool ci8;
	} cases[] = {
	    {ALOE_CF32, "cf32", SIGMF_CF32_LE, false},
	    {ALOE_CI16, "ci16", SIGMF_CI16_LE, false},
	    {ALOE_CI16, "ci16", SIGMF_CI8, true},
	    {ALOE_F32, "f32", SIGMF_RF32_LE, false},
	    {ALOE_I16, "i16", SIGMF_RI16_LE, false},
	    {ALOE_LLR16, "i16", SIGMF_RI16_LE, false},
	    {ALOE_BYTE, "byte", SIGMF_RU8, false},
	};

	(void)state;
	for (unsigned i = 0; i < END_TYPES; i++) {
		recording_make(cases[i].type, cases[i].ci8);
		recording_check(cases[i].datatype);
		recording_read(
		    cases[i].read_as, aloe_item_bytes(cases[i].type), cases[i].ci8, false);
		recording_read(
		    cases[i].read_as, aloe_item_bytes(cases[i].type), cases[i].ci8, true);
	}
}

static void joined_gaps_are_none(void **state)
{
	struct mock m;
	uint32_t got = 0;

	(void)state;
	recording_make(ALOE_F32, false);
	source_open(&m, in_folder("run"), "f32", "joined");
	assert_int_equal(mock_start(&m), 0);
	for (unsigned k = 0; mock_work(&m, k) == 0; k++) {
		assert_int_equal(m.out[0].state, ALOE_VALID);
		got += m.out[0].len;
	}
	assert_int_equal(got, 67);
	mock_close(&m);
}

static void ci8_is_rounded_and_limited(void **state)
{
	static const struct aloe_ci16 items[4] = {
	    {127, -128}, {128, -129}, {32767, -32768}, {32600, -32600}};
	static const int8_t expected[8] = {0, 0, 1, -1, 127, -128, 127, -127};
	struct mock m;
	char *data;
	size_t len;

	(void)state;
	mock_open(&m, "sigmf_sink");
	mock_set(&m, "path", in_folder("small"));
	mock_set(&m, "datatype", "ci8");
	mock_input(&m, 0, ALOE_CI16, 4);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, items, 4);
	assert_int_equal(mock_work(&m, 0), 0);
	mock_close(&m);
	assert_int_equal(file_read(in_folder("small.sigmf-data"), 100, &data, &len), 0);
	assert_int_equal(len, 8);
	assert_memory_equal(data, expected, 8);
	free(data);
}

static void a_wav_is_read_without_a_copy(void **state)
{
	struct mock m;
	char *wav;
	size_t len, at = 44;

	(void)state;
	assert_int_equal(file_read("waveforms/speech.wav", 1 << 24, &wav, &len), 0);
	source_open(&m, "waveforms/speech.sigmf-meta", "i16", "absent");
	if (mock_start(&m) < 0)
		fail_msg("%s", m.setup.error);
	for (unsigned k = 0; mock_work(&m, k) == 0; k++) {
		assert_memory_equal(m.out[0].data, wav + at, m.out[0].len * 2);
		at += m.out[0].len * 2;
	}
	assert_int_equal(at, len);
	mock_close(&m);
	free(wav);
}

/* ---- refused before the first slot ---------------------------------------------------------- */

static void bad_write(const char *meta, const char *data, size_t len)
{
	assert_int_equal(file_write(in_folder("bad.sigmf-meta"), meta, strlen(meta)), 0);
	assert_int_equal(file_write(in_folder("bad.sigmf-data"), data, len), 0);
}

static void source_refuses(const char *path, const char *type, const char *why)
{
	struct mock m;

	source_open(&m, path, type, "absent");
	assert_int_equal(mock_start(&m), -1);
	if (!strstr(m.setup.error, why))
		fail_msg("\"%s\" does not say \"%s\"", m.setup.error, why);
	mock_close(&m);
}

static void what_is_wrong_is_said(void **state)
{
#define META(type, more)                                                                           \
	"{\"global\":{\"core:datatype\":\"" type "\",\"core:version\":\"1.2.5\"" more              \
	"},\"captures\":[],\"annotations\":[]}"
	static const char data[64];
	static const struct {
		const char *meta;
		size_t len;
		const char *why;
	} cases[] = {
	    {META("cf32_le", ",\"core:num_channels\":2"), 64, "recordings of one channel"},
	    {META("cf32_be", ""), 64, "high byte first"},
	    {META("cf32", ""), 64, "no byte order"},
	    {META("cf64_le", ""), 64, "is not read"},
	    {META("ci16_le", ""), 64, "read as type = \"ci16\", and not \"cf32\""},
	    {META("cf32_le", ""), 63, "cut off"},
	    {META("cf32_le", ""), 0, "no sample"},
	    {META("cf32_le", ",\"aloe:samples\":9"), 64, "cut off"},
	    {META("cf32_le", ",\"core:dataset\":\"none.raw\""), 64, "none.raw"},
	    {META("cf32_le",
	         ",\"core:sha512\":"
	         "\"000000000000000000000000000000000000000000000000000000000000000000000000000000"
	         "00000000000000000000000000000000000000000000000000\""),
	        64, "not what was recorded"},
	    {"{", 64, "not JSON"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bad_write(cases[i].meta, data, cases[i].len);
		source_refuses(in_folder("bad"), "cf32", cases[i].why);
	}
	unlink(in_folder("bad.sigmf-data"));
	source_refuses(in_folder("bad.sigmf-meta"), "cf32", "bad");
	source_refuses(in_folder("nothing"), "cf32", "No such file");
	source_refuses(in_folder("nothing.sigmf"), "cf32", "No such file");
	source_refuses("waveforms", "cf32", "No such file");
}

static void a_sink_that_cannot_write_says_so(void **state)
{
	static const char *const paths[] = {"/nowhere/run", "run.sigmf", "/proc/run", ""};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct mock m;

		mock_open(&m, "sigmf_sink");
		mock_set(&m, "path", paths[i]);
		mock_input(&m, 0, ALOE_CF32, 10);
		assert_int_equal(mock_start(&m), -1);
		assert_true(strlen(m.setup.error) > 5);
		mock_close(&m);
	}
}

static int folder_make(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "%s/aloe-sigmf-XXXXXX",
	    getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
	static const char *const names[] = {"run.sigmf-meta", "run.sigmf-data", "small.sigmf-meta",
	    "small.sigmf-data", "bad.sigmf-meta", "bad.sigmf-data"};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(in_folder(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_datatype_there_and_back),
	    cmocka_unit_test(joined_gaps_are_none),
	    cmocka_unit_test(ci8_is_rounded_and_limited),
	    cmocka_unit_test(a_wav_is_read_without_a_copy),
	    cmocka_unit_test(what_is_wrong_is_said),
	    cmocka_unit_test(a_sink_that_cannot_write_says_so),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
