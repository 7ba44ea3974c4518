/* SPDX-License-Identifier: BSD-3-Clause
 * wav_source - speech or music from a WAV file, as 16-bit mono at the rate of the waveform.
 *
 * Every message has the same number of samples, rate_hz times the slot (or `length`); the last is
 * padded with zeros, and output `length` says how many samples are real, so that a wav_sink can cut
 * the padding off again. `tail` messages of padding alone follow, for a receiver that delivers what
 * was sent at one index at a later one. Files of 8 to 192 kHz, 8, 16, 24 or 32-bit integers, 32 or
 * 64-bit floats, mono or stereo (both channels' mean) are read with libsndfile and resampled with
 * libsamplerate (best sinc) on the I/O thread, outside the slot. A file that is 16-bit mono at
 * rate_hz already passes bit by bit. Floats that are no finite number (NaN, infinity) are read as
 * silence, and counted: one of them would spoil thousands of samples in the resampler, and a long
 * recording is not worthless for one of them. */
#include <aloe/component.h>

#include <math.h>
#include <samplerate.h>
#include <sndfile.h>
#include <stdatomic.h>

#include "components/io/io.h"
#include "components/io/wav.h"

enum { CHUNK_FRAMES = 4096 };

enum { SAMPLES, REAL_SAMPLES }; /* outputs */

struct wav_source {
	char path[IO_PATH_MAX];
	uint32_t rate_hz;
	uint32_t length;
	uint32_t tail;
	uint32_t buffer_ms;
	uint64_t samples;
	uint64_t not_finite;
	_Atomic uint64_t not_finite_read; /* by the I/O thread, which is ahead of work */
	uint32_t tail_sent;
	SNDFILE *file;
	SRC_STATE *resampler; /* NULL: the rate is right */
	SF_INFO info;
	long long frames_read;
	bool exact;    /* 16-bit mono at the right rate: no conversion */
	bool ended;    /* the file has been read to its end */
	double ratio;  /* samples out per frame in */
	float *frames; /* CHUNK_FRAMES, interleaved as in the file */
	float *mono;   /* the same as one channel; those from mono_at on are not yet used */
	long mono_at;
	long mono_len;
	float *resampled; /* one message */
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_I16, "samples, padded with zeros at the end of the file"),
    ALOE_OUT_OPTIONAL("length", ALOE_I16, "one item, the number of samples that are from the file"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct wav_source, path, NULL, ALOE_REQUIRED, "WAV file to read"),
    ALOE_PARAM_INT(
        struct wav_source, rate_hz, 24000, 8000, 192000, "Hz", 0, "sample rate of the output"),
    ALOE_PARAM_INT(struct wav_source, length, 0, 0, 1 << 20, "items", 0,
        "samples in each message; 0: rate_hz times the slot"),
    ALOE_PARAM_INT(struct wav_source, tail, 0, 0, 1000, "messages", 0,
        "messages of silence after the end of the file"),
    IO_PARAM_BUFFER_MS(struct wav_source),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct wav_source, samples, "", "samples of the file sent, without padding"),
    ALOE_VAR_U64(struct wav_source, not_finite, "",
        "samples of the file that are NaN or infinite, read as silence"),
};

/* block_length gives the samples of a message, or negative after aloe_fail. */
static int64_t block_length(const struct wav_source *source, struct aloe_setup *setup)
{
	const uint64_t product = source->rate_hz * setup->slot_ns;
	const uint64_t length = source->length ? source->length : product / 1000000000;

	if (!source->length && (product == 0 || product % 1000000000))
		return aloe_fail(setup,
		    "%u samples per second do not make a whole number of samples in a slot of "
		    "%llu ns; set length",
		    source->rate_hz, (unsigned long long)setup->slot_ns);
	if (length > 1 << 20)
		return aloe_fail(setup, "%llu samples in a slot are more than 1048576",
		    (unsigned long long)length);
	if (setup->out[REAL_SAMPLES].type && length > INT16_MAX)
		return aloe_fail(setup,
		    "the output length can state at most 32767 samples, but a message has %llu",
		    (unsigned long long)length);
	return (int64_t)length;
}

static int scan_file(const char *path, struct aloe_setup *setup, struct wav_format *ret_format)
{
	char why[160];
	uint64_t size = 0;
	const char *refused;
	FILE *file;

	if (io_check_readable(path, setup, &size) < 0)
		return -1;
	if (!size)
		return aloe_fail(setup, "%s is not a regular file", path);
	file = fopen(path, "rb");
	if (!file)
		return aloe_fail(setup, "%s: %s", path, strerror(errno));
	refused = wav_scan(file, size, ret_format, why, sizeof(why));
	fclose(file);
	return refused ? aloe_fail(setup, "%s: %s", path, refused) : 0;
}

static int open_file(struct wav_source *source, struct aloe_setup *setup)
{
	source->info = (SF_INFO){0};
	source->file = sf_open(source->path, SFM_READ, &source->info);
	if (!source->file)
		return aloe_fail(setup, "%s: %s", source->path, sf_strerror(NULL));
	return 0;
}

static int wav_source_check(void *self, struct aloe_setup *setup)
{
	struct wav_source probe = *(const struct wav_source *)self;
	struct wav_format format = {0};

	if (scan_file(probe.path, setup, &format) < 0 || open_file(&probe, setup) < 0)
		return -1;
	sf_close(probe.file);
	return block_length(&probe, setup) < 0 ? -1 : 0;
}

static int wav_source_shape(void *self, struct aloe_setup *setup)
{
	const int64_t length = block_length(self, setup);

	if (length < 0)
		return -1;
	setup->out[SAMPLES].max = (uint32_t)length;
	setup->out[REAL_SAMPLES].max = 1;
	return 0;
}

static const char *encoding_name(int format)
{
	switch (format & SF_FORMAT_SUBMASK) {
	case SF_FORMAT_PCM_U8:
		return "8-bit";
	case SF_FORMAT_PCM_16:
		return "16-bit";
	case SF_FORMAT_PCM_24:
		return "24-bit";
	case SF_FORMAT_PCM_32:
		return "32-bit";
	default:
		return "float";
	}
}

static int init_conversion(struct wav_source *source, struct aloe_setup *setup)
{
	int error = 0;

	source->frames = aloe_alloc(setup, CHUNK_FRAMES * 2 * sizeof(float));
	source->mono = aloe_alloc(setup, CHUNK_FRAMES * sizeof(float));
	source->resampled = aloe_alloc(setup, setup->out[SAMPLES].max * sizeof(float));
	if (!source->frames || !source->mono || !source->resampled)
		return aloe_fail(setup, "no memory for the conversion of the samples");
	if ((uint32_t)source->info.samplerate != source->rate_hz) {
		source->resampler = src_new(SRC_SINC_BEST_QUALITY, 1, &error);
		if (!source->resampler)
			return aloe_fail(
			    setup, "the resampler cannot be made: %s", src_strerror(error));
	}
	aloe_note(setup, "%s: converted %d Hz %s %s to %u Hz 16-bit mono", source->path,
	    source->info.samplerate, encoding_name(source->info.format),
	    source->info.channels == 2 ? "stereo" : "mono", source->rate_hz);
	return 0;
}

static int wav_source_init(void *self, struct aloe_setup *setup)
{
	struct wav_source *source = self;

	if (open_file(source, setup) < 0)
		return -1;
	source->ratio = (double)source->rate_hz / source->info.samplerate;
	source->exact = (source->info.format & SF_FORMAT_SUBMASK) == SF_FORMAT_PCM_16 &&
	    source->info.channels == 1 && (uint32_t)source->info.samplerate == source->rate_hz;
	return source->exact ? 0 : init_conversion(source, setup);
}

/* check_read counts the `got` frames just read of `want`: a file may be cut while it is read, or
 * the disk fail. */
static int check_read(
    struct wav_source *source, sf_count_t got, sf_count_t want, struct aloe_setup *setup)
{
	const long long frame = source->frames_read + got, frames = source->info.frames;

	source->frames_read = frame;
	if (sf_error(source->file))
		return aloe_fail(setup, "%s cannot be read at frame %lld: %s", source->path, frame,
		    sf_strerror(source->file));
	if (got < want && frame < frames)
		return aloe_fail(
		    setup, "%s ends at frame %lld of %lld", source->path, frame, frames);
	return 0;
}

/* to_mono makes one channel of what was read, with silence for what is no finite number. */
static void to_mono(struct wav_source *source)
{
	const int channels = source->info.channels;
	uint64_t n = 0;

	for (long i = 0; i < source->mono_len; i++) {
		const float *frame = source->frames + i * channels;
		const float x = channels == 2 ? 0.5f * (frame[0] + frame[1]) : frame[0];

		source->mono[i] = isfinite(x) ? x : 0;
		n += !isfinite(x);
	}
	atomic_fetch_add_explicit(&source->not_finite_read, n, memory_order_relaxed);
}

/* refill_mono reads the next frames once all have been used. */
static int refill_mono(struct wav_source *source, struct aloe_setup *setup)
{
	if (source->mono_at < source->mono_len || source->ended)
		return 0;
	source->mono_at = 0;
	source->mono_len = (long)sf_readf_float(source->file, source->frames, CHUNK_FRAMES);
	if (check_read(source, source->mono_len, CHUNK_FRAMES, setup) < 0)
		return -1;
	source->ended = source->mono_len < CHUNK_FRAMES;
	to_mono(source);
	return 0;
}

/* mono_resample makes up to `max` samples of what is in mono; the number made, or negative after
 * aloe_fail. */
static long mono_resample(struct wav_source *source, float *out, long max, struct aloe_setup *setup)
{
	SRC_DATA data = {
	    .data_in = source->mono + source->mono_at,
	    .data_out = out,
	    .input_frames = source->mono_len - source->mono_at,
	    .output_frames = max,
	    .end_of_input = source->ended,
	    .src_ratio = source->ratio,
	};
	int error;

	if (!source->resampler) {
		data.output_frames_gen = data.input_frames < max ? data.input_frames : max;
		memcpy(out, data.data_in, (size_t)data.output_frames_gen * sizeof(float));
		source->mono_at += data.output_frames_gen;
		return data.output_frames_gen;
	}
	error = src_process(source->resampler, &data);
	if (error)
		return aloe_fail(
		    setup, "%s cannot be resampled: %s", source->path, src_strerror(error));
	source->mono_at += data.input_frames_used;
	return data.output_frames_gen;
}

static int16_t sample_round(float x)
{
	const float scaled = x * 32768.0f;

	if (scaled <= -32768.0f)
		return INT16_MIN;
	return scaled < 32767.0f ? (int16_t)lrintf(scaled) : INT16_MAX;
}

/* message_convert makes a message; the number of samples, fewer than `max` only at the end, or
 * negative after aloe_fail. */
static long message_convert(
    struct wav_source *source, int16_t *out, long max, struct aloe_setup *setup)
{
	long done = 0;

	while (done < max) {
		long made;
		if (refill_mono(source, setup) < 0)
			return -1;
		made = mono_resample(source, source->resampled + done, max - done, setup);
		if (made < 0)
			return -1;
		if (made == 0 && source->ended && source->mono_at == source->mono_len)
			break;
		done += made;
	}
	for (long i = 0; i < done; i++)
		out[i] = sample_round(source->resampled[i]);
	return done;
}

static int wav_source_fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	struct wav_source *source = self;
	long n;

	if (source->exact) {
		n = (long)sf_readf_short(source->file, record->data, record->max);
		if (check_read(source, n, record->max, setup) < 0)
			return -1;
	} else {
		n = message_convert(source, record->data, record->max, setup);
		if (n < 0)
			return -1;
	}
	if (n == 0 && source->tail_sent++ == source->tail)
		return ALOE_FILL_END;
	record->len = (uint32_t)n;
	record->state = ALOE_VALID;
	return 0;
}

static int wav_source_work(void *self, struct aloe_slot *slot)
{
	struct wav_source *source = self;
	const struct aloe_record *record = slot->record;
	const uint32_t max = aloe_out_max(slot, SAMPLES);
	int16_t *out = aloe_out_i16(slot, SAMPLES);

	if (!record || record->state != ALOE_VALID)
		return 0;
	source->not_finite = atomic_load_explicit(&source->not_finite_read, memory_order_relaxed);
	memcpy(out, record->data, record->len * sizeof(*out));
	memset(out + record->len, 0, (max - record->len) * sizeof(*out));
	aloe_put(slot, SAMPLES, max);
	if (aloe_out_max(slot, REAL_SAMPLES)) {
		*aloe_out_i16(slot, REAL_SAMPLES) = (int16_t)record->len;
		aloe_put(slot, REAL_SAMPLES, 1);
	}
	source->samples += record->len;
	return 0;
}

static int wav_source_close(void *self, struct aloe_setup *setup)
{
	struct wav_source *source = self;
	const uint64_t n = atomic_load_explicit(&source->not_finite_read, memory_order_relaxed);

	if (n > 0)
		aloe_note(setup,
		    "%s: samples that are NaN or infinite were read as silence (%llu in all)",
		    source->path, (unsigned long long)n);
	if (source->resampler)
		src_delete(source->resampler);
	if (source->file)
		sf_close(source->file);
	source->resampler = NULL;
	source->file = NULL;
	return 0;
}

ALOE_COMPONENT(wav_source) = {
    .summary = "16-bit mono samples from a WAV file of any common kind",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct wav_source),
    .check = wav_source_check,
    .shape = wav_source_shape,
    .init = wav_source_init,
    .work = wav_source_work,
    .close = wav_source_close,
    .fill = wav_source_fill,
};
