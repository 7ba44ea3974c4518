/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each component once, in the surroundings that it needs: a component that is in several chains
 * counts in the first. Messages are sent at every index, so that no call is idle. */
#include "tools/bench/lengths.h"

#include <stdlib.h>
#include <string.h>

#include "tools/bench/conf.h"

const struct lengths_chain lengths_chains[] = {
    /* a transport block with a turbo code: bits, block, coded bits, matched bits */
    {"turbo", 600,
        "source random_source seed = $s; length = $0;\n"
        "crc utran_crc\n"
        "encoder utran_turbo_encoder\n"
        "match utran_rate_match output = $3;\n"
        "mod bpsk_mod\n"
        "noise awgn esn0_db = 10.0; seed = $s;\n"
        "hard bpsk_demod\n"
        "bits null_sink\n"
        "soft bpsk_soft_demod\n"
        "dematch utran_rate_dematch coded = $2;\n"
        "decoder utran_turbo_decoder block = $1;\n"
        "check utran_crc_check\n"
        "blocks null_sink\n",
        "source -> crc -> encoder -> match -> mod -> noise -> hard -> bits\n"
        "noise -> soft -> dematch -> decoder -> check -> blocks\n",
        {{1200, 1216, 3660, 2928}, {4800, 4816, 14460, 11568}, {2400, 2416, 7260, 5808}}},
    /* what only moves bits: so many that a call takes many ticks of the clock */
    {"bits", 600,
        "source random_source seed = $s; length = $0;\n"
        "equalise utran_equalise tti_ms = 20;\n"
        "dtx utran_dtx\n"
        "interleave1 utran_interleave1 tti_ms = 20;\n"
        "segment utran_segment\n"
        "mux utran_mux\n"
        "interleave2 utran_interleave2\n"
        "frame null_sink\n"
        "mod qpsk_mod\n"
        "soft qpsk_soft_demod\n"
        "deinterleave2 utran_deinterleave2\n"
        "demux utran_demux\n"
        "desegment utran_desegment\n"
        "deinterleave1 utran_deinterleave1 tti_ms = 20;\n"
        "deequalise utran_deequalise coded = $0;\n"
        "coded null_sink\n",
        "source -> equalise -> dtx -> interleave1 -> segment -> mux.in0\n"
        "mux -> interleave2 -> frame\n"
        "equalise -> mod -> soft -> deinterleave2 -> demux\n"
        "demux.out0 -> desegment -> deinterleave1 -> deequalise -> coded\n",
        {{9600}, {38400}, {19200}}},
    /* one code block of a convolutional code: bits, block, coded bits, matched bits */
    {"convolutional", 600,
        "source random_source seed = $s; length = $0;\n"
        "crc utran_crc\n"
        "encoder utran_conv_encoder\n"
        "match utran_rate_match output = $3; coding = \"convolutional\";\n"
        "mod bpsk_mod\n"
        "soft bpsk_soft_demod\n"
        "dematch utran_rate_dematch coded = $2; coding = \"convolutional\";\n"
        "decoder utran_conv_decoder block = $1;\n"
        "blocks null_sink\n",
        "source -> crc -> encoder -> match -> mod -> soft -> dematch -> decoder -> blocks\n",
        {{120, 136, 432, 378}, {480, 496, 1512, 1323}, {240, 256, 792, 693}}},
    /* chips of a part of a radio frame: bits */
    {"chips", 400,
        "source random_source seed = $s; length = $0;\n"
        "mod qpsk_mod\n"
        "spread utran_spread sf = 8;\n"
        "pilot utran_cpich\n"
        "scramble utran_scramble\n"
        "pulse rrc_interp samples_per_symbol = 2;\n"
        "samples null_sink\n"
        "descramble utran_descramble\n"
        "despread utran_despread sf = 8;\n"
        "pilots utran_despread sf = 256; code = 0;\n"
        "correct utran_phase_correct\n"
        "symbols null_sink\n",
        "source -> mod -> spread -> pilot -> scramble -> pulse -> samples\n"
        "scramble -> descramble -> despread -> correct.symbols\n"
        "descramble -> pilots -> correct.pilots\n"
        "correct -> symbols\n",
        {{1920}, {7680}, {3840}}},
    /* a radio frame of a spreading factor: data bits, slot format */
    {"frames", 400,
        "source random_source seed = $s; length = $0;\n"
        "map utran_dpch_map slot_format = $1;\n"
        "mod bpsk_mod\n"
        "soft bpsk_soft_demod\n"
        "demap utran_dpch_demap slot_format = $1;\n"
        "bits null_sink\n",
        "source -> map -> mod -> soft -> demap -> bits\n", {{4320, 14}, {18720, 16}, {9120, 15}}},
    /* a radio frame, always of 38400 chips: samples of a chip */
    {"samples", 150,
        "source random_source seed = $s; length = 300;\n"
        "mod qpsk_mod\n"
        "spread utran_spread sf = 256;\n"
        "pilot utran_cpich\n"
        "scramble utran_scramble\n"
        "pulse rrc_interp samples_per_symbol = $0; rolloff = 0.22; delay = 10;\n"
        "sync utran_sync samples_per_chip = $0;\n"
        "chips null_sink\n",
        "source -> mod -> spread -> pilot -> scramble -> pulse -> sync -> chips\n",
        {{2}, {8}, {4}}},
    /* samples of a channel: bits; their convolution is in blocks, of powers of two */
    {"channel", 600,
        "source random_source seed = $s; length = $0;\n"
        "mod bpsk_mod\n"
        "fading channel_tdl profile = \"flat\"; rate_hz = 3.84e6; seed = $s;\n"
        "noise awgn esn0_db = 10.0; seed = $s;\n"
        "coherent coherent\n"
        "delay delay items = 100;\n"
        "upols upols response = [1.0, 0.0, 0.5, 0.5];\n"
        "samples null_sink\n"
        "fader fader profile = \"pedestrian_a\"; rate_hz = 3.84e6; seed = $s; length = $0;\n"
        "responses null_sink\n"
        "fm fm_demod\n"
        "deemphasis deemphasis\n"
        "audio null_sink\n",
        "source -> mod -> fading.out -> noise -> coherent.in\n"
        "fading.taps -> coherent.taps\n"
        "coherent -> delay -> upols.in0\n"
        "upols.out0 -> samples\n"
        "fader -> responses\n"
        "noise -> fm -> deemphasis -> audio\n",
        {{512}, {2048}, {1024}}},
};
const size_t lengths_n_chains = sizeof(lengths_chains) / sizeof(lengths_chains[0]);

/* Parameters up to the end of the line. Returns where the next line begins. */
static const char *params_write(
    FILE *out, const char *at, const struct lengths_chain *chain, int length)
{
	for (; *at != '\n'; at++) {
		if (*at != '$')
			fputc(*at, out);
		else if (*++at == 's')
			fprintf(out, "%d", length + 1);
		else
			fprintf(out, "%u", chain->numbers[length][*at - '0']);
	}
	return at + 1;
}

static void instances_write(FILE *out, const struct lengths_chain *chain, int length)
{
	for (const char *at = chain->instances; *at;) {
		const size_t name = strcspn(at, " "), type = strcspn(at + name + 1, " \n");

		fprintf(out, "\t%.*s_%c: { component = \"%.*s\";", (int)name, at,
		    lengths_letter(length), (int)type, at + name + 1);
		at = params_write(out, at + name + 1 + type, chain, length);
		fputs(" };\n", out);
	}
}

static void links_write(FILE *out, const struct lengths_chain *chain, int length)
{
	for (const char *at = chain->links; *at;) {
		const size_t word = strcspn(at, " \n"), name = strcspn(at, ". \n");

		if (at == chain->links || at[-1] == '\n')
			fprintf(out, "%s\"", length || at != chain->links ? ",\n\t" : "\t");
		if (*at == '-')
			fputs(" -> ", out);
		else
			fprintf(out, "%.*s_%c%.*s", (int)name, at, lengths_letter(length),
			    (int)(word - name), at + name);
		at += word + 1;
		if (at[-1] == '\n')
			fputc('"', out);
	}
}

int lengths_write(
    const struct bench *bench, const struct lengths_chain *chain, char *ret_path, size_t size)
{
	struct conf conf;
	FILE *out = conf_begin(&conf);

	if (!out)
		return CLI_FAILED;
	fprintf(out, "name = \"lengths-%s\";\nslot_ns = 10000000;\ninstances: {\n", chain->name);
	for (int length = 0; length < LENGTHS; length++)
		instances_write(out, chain, length);
	fputs("};\nlinks = (\n", out);
	for (int length = 0; length < LENGTHS; length++)
		links_write(out, chain, length);
	fputs("\n);\n", out);
	return conf_end(&conf, bench, chain->name, ret_path, size);
}
