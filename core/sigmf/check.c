/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "core/sigmf/sigmf.h"

/* Bytes of the data file that are no samples. */
static uint64_t headers_sum(const struct sigmf_meta *meta)
{
	const struct sigmf_capture *last =
	    meta->n_captures > 0 ? &meta->captures[meta->n_captures - 1] : NULL;

	if (!last)
		return 0;
	return last->at -
	    (last->sample_start - meta->global.offset) * sigmf_formats[meta->global.datatype].bytes;
}

/* samples_count: the samples that a data file of `data_bytes` has. */
static int samples_count(const struct sigmf_meta *meta, const char *file, uint64_t data_bytes,
    struct diag *diag, uint64_t *ret)
{
	const struct sigmf_global *global = &meta->global;
	const struct sigmf_format *format = &sigmf_formats[global->datatype];
	const uint64_t trailing = global->trailing_bytes == SIGMF_NONE ? 0 : global->trailing_bytes;
	const uint64_t besides = headers_sum(meta) + trailing;

	if (data_bytes <= besides)
		return diag_error(diag, file, 0,
		    "the data file has no sample; its length is %llu, headers included (%llu)",
		    (unsigned long long)data_bytes, (unsigned long long)besides);
	if ((data_bytes - besides) % format->bytes)
		return diag_error(diag, file, 0,
		    "the data file is cut off; its length without headers, %llu, is not a whole "
		    "number of %s samples, each of which takes %u",
		    (unsigned long long)(data_bytes - besides), format->name, format->bytes);
	*ret = (data_bytes - besides) / format->bytes;
	if (global->samples != SIGMF_NONE && global->samples != *ret)
		return diag_error(diag, file, 0,
		    "samples in the data file: %llu, and the recording states %llu%s",
		    (unsigned long long)*ret, (unsigned long long)global->samples,
		    *ret < global->samples ? "; the file is cut off" : "");
	return 0;
}

/* The data file must have what is said about its samples. */
static int ends_check(
    const struct sigmf_meta *meta, const char *file, uint64_t samples, struct diag *diag)
{
	const uint64_t end = meta->global.offset + samples;
	int rc = 0;

	for (size_t i = 0; i < meta->n_captures && rc == 0; i++)
		if (meta->captures[i].sample_start > end)
			rc = diag_error(diag, file, 0,
			    "captures[%zu] begins at sample %llu, and the data file ends before "
			    "sample %llu; the file is cut off",
			    i, (unsigned long long)meta->captures[i].sample_start,
			    (unsigned long long)end);
	for (size_t i = 0; i < meta->n_annotations && rc == 0; i++) {
		const struct sigmf_annotation *a = &meta->annotations[i];
		const uint64_t count = a->sample_count == SIGMF_NONE ? 0 : a->sample_count;
		const unsigned long long after = a->sample_start + count;
		if (a->sample_start > end || count > end - a->sample_start)
			rc = diag_error(diag, file, 0,
			    "annotations[%zu] goes on to sample %llu, and the data file ends "
			    "before sample %llu; the file is cut off",
			    i, after, (unsigned long long)end);
	}
	return rc;
}

int sigmf_check(const struct sigmf_meta *meta, const char *file, uint64_t data_bytes,
    struct diag *diag, uint64_t *ret_samples)
{
	uint64_t samples = 0;
	int rc = 0;

	if (meta->global.metadata_only)
		return diag_error(diag, file, 0,
		    "core:metadata_only: the recording has no samples, only remarks");
	if (meta->global.num_channels != 1)
		rc = diag_error(diag, file, 0,
		    "core:num_channels: found %llu; recordings of one channel are read (make one "
		    "recording of each channel)",
		    (unsigned long long)meta->global.num_channels);
	if (samples_count(meta, file, data_bytes, diag, &samples) < 0 || rc < 0)
		return -EINVAL;
	rc = ends_check(meta, file, samples, diag);
	if (rc == 0)
		*ret_samples = samples;
	return rc;
}
