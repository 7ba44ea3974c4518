/* SPDX-License-Identifier: BSD-3-Clause
 * The user's own recording through the UTRAN bearer: every usual kind of WAV arrives as 24 kHz
 * 16-bit mono, said in one line; what cannot be carried is refused with exit 2 and the reason in
 * one line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum {
	PCM = 1,
	FLOAT = 3,
	EXTENSIBLE = 0xfffe,
	FRAMES = 5000,
	BYTES_MAX = 1 << 20,
	HEADER = 44,
	RATE = 24000
};

/* ---- WAV files, written by hand ---- */

struct kind {
	unsigned tag, bits, channels, rate;
	bool extensible, chunks; /* a wide format chunk; chunks of others around it */
};

struct file {
	uint8_t *bytes;
	size_t len;
};

static void put(struct file *file, uint64_t value, int bytes)
{
	assert_true(file->len + 8 < BYTES_MAX);
	for (int i = 0; i < bytes; i++)
		file->bytes[file->len++] = (uint8_t)(value >> 8 * i);
}

static void put_text(struct file *file, const char *text)
{
	while (*text)
		put(file, (uint8_t)*text++, 1);
}

static void put_other_chunk(struct file *file)
{
	put_text(file, "note");
	put(file, 5, 4); /* odd: a byte of padding follows */
	put_text(file, "hello");
	put(file, 0, 1);
}

static void put_format(struct file *file, const struct kind *kind)
{
	const unsigned frame = kind->channels * kind->bits / 8;

	put_text(file, "fmt ");
	put(file, kind->extensible ? 40 : 16, 4);
	put(file, kind->extensible ? EXTENSIBLE : kind->tag, 2);
	put(file, kind->channels, 2);
	put(file, kind->rate, 4);
	put(file, kind->rate * frame, 4);
	put(file, frame, 2);
	put(file, kind->bits, 2);
	if (!kind->extensible)
		return;
	put(file, 22, 2);
	put(file, kind->bits, 2);
	put(file, kind->channels == 2 ? 3 : 4, 4);
	put(file, kind->tag, 2);
	for (int i = 0; i < 14; i++)
		put(file, (uint8_t) "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"[i],
		    1);
}

/* The sample is full scale at 32768. */
static void put_sample(struct file *file, const struct kind *kind, double sample)
{
	float single = (float)(sample / 32768);
	double twice = sample / 32768;
	uint64_t bits = 0;

	if (kind->tag == FLOAT && kind->bits == 32)
		memcpy(&bits, &single, sizeof(single));
	else if (kind->tag == FLOAT)
		memcpy(&bits, &twice, sizeof(twice));
	else if (kind->bits == 8)
		bits = (uint64_t)(llrint(sample / 256) + 128);
	else
		bits = (uint64_t)llrint(sample * (double)(1ll << (kind->bits - 16)));
	put(file, bits, (int)kind->bits / 8);
}

static struct file file_begin(const struct kind *kind, unsigned frames)
{
	struct file file = {malloc(BYTES_MAX), 0};
	const unsigned bytes = frames * kind->channels * kind->bits / 8;

	assert_non_null(file.bytes);
	put_text(&file, "RIFF");
	put(&file, 36 + bytes + (kind->extensible ? 24 : 0) + (kind->chunks ? 28 : 0), 4);
	put_text(&file, "WAVE");
	if (kind->chunks)
		put_other_chunk(&file);
	put_format(&file, kind);
	if (kind->chunks)
		put_other_chunk(&file);
	put_text(&file, "data");
	put(&file, bytes, 4);
	return file;
}

static void file_end(struct file *file, const char *path)
{
	file_make(path, file->bytes, file->len);
	free(file->bytes);
}

/* ---- what is carried ------------------------------------------------------------------------ */

/* Some sample that all kinds can hold, left and right that far apart. */
static int tell_sample(unsigned frame)
{
	return (int)(frame * 2654435761u >> 25) * 256 - 64 * 256;
}

static int tell_side(unsigned frame)
{
	return (int)(frame % 16) * 256;
}

static int16_t *received_take(const char *path, size_t *ret_samples)
{
	size_t len;
	uint8_t *bytes = file_take(path, &len);
	int16_t *samples = malloc(len);

	assert_non_null(samples);
	assert_true(len >= HEADER && memcmp(bytes, "RIFF", 4) == 0);
	memcpy(samples, bytes + HEADER, len - HEADER);
	free(bytes);
	*ret_samples = (len - HEADER) / 2;
	return samples;
}

static struct ran *carry(const char *options)
{
	return aloe_ok("run waveforms/utran384.conf --clock virtual --set source.path='%s' --set "
	               "sink.path='%s' %s",
	    aloe_path("mine.wav"), aloe_path("got.wav"), options);
}

static int times(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void check_exact(const struct kind *kind, const char *name)
{
	struct file file = file_begin(kind, FRAMES);
	const bool converts = kind->tag != PCM || kind->bits != 16 || kind->channels != 1;
	char line[128];
	struct ran *ran;
	int16_t *got;
	size_t samples;

	for (unsigned i = 0; i < FRAMES; i++) {
		const int side = kind->channels == 2 ? tell_side(i) : 0;
		put_sample(&file, kind, tell_sample(i) + side);
		if (kind->channels == 2)
			put_sample(&file, kind, tell_sample(i) - side);
	}
	file_end(&file, aloe_path("mine.wav"));
	ran = carry("");
	snprintf(line, sizeof(line), "converted 24000 Hz %s %s to 24000 Hz 16-bit mono", name,
	    kind->channels == 2 ? "stereo" : "mono");
	if (times(ran->out, "converted") != converts || times(ran->out, line) != converts)
		fail_msg("not once `%s` in:\n%s", line, ran->out);
	got = received_take(aloe_path("got.wav"), &samples);
	assert_int_equal(samples, FRAMES);
	for (unsigned i = 0; i < FRAMES; i++)
		if (got[i] != tell_sample(i))
			fail_msg("%s, sample %u: %d, not %d", line, i, got[i], tell_sample(i));
	free(got);
	ran_free(ran);
}

static void test_formats(void **state)
{
	static const struct {
		unsigned tag, bits;
		const char *name;
	} formats[] = {{PCM, 8, "8-bit"}, {PCM, 16, "16-bit"}, {PCM, 24, "24-bit"},
	    {PCM, 32, "32-bit"}, {FLOAT, 32, "float"}, {FLOAT, 64, "float"}};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		for (unsigned channels = 1; channels <= 2; channels++)
			check_exact(&(struct kind){formats[i].tag, formats[i].bits, channels, RATE,
			                .extensible = i > 1 && channels == 2, .chunks = i % 2},
			    formats[i].name);
}

/* A tone of 1 kHz comes out as the same tone, in place, whatever the rate. */
static void check_tone(const int16_t *samples, size_t n)
{
	const double w = 2 * M_PI * 1000 / RATE;
	const size_t from = n / 20, to = n - n / 20;
	double s = 0, c = 0, rest = 0;

	for (size_t i = from; i < to; i++) {
		s += samples[i] * sin(w * (double)i) * 2 / (double)(to - from);
		c += samples[i] * cos(w * (double)i) * 2 / (double)(to - from);
	}
	for (size_t i = from; i < to; i++)
		rest += pow(samples[i] - s * sin(w * (double)i) - c * cos(w * (double)i), 2) /
		    (double)(to - from);
	print_message("%zu samples: amplitude %.1f, phase %.4f, the rest %.1f\n", n, hypot(s, c),
	    atan2(c, s), sqrt(rest));
	assert_true(fabs(hypot(s, c) - 8000) < 40);
	assert_true(fabs(atan2(c, s)) < 0.05); /* of 0.26 in a sample */
	assert_true(sqrt(rest) < 25);          /* -50 dB */
}

static void test_rates(void **state)
{
	static const struct kind kinds[] = {{PCM, 16, 1, 8000, 0, 0}, {PCM, 24, 2, 11025, 0, 0},
	    {FLOAT, 32, 1, 16000, 0, 0}, {PCM, 16, 2, 22050, 0, 1}, {PCM, 16, 2, 44100, 0, 0},
	    {PCM, 24, 1, 48000, 1, 0}, {PCM, 32, 2, 96000, 1, 0}, {FLOAT, 32, 1, 192000, 0, 1}};

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const unsigned frames = kinds[k].rate / 4;
		struct file file = file_begin(&kinds[k], frames);
		char part[64];
		struct ran *ran;
		int16_t *got;
		size_t samples;

		for (unsigned i = 0; i < frames * kinds[k].channels; i++)
			put_sample(&file, &kinds[k],
			    8000 * sin(2 * M_PI * 1000 * (i / kinds[k].channels) / kinds[k].rate));
		file_end(&file, aloe_path("mine.wav"));
		ran = carry("");
		snprintf(part, sizeof(part), "converted %u Hz ", kinds[k].rate);
		assert_int_equal(times(ran->out, part), 1);
		got = received_take(aloe_path("got.wav"), &samples);
		assert_in_range(samples, RATE / 4 - 1, RATE / 4 + 1);
		check_tone(got, samples);
		free(got);
		ran_free(ran);
	}
}

/* One sample is the least; it comes back alone. */
static void test_shortest(void **state)
{
	struct file file = file_begin(&(struct kind){PCM, 16, 1, RATE, 0, 0}, 1);
	int16_t *got;
	size_t samples;

	(void)state;
	put(&file, 1234, 2);
	file_end(&file, aloe_path("mine.wav"));
	ran_free(carry("-q"));
	got = received_take(aloe_path("got.wav"), &samples);
	assert_int_equal(samples, 1);
	assert_int_equal(got[0], 1234);
	free(got);
}

/* ---- what is refused ------------------------------------------------------------------------ */

/* Exit 2, nothing on standard output, one line that names the file and has these words (a busy
 * machine may add that daemons are waited for); no received file is left. */
static void refused(const char *path, const char *words)
{
	struct ran *ran = aloe("run waveforms/utran384.conf --clock virtual --set source.path='%s' "
	                       "--set sink.path='%s'",
	    path, aloe_path("never.wav"));
	const char *named;

	print_message("%s", ran->err);
	assert_string_equal(ran->out, "");
	named = strstr(ran->err, "instance \"source\"");
	assert_non_null(named);
	assert_null(strstr(named + 1, "instance \"source\""));
	if (!strstr(ran->err, path) || !strstr(ran->err, words))
		fail_msg("not `%s` and `%s` in: %s", path, words, ran->err);
	assert_null(fopen(aloe_path("never.wav"), "r"));
	ran_free(ran);
}

static void refused_file(struct file *file, const char *words)
{
	file_end(file, aloe_path("mine.wav"));
	refused(aloe_path("mine.wav"), words);
}

static void refused_kind(struct kind kind, const char *words)
{
	struct file file = file_begin(&kind, 100);

	for (unsigned i = 0; i < 100 * kind.channels * kind.bits / 8; i++)
		put(&file, 0, 1);
	refused_file(&file, words);
}

static void test_refused_kinds(void **state)
{
	(void)state;
	refused_kind((struct kind){7, 8, 1, 8000, 0, 0}, "compressed (mu-law");
	refused_kind((struct kind){6, 8, 1, 8000, 0, 0}, "compressed (A-law");
	refused_kind((struct kind){2, 8, 1, 22050, 0, 0}, "compressed (MS ADPCM");
	refused_kind((struct kind){0x11, 8, 1, 22050, 0, 0}, "compressed (IMA ADPCM");
	refused_kind((struct kind){0x55, 8, 1, 44100, 0, 0}, "compressed (MP3");
	/* in the wide format */
	refused_kind((struct kind){7, 8, 1, 8000, 1, 0}, "compressed (mu-law");
	refused_kind((struct kind){PCM, 16, 3, 48000, 0, 0}, "mono or stereo is needed");
	refused_kind((struct kind){PCM, 16, 1, 7999, 0, 0}, "[8000, 192000]");
	refused_kind((struct kind){PCM, 16, 1, 192001, 0, 0}, "[8000, 192000]");
}

static void test_refused_files(void **state)
{
	const struct kind kind = {PCM, 16, 1, RATE, 0, 0};
	struct file file;

	(void)state;
	file = file_begin(&kind, 1000); /* promises 2000 bytes */
	for (int i = 0; i < 1999; i++)
		put(&file, 0, 1);
	refused_file(&file,
	    "the file is truncated; the header promises 2000 bytes of samples, but the file has "
	    "1999");
	file = file_begin(&kind, 1000);
	file.len = 30; /* inside the header */
	refused_file(&file, "truncated");
	file = file_begin(&kind, 0);
	refused_file(&file, "the file holds no samples");
	file_make(aloe_path("empty.wav"), "", 0);
	refused(aloe_path("empty.wav"), "is empty");
	refused(aloe_path("nobody.wav"), "No such file or directory");
	refused(aloe_path("run"), "is a directory");
	refused("waveforms/utran384.conf", "not a WAV file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_rates),
	    cmocka_unit_test(test_shortest),
	    cmocka_unit_test(test_refused_kinds),
	    cmocka_unit_test(test_refused_files),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
