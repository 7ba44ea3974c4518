/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/io: files and WAV files there and back, every format that is read, every reason for
 * refusing one, and what happens when the disk is full. The WAV files are written byte by byte. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "tests/common/wav_bytes.h"
#include "tests/mock/mock.h"

static char folder[128];

static const char *in_folder(const char *name)
{
	static _Thread_local char path[4][256];
	static _Thread_local unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* read_file gives the bytes of a file, to be freed. */
static uint8_t *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	uint8_t *bytes;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	bytes = malloc((size_t)st.st_size + 1);
	assert_int_equal(fread(bytes, 1, (size_t)st.st_size, file), st.st_size);
	fclose(file);
	*ret_size = (size_t)st.st_size;
	return bytes;
}

/* ---- WAV files to read ---- */

static const char *wav_write(const struct wav *wav, const char *name)
{
	uint8_t *bytes = malloc(256 + (size_t)wav->frames * wav->channels * 8);
	const char *path = in_folder(name);

	write_file(path, bytes, wav_encode(wav, bytes));
	free(bytes);
	return path;
}

static int source_start(struct mock *m, const char *path)
{
	mock_open(m, "wav_source");
	assert_int_equal(mock_set(m, "path", path), 0);
	mock_output(m, 1, ALOE_I16);
	return mock_start(m);
}

/* source_read gives all real samples of a started wav_source, to be freed. */
static int16_t *source_read(struct mock *m, uint32_t *ret_len)
{
	int16_t *samples = calloc(1 << 20, sizeof(*samples));
	uint32_t len = 0;

	for (uint64_t k = 0;; k++) {
		const int rc = mock_work(m, k);
		int16_t real;
		if (rc == ALOE_FILL_END)
			break;
		assert_int_equal(rc, 0);
		assert_int_equal(m->out[0].len, 240);
		real = *(int16_t *)m->out[1].data;
		assert_in_range(real, 1, 240);
		memcpy(samples + len, m->out[0].data, (size_t)real * 2);
		for (int i = real; i < 240; i++)
			assert_int_equal(((int16_t *)m->out[0].data)[i], 0);
		len += (uint32_t)real;
	}
	*ret_len = len;
	return samples;
}

/* The mean of both channels of the tone, at 24 kHz, must come out: rms error in units of full
 * scale, edges left out. */
static double error_of(const struct wav *wav, const int16_t *samples, uint32_t len)
{
	const double gain = wav->channels == 2 ? 0.75 : 1;
	double squares = 0;
	uint32_t n;

	for (n = 500; n + 500 < len; n++) {
		const double difference = samples[n] / 32768.0 - gain * tone(wav, 24000, n);
		squares += difference * difference;
	}
	return sqrt(squares / (n - 500));
}

static void check_wav(const struct wav *wav, double tolerance)
{
	const double frames = (double)wav->frames * 24000 / wav->rate_hz;
	struct mock m;
	uint32_t len = 0;
	int16_t *samples;

	if (source_start(&m, wav_write(wav, "in.wav")))
		fail_msg("%s", m.setup.error);
	samples = source_read(&m, &len);
	assert_true(fabs(len - frames) <= 2);
	assert_true(mock_var(&m, "samples") == len);
	if (error_of(wav, samples, len) > tolerance)
		fail_msg("%u Hz %u bit %u channels: error %g", wav->rate_hz, wav->bits,
		    wav->channels, error_of(wav, samples, len));
	free(samples);
	mock_close(&m);
}

static void wav_source_reads_every_sample_format(void **state)
{
	static const struct {
		uint16_t tag, bits;
		double step; /* of quantisation, in units of full scale */
	} formats[] = {{1, 8, 0x1p-7}, {1, 16, 0x1p-15}, {1, 24, 0x1p-15}, {1, 32, 0x1p-15},
	    {3, 32, 0x1p-15}, {3, 64, 0x1p-15}};

	(void)state;
	for (unsigned f = 0; f < sizeof(formats) / sizeof(formats[0]); f++)
		for (uint16_t channels = 1; channels <= 2; channels++)
			for (int extensible = 0; extensible < 2; extensible++) {
				const struct wav wav = {formats[f].tag, channels, formats[f].bits,
				    24000, 5000, 0.7, 440, extensible};
				check_wav(&wav, formats[f].step * 0.6);
			}
}

/* Messages of silence behind the end, whose length is 0: as many as asked for, whether the file is
 * converted or not. */
static void wav_source_has_a_tail(void **state)
{
	static const uint32_t rates[] = {24000, 16000};

	(void)state;
	for (unsigned r = 0; r < 2; r++) {
		const struct wav wav = {1, 1, 16, rates[r], 1000, 0.7, 440, 0};
		const uint64_t blocks = (1000 * 24000 / rates[r] + 239) / 240;
		struct mock m;

		assert_int_equal(source_start(&m, wav_write(&wav, "in.wav")), 0);
		assert_int_equal(mock_set(&m, "tail", "3"), 0);
		for (uint64_t k = 0; k < blocks + 3; k++) {
			const int16_t *length = m.out[1].data;

			assert_int_equal(mock_work(&m, k), 0);
			assert_int_equal(m.out[0].len, 240);
			assert_true(k < blocks ? *length > 0 : *length == 0);
			for (int i = 0; k >= blocks && i < 240; i++)
				assert_int_equal(((const int16_t *)m.out[0].data)[i], 0);
		}
		assert_int_equal(mock_work(&m, blocks + 3), ALOE_FILL_END);
		assert_true(fabs(mock_var(&m, "samples") - 1000.0 * 24000 / rates[r]) <= 2);
		mock_close(&m);
	}
}

static void wav_source_resamples(void **state)
{
	static const uint32_t rates[] = {8000, 11025, 16000, 22050, 44100, 48000, 96000, 192000};

	(void)state;
	for (unsigned r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		const struct wav wav = {
		    1, 1 + (r & 1), 16, rates[r], rates[r] / 4, 0.7, 1000, false};
		check_wav(&wav, 1e-4);
	}
}

static void wav_source_says_what_it_converts(void **state)
{
	const struct wav stereo = {1, 2, 24, 48000, 4800, 0.5, 300, false};
	const struct wav same = {1, 1, 16, 24000, 2400, 0.5, 300, false};
	struct mock m;

	(void)state;
	assert_int_equal(source_start(&m, wav_write(&stereo, "in.wav")), 0);
	assert_non_null(
	    strstr(m.setup.note, "converted 48000 Hz 24-bit stereo to 24000 Hz 16-bit mono"));
	mock_close(&m);
	assert_int_equal(source_start(&m, wav_write(&same, "in.wav")), 0);
	assert_string_equal(m.setup.note, "");
	mock_close(&m);
}

static int16_t *source_of(struct mock *m, const uint8_t *bytes, size_t size, uint32_t *ret_len)
{
	write_file(in_folder("in.wav"), bytes, size);
	if (source_start(m, in_folder("in.wav")))
		fail_msg("%s", m->setup.error);
	return source_read(m, ret_len);
}

/* Floats beyond full scale are limited, NaN and infinity are silence and counted; nothing wraps
 * around. */
static void wav_source_limits_floats(void **state)
{
	const struct wav loud = {3, 1, 32, 24000, 240, 4, 1000, false};
	uint8_t bytes[2048];
	const float nan = NAN, infinity = INFINITY;
	struct mock m;
	uint32_t len = 0;
	const size_t size = wav_encode(&loud, bytes);
	int16_t *samples;

	(void)state;
	memcpy(bytes + 44 + 4 * 100, &nan, 4);
	memcpy(bytes + 44 + 4 * 120, &infinity, 4);
	samples = source_of(&m, bytes, size, &len);
	for (uint32_t n = 0; n < len; n++) {
		const double x = n == 100 || n == 120 ? 0 : tone(&loud, 24000, n);
		const double limited = x > 1 ? 1 : x < -1 ? -1 : x;
		assert_true(fabs(samples[n] - 32768 * limited) <= 1);
	}
	assert_int_equal((int)mock_var(&m, "not_finite"), 2);
	free(samples);
	mock_close(&m);
	assert_non_null(strstr(
	    m.setup.note, "samples that are NaN or infinite were read as silence (2 in all)"));
}

/* In the resampler one would spoil all that is within its reach. */
static void wav_source_resamples_around_nan(void **state)
{
	const struct wav wav = {3, 1, 32, 48000, 2400, 0.5, 1000, false};
	uint8_t bytes[16384];
	const size_t size = wav_encode(&wav, bytes);
	const float nan = NAN;
	uint32_t len = 0, silent = 0;
	int16_t *samples;
	struct mock m;

	(void)state;
	memcpy(bytes + 44 + 4 * 1200, &nan, 4);
	samples = source_of(&m, bytes, size, &len);
	for (uint32_t n = 1; n < len; n++)
		silent += samples[n] == 0 && samples[n - 1] == 0;
	assert_true(silent < 5);
	free(samples);
	mock_close(&m);
}

/* Other chunks may stand before the samples; one of an odd length is followed by a byte of
 * padding. */
static void wav_source_skips_other_chunks(void **state)
{
	const struct wav wav = {1, 1, 16, 24000, 480, 0.5, 300, false};
	uint8_t bytes[2048], longer[2048];
	const size_t size = wav_encode(&wav, bytes);
	uint8_t *at = longer;
	struct mock m;
	uint32_t len = 0;
	int16_t *samples;

	(void)state;
	put_bytes(&at, "RIFF", 4);
	put(&at, size + 12 - 8, 4);
	put_bytes(&at, "WAVE", 4);
	put_bytes(&at, "LIST", 4);
	put(&at, 3, 4);
	put_bytes(&at, "abc", 4);
	memcpy(at, bytes + 12, size - 12);
	samples = source_of(&m, longer, size + 12, &len);
	assert_int_equal(len, 480);
	assert_memory_equal(samples, bytes + 44, 960);
	free(samples);
	mock_close(&m);
}

/* ---- refusals ---- */

static void refused(const char *path, const char *why)
{
	struct mock m;

	assert_int_equal(source_start(&m, path), -1);
	if (!strstr(m.setup.error, why) || !strstr(m.setup.error, path))
		fail_msg("'%s' does not say '%s' of %s", m.setup.error, why, path);
	mock_close(&m);
}

static void refused_bytes(const uint8_t *bytes, size_t size, const char *why)
{
	const char *path = in_folder("bad.wav");

	write_file(path, bytes, size);
	refused(path, why);
}

static void wav_source_refuses_files_that_are_cut(void **state)
{
	const struct wav wav = {1, 1, 16, 24000, 1000, 0.5, 300, false};
	uint8_t bytes[4096];
	const size_t size = wav_encode(&wav, bytes);

	(void)state;
	refused_bytes(bytes, size - 1,
	    "the file is truncated; the header promises 2000 bytes of samples, but the file has "
	    "1999");
	refused_bytes(bytes, 44,
	    "the file is truncated; the header promises 2000 bytes of samples, but the file has 0");
	refused_bytes(bytes, 40, "the file is truncated and has no samples");
	refused_bytes(bytes, 30, "the file is truncated inside the header");
	refused_bytes(bytes, 14, "the file is truncated and has no format");
	refused_bytes(bytes, 11, "not a WAV file");
	refused_bytes(bytes, 0, "is empty");
}

static void wav_source_refuses_formats(void **state)
{
	static const struct {
		struct wav wav;
		const char *why;
	} bad[] = {
	    {{7, 1, 8, 24000, 100, 0.5, 300, false}, "compressed (mu-law, format 0x0007)"},
	    {{0x11, 1, 8, 24000, 100, 0.5, 300, false}, "compressed (IMA ADPCM, format 0x0011)"},
	    {{2, 1, 8, 24000, 100, 0.5, 300, true}, "compressed (MS ADPCM, format 0x0002)"},
	    {{1, 6, 16, 24000, 100, 0.5, 300, false}, "6 channels; mono or stereo"},
	    {{1, 1, 16, 7999, 100, 0.5, 300, false},
	        "7999 samples per second is outside [8000, 192000]"},
	    {{1, 1, 16, 384000, 100, 0.5, 300, false},
	        "384000 samples per second is outside [8000, 192000]"},
	    {{1, 1, 40, 24000, 100, 0.5, 300, false}, "40-bit integers"},
	    {{3, 1, 16, 24000, 100, 0.5, 300, false}, "16-bit floats"},
	    {{1, 1, 16, 24000, 0, 0.5, 300, false}, "the file holds no samples"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(wav_write(&bad[i].wav, "bad.wav"), bad[i].why);
	refused_bytes((const uint8_t *)"this is no recording at all, only a line of text", 48,
	    "not a WAV file");
	refused(in_folder("nowhere.wav"), "No such file or directory");
	refused(folder, "is a directory");
	refused("/dev/zero", "is not a regular file");
}

/* Any 200 bytes behind a RIFF header: a reason or a reading, never a crash. The seed is fixed. */
static void wav_source_survives_random_headers(void **state)
{
	const struct wav wav = {1, 2, 16, 44100, 30, 0.5, 300, true};
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint8_t bytes[512];
		const size_t size = wav_encode(&wav, bytes);
		struct mock m;
		for (int hits = 0; hits < 1 + round % 4; hits++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			bytes[8 + (random >> 33) % 72] = (uint8_t)(random >> 56);
		}
		write_file(in_folder("bad.wav"), bytes, size);
		if (source_start(&m, in_folder("bad.wav")) < 0)
			assert_true(m.setup.error[0] != 0);
		else
			for (uint64_t k = 0; k < 10 && mock_work(&m, k) == 0; k++)
				;
		mock_close(&m);
	}
}

/* Cut while it is read, with conversion and without: an error that says where, not a short
 * recording. */
static void wav_source_sees_a_file_shrink(void **state)
{
	static const uint32_t rates[] = {24000, 48000};

	(void)state;
	for (int r = 0; r < 2; r++) {
		const struct wav wav = {1, 1, 16, rates[r], 48000, 0.5, 300, false};
		struct mock m;
		uint64_t k = 0;
		int rc;

		assert_int_equal(source_start(&m, wav_write(&wav, "in.wav")), 0);
		assert_int_equal(truncate(in_folder("in.wav"), 44 + 2 * 20000), 0);
		while ((rc = mock_work(&m, k)) == 0)
			k++;
		assert_int_equal(rc, -1);
		assert_non_null(strstr(m.setup.error, "in.wav ends at frame 20000 of 48000"));
		mock_close(&m);
	}
}

static void wav_source_wants_whole_slots(void **state)
{
	const struct wav wav = {1, 1, 16, 44100, 1000, 0.5, 300, false};
	struct mock m;

	(void)state;
	mock_open(&m, "wav_source");
	mock_set(&m, "path", wav_write(&wav, "in.wav"));
	mock_set(&m, "rate_hz", "44100");
	m.setup.slot_ns = 1000000;
	assert_int_equal(mock_start(&m), -1);
	assert_non_null(strstr(m.setup.error,
	    "44100 samples per second do not make a whole number of samples in a slot of 1000000 "
	    "ns"));
	mock_close(&m);
	mock_open(&m, "wav_source");
	mock_set(&m, "path", wav_write(&wav, "in.wav"));
	mock_set(&m, "rate_hz", "44100");
	mock_set(&m, "length", "100");
	m.setup.slot_ns = 1000000;
	assert_int_equal(mock_start(&m), 0);
	assert_int_equal(m.format_out[0].max, 100);
	mock_close(&m);
}

/* ---- WAV files to write ---- */

static void sink_start(struct mock *m, const char *path, bool with_length)
{
	mock_open(m, "wav_sink");
	mock_set(m, "path", path);
	mock_input(m, 0, ALOE_I16, 240);
	if (with_length)
		mock_input(m, 1, ALOE_I16, 1);
	assert_int_equal(mock_start(m), 0);
}

/* The recording through source and sink, a message later: the file is the same, header, length and
 * all. */
static void speech_there_and_back(void **state)
{
	struct mock source, sink;
	size_t sent_size, received_size;
	uint8_t *sent, *received;
	uint64_t k = 0;

	(void)state;
	assert_int_equal(source_start(&source, "waveforms/speech.wav"), 0);
	sink_start(&sink, in_folder("out.wav"), true);
	assert_int_equal(mock_work(&sink, k), 0); /* warm-up: both inputs ABSENT */
	for (; mock_work(&source, k) == 0; k++) {
		mock_give(&sink, 0, source.out[0].data, source.out[0].len);
		mock_give(&sink, 1, source.out[1].data, 1);
		assert_int_equal(mock_work(&sink, k + 1), 0);
	}
	assert_true(mock_var(&sink, "concealed_blocks") == 0);
	assert_true(mock_var(&sink, "samples") == 293349);
	assert_int_equal(mock_close(&sink), 0);
	mock_close(&source);
	sent = read_file("waveforms/speech.wav", &sent_size);
	received = read_file(in_folder("out.wav"), &received_size);
	assert_int_equal(sent_size, 44 + 2 * 293349);
	assert_int_equal(sent_size, received_size);
	assert_memory_equal(sent, received, sent_size);
	free(sent);
	free(received);
}

static void wav_sink_conceals_what_is_missing(void **state)
{
	struct mock m;
	int16_t block[240], full = 240, part = 100;
	size_t size;
	uint8_t *bytes;

	(void)state;
	for (int i = 0; i < 240; i++)
		block[i] = 1000;
	sink_start(&m, in_folder("out.wav"), true);
	mock_work(&m, 0);           /* warm-up */
	mock_give(&m, 1, &full, 1); /* sent, not received */
	mock_work(&m, 1);
	mock_give(&m, 0, block, 240);
	mock_give(&m, 1, &full, 1);
	mock_work(&m, 2);
	mock_give_state(&m, 0, ALOE_IDLE);
	mock_work(&m, 3);
	mock_give(&m, 1, &part, 1); /* the last, lost too */
	mock_work(&m, 4);
	assert_true(mock_var(&m, "blocks") == 3 && mock_var(&m, "concealed_blocks") == 2);
	assert_int_equal(mock_close(&m), 0);
	bytes = read_file(in_folder("out.wav"), &size);
	assert_int_equal(size, 44 + 2 * (240 + 240 + 100));
	for (int i = 0; i < 580; i++)
		assert_int_equal(((int16_t *)(bytes + 44))[i], i >= 240 && i < 480 ? 1000 : 0);
	free(bytes);
}

static void wav_sink_without_length(void **state)
{
	struct mock m;
	int16_t block[240] = {0};
	struct stat st;

	(void)state;
	sink_start(&m, in_folder("out.wav"), false);
	mock_work(&m, 0);
	mock_work(&m, 1);
	mock_give(&m, 0, block, 240);
	mock_work(&m, 2);
	mock_work(&m, 3);
	mock_give(&m, 0, block, 50);
	mock_work(&m, 4);
	assert_true(mock_var(&m, "concealed_blocks") == 1 && mock_var(&m, "samples") == 530);
	mock_close(&m);
	assert_int_equal(stat(in_folder("out.wav"), &st), 0);
	assert_int_equal(st.st_size, 44 + 2 * 530);
}

/* ---- plain files ---- */

static int file_source_start(struct mock *m, const char *type, const char *length, const char *loop)
{
	mock_open(m, "file_source");
	mock_set(m, "path", in_folder("data"));
	mock_set(m, "type", type);
	mock_set(m, "length", length);
	mock_set(m, "loop", loop);
	return mock_start(m);
}

static void file_there_and_back(void **state)
{
	static const char *const types[] = {"byte", "i16", "llr16", "f32", "cf32", "ci16"};
	uint8_t data[8 * 250], *back;
	size_t size;

	(void)state;
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 131);
	write_file(in_folder("data"), data, sizeof(data));
	for (int t = 0; t < 6; t++) {
		struct mock source, sink;
		uint64_t k = 0;

		assert_int_equal(file_source_start(&source, types[t], "100", "false"), 0);
		mock_open(&sink, "file_sink");
		mock_set(&sink, "path", in_folder("back"));
		mock_input(&sink, 0, source.format_out[0].type, 100);
		assert_int_equal(mock_start(&sink), 0);
		mock_work(&sink, 0);
		for (; mock_work(&source, k) == 0; k++) {
			mock_give(&sink, 0, source.out[0].data, source.out[0].len);
			assert_int_equal(mock_work(&sink, k + 1), 0);
		}
		assert_int_equal(
		    k, (sizeof(data) / aloe_item_bytes(source.format_out[0].type) + 99) / 100);
		assert_true(
		    mock_var(&sink, "messages") == (double)k && mock_var(&sink, "absent") == 1);
		mock_close(&source);
		assert_int_equal(mock_close(&sink), 0);
		back = read_file(in_folder("back"), &size);
		assert_int_equal(size, sizeof(data));
		assert_memory_equal(back, data, size);
		free(back);
	}
}

static void file_source_ends_and_loops(void **state)
{
	const uint8_t data[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, seam[4] = {8, 9, 0, 1};
	struct mock m;

	(void)state;
	write_file(in_folder("data"), data, 10);
	assert_int_equal(file_source_start(&m, "byte", "4", "false"), 0);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(mock_work(&m, 2), 0);
	assert_int_equal(m.out[0].len, 2);
	assert_int_equal(mock_work(&m, 3), ALOE_FILL_END);
	mock_close(&m);
	assert_int_equal(file_source_start(&m, "byte", "5", "false"), 0);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(mock_work(&m, 1), 0);
	assert_int_equal(m.out[0].len, 5);
	assert_int_equal(mock_work(&m, 2), ALOE_FILL_END);
	mock_close(&m);
	assert_int_equal(file_source_start(&m, "byte", "4", "true"), 0);
	for (uint64_t k = 0; k < 13; k++) {
		assert_int_equal(mock_work(&m, k), 0);
		assert_int_equal(m.out[0].len, 4);
		if (k % 5 == 2)
			assert_memory_equal(m.out[0].data, seam, 4);
	}
	mock_close(&m);
}

static void file_source_refuses(void **state)
{
	const uint8_t data[10] = {0, 1, 1, 0, 7, 0, 0, 0, 0, 0};
	struct mock m;

	(void)state;
	write_file(in_folder("data"), data, 10);
	assert_int_equal(file_source_start(&m, "cf32", "4", "false"), -1);
	assert_non_null(strstr(m.setup.error,
	    "has the length 10, which is not a whole number of cf32 items (8 bytes each)"));
	mock_close(&m);
	assert_int_equal(file_source_start(&m, "bit", "3", "false"), 0);
	assert_int_equal(mock_work(&m, 0), 0);
	assert_int_equal(mock_work(&m, 1), -1);
	assert_non_null(strstr(m.setup.error, "byte 7 at offset 4 is no bit"));
	mock_close(&m);
	write_file(in_folder("data"), data, 0);
	assert_int_equal(file_source_start(&m, "bit", "3", "false"), -1);
	assert_non_null(strstr(m.setup.error, "is empty"));
	mock_close(&m);
	unlink(in_folder("data"));
	assert_int_equal(file_source_start(&m, "bit", "3", "false"), -1);
	assert_non_null(strstr(m.setup.error, "No such file or directory"));
	mock_close(&m);
}

static void sinks_refuse_paths(void **state)
{
	static const char *const sinks[] = {"file_sink", "wav_sink"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct mock m;
		mock_open(&m, sinks[i]);
		mock_set(&m, "path", in_folder("no/such/out"));
		mock_input(&m, 0, ALOE_I16, 10);
		assert_int_equal(mock_start(&m), -1);
		assert_non_null(strstr(m.setup.error, "cannot be created in"));
		assert_non_null(strstr(m.setup.error, "No such file or directory"));
		mock_close(&m);
		mock_open(&m, sinks[i]);
		mock_set(&m, "path", folder);
		mock_input(&m, 0, ALOE_I16, 10);
		assert_int_equal(mock_start(&m), -1);
		assert_non_null(strstr(m.setup.error, "is a directory"));
		mock_close(&m);
	}
}

/* ---- a full disk ---- */

static void full_from_the_start(void **state)
{
	int16_t items[10] = {0};
	struct mock m;

	(void)state;
	mock_open(&m, "file_sink");
	mock_set(&m, "path", "/dev/full");
	mock_input(&m, 0, ALOE_I16, 10);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, items, 10);
	assert_int_equal(mock_work(&m, 0), -1);
	assert_string_equal(
	    m.setup.error, "/dev/full cannot be written at offset 0: No space left on device");
	mock_close(&m);
	mock_open(&m, "wav_sink");
	mock_set(&m, "path", "/dev/full");
	mock_input(&m, 0, ALOE_I16, 10);
	assert_int_equal(mock_start(&m), -1);
	assert_string_equal(
	    m.setup.error, "/dev/full cannot be written at offset 0: No space left on device");
	mock_close(&m);
}

/* A limit on the size of files stands for a disk that fills up: what fitted is there, and the
 * offset is told. */
static void full_in_the_middle(void **state)
{
	static const char *const sinks[] = {"file_sink", "wav_sink"};
	struct rlimit before, small;
	int16_t items[240] = {0};

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 1000;
	for (int i = 0; i < 2; i++) {
		struct mock m;
		struct stat st;
		uint64_t k = 0;

		mock_open(&m, sinks[i]);
		mock_set(&m, "path", in_folder("out"));
		mock_input(&m, 0, ALOE_I16, 240);
		assert_int_equal(mock_start(&m), 0);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		do
			mock_give(&m, 0, items, 240);
		while (mock_work(&m, k++) == 0 && k < 10);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_int_equal(k, i == 0 ? 3 : 2); /* 480 bytes each; the WAV header takes 44 */
		assert_non_null(strstr(m.setup.error, in_folder("out")));
		assert_non_null(
		    strstr(m.setup.error, "cannot be written at offset 1000: File too large"));
		mock_close(&m);
		assert_int_equal(stat(in_folder("out"), &st), 0);
		assert_int_equal(st.st_size, 1000);
	}
	signal(SIGXFSZ, SIG_DFL);
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "%.90s/aloe-io-XXXXXX",
	    getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"in.wav", "bad.wav", "out.wav", "data", "back", "out"};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(in_folder(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wav_source_reads_every_sample_format),
	    cmocka_unit_test(wav_source_has_a_tail),
	    cmocka_unit_test(wav_source_resamples),
	    cmocka_unit_test(wav_source_says_what_it_converts),
	    cmocka_unit_test(wav_source_limits_floats),
	    cmocka_unit_test(wav_source_resamples_around_nan),
	    cmocka_unit_test(wav_source_skips_other_chunks),
	    cmocka_unit_test(wav_source_refuses_files_that_are_cut),
	    cmocka_unit_test(wav_source_refuses_formats),
	    cmocka_unit_test(wav_source_survives_random_headers),
	    cmocka_unit_test(wav_source_sees_a_file_shrink),
	    cmocka_unit_test(wav_source_wants_whole_slots),
	    cmocka_unit_test(speech_there_and_back),
	    cmocka_unit_test(wav_sink_conceals_what_is_missing),
	    cmocka_unit_test(wav_sink_without_length),
	    cmocka_unit_test(file_there_and_back),
	    cmocka_unit_test(file_source_ends_and_loops),
	    cmocka_unit_test(file_source_refuses),
	    cmocka_unit_test(sinks_refuse_paths),
	    cmocka_unit_test(full_from_the_start),
	    cmocka_unit_test(full_in_the_middle),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
