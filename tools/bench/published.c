/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/published.h"

#include <math.h>

const struct published *published_bearer(size_t row)
{
	static const struct published rows[PUBLISHED_BEARER] = {
	    {"CRC", "utran_crc", 69, 65.4, 104},
	    {"turbo coder", "utran_turbo_encoder", 126, 205.8, NAN},
	    {"rate matching", "utran_rate_match", 116.4, 403.6, NAN},
	    {"1st interleaver", "utran_interleave1", 89.4, 111.6, NAN},
	    {"segmentation", "utran_segment", 15.6, 15.2, NAN},
	    {"channel multiplexing", "utran_mux", 72.6, 78.8, NAN},
	    {"2nd interleaver", "utran_interleave2", 93.6, 313.4, NAN},
	    {"2nd de-interleaver", "utran_deinterleave2", 51.6, 160.2, NAN},
	    {"channel demultiplexing", "utran_demux", 30, 92.4, NAN},
	    {"de-segmentation", "utran_desegment", 28.2, 42.6, NAN},
	    {"1st de-interleaver", "utran_deinterleave1", 111, 171.4, NAN},
	    {"un-rate-matching", "utran_rate_dematch", 60.6, 344, NAN},
	    {"turbo decoder", "utran_turbo_decoder", 1144.2, 1187.8, PUBLISHED_DECODER_US},
	    {"CRC check", "utran_crc_check", 63.6, 67.8, NAN},
	};

	return &rows[row];
}

double published_max_us(double kmac)
{
	return kmac * 1000 / PUBLISHED_MMAC;
}
