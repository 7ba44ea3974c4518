/* SPDX-License-Identifier: BSD-3-Clause */
#include <aloe/component.h>
#include <errno.h>
#include <math.h>
#include <time.h>

#include "core/sigmf/sigmf.h"

const struct sigmf_format sigmf_formats[SIGMF_DATATYPES] = {
    [SIGMF_CF32_LE] = {"cf32_le", 8, ALOE_CF32, 8},
    [SIGMF_CI16_LE] = {"ci16_le", 4, ALOE_CI16, 4},
    [SIGMF_CI8] = {"ci8", 2, ALOE_CI16, 4},
    [SIGMF_RF32_LE] = {"rf32_le", 4, ALOE_F32, 4},
    [SIGMF_RI16_LE] = {"ri16_le", 2, ALOE_I16, 2},
    [SIGMF_RU8] = {"ru8", 1, ALOE_BYTE, 1},
};

const struct sigmf_global sigmf_no_global = {
    .sample_rate_hz = NAN,
    .num_channels = SIGMF_NONE,
    .offset = SIGMF_NONE,
    .trailing_bytes = SIGMF_NONE,
    .slot_ns = SIGMF_NONE,
    .items = SIGMF_NONE,
    .samples = SIGMF_NONE,
};

const struct sigmf_capture sigmf_no_capture = {
    .global_index = SIGMF_NONE,
    .frequency_hz = NAN,
    .header_bytes = SIGMF_NONE,
    .slot = SIGMF_NONE,
    .tick = SIGMF_NONE,
};

const struct sigmf_annotation sigmf_no_annotation = {
    .sample_count = SIGMF_NONE,
    .freq_lower_hz = NAN,
    .freq_upper_hz = NAN,
    .slot = SIGMF_NONE,
    .slots = SIGMF_NONE,
};

int sigmf_datatype_for(uint32_t item_type, enum sigmf_datatype *ret)
{
	switch (item_type) {
	case ALOE_CF32:
		return *ret = SIGMF_CF32_LE, 0;
	case ALOE_CI16:
		return *ret = SIGMF_CI16_LE, 0;
	case ALOE_F32:
		return *ret = SIGMF_RF32_LE, 0;
	case ALOE_I16:
	case ALOE_LLR16:
		return *ret = SIGMF_RI16_LE, 0;
	case ALOE_BIT:
	case ALOE_BYTE:
		return *ret = SIGMF_RU8, 0;
	default:
		return -EINVAL;
	}
}

void sigmf_datetime(uint64_t realtime_ns, char ret_text[SIGMF_DATETIME])
{
	const time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm utc;
	size_t len;

	gmtime_r(&seconds, &utc);
	len = strftime(ret_text, SIGMF_DATETIME, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(
	    ret_text + len, SIGMF_DATETIME - len, ".%09uZ", (unsigned)(realtime_ns % 1000000000));
}
