/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aff3ct STRATEGY [iterations=2] [waves=8] <BLOCKS - the turbo decoder of AFF3CT (MIT, an installed
 * library that is given, see build.sh) on one core, again and again as many of the blocks as it
 * takes at once: `inter`, a block a lane of its vectors; `intra`, 8 lanes a block, one for each
 * state. Keys fifo, cpus: peer.h. 16-bit soft bits and metrics, max-log-MAP, no scaling.
 *
 * Standard input has 32-bit K and number of blocks, K places of the internal interleaver, then of
 * each block 3K + 12 16-bit soft bits as 25.212 orders them and K bytes, its bits. AFF3CT has an
 * order of its own for soft bits, in which its loading is vectorised: they are put into that order
 * before the clock runs. Prints {"schema": 1, "block_us": the mean time of a block, "wrong": bits
 * of the blocks that were decided wrongly, "frames": blocks at once, "bits": of a vector}. */
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include <aff3ct.hpp>

#include "tests/bench/peers/peer.h"

namespace
{

using soft = short;
using bit = int16_t;
using siso = aff3ct::module::Decoder_SISO<bit, soft>;

enum { TAIL = 12, FIRST_WAVES = 2 };

struct blocks {
	uint32_t k, n;
	std::vector<uint32_t> from;
	std::vector<std::vector<soft>> llr;
	std::vector<std::vector<uint8_t>> bits;
};

template <typename T> void take(std::vector<T> &to, size_t n)
{
	to.resize(n);
	if (fread(to.data(), sizeof(T), n, stdin) != n)
		throw std::runtime_error("standard input: blocks are cut short");
}

blocks blocks_take()
{
	std::vector<uint32_t> head;
	blocks b;

	take(head, 2);
	b.k = head[0];
	b.n = head[1];
	if (b.k < 40 || b.k > 5114 || b.n < 1 || b.n > 1024)
		throw std::runtime_error("standard input: no blocks of UTRAN");
	take(b.from, b.k);
	b.llr.resize(b.n);
	b.bits.resize(b.n);
	for (uint32_t i = 0; i < b.n; i++) {
		take(b.llr[i], 3 * size_t(b.k) + TAIL);
		take(b.bits[i], b.k);
	}
	return b;
}

/* Of the first coder systematic and parity, each with its tail; the second's tail; its parity with
 * its tail. */
void reorder(const std::vector<soft> &llr, uint32_t k, soft *out)
{
	const soft *tail = &llr[3 * size_t(k)];

	for (uint32_t i = 0; i < k; i++) {
		out[i] = llr[3 * i];
		out[k + 3 + i] = llr[3 * i + 1];
		out[2 * k + 9 + i] = llr[3 * i + 2];
	}
	for (uint32_t i = 0; i < 3; i++) {
		out[k + i] = tail[2 * i];
		out[2 * k + 3 + i] = tail[2 * i + 1];
		out[2 * k + 6 + i] = tail[6 + 2 * i];
		out[3 * k + 9 + i] = tail[6 + 2 * i + 1];
	}
}

class given final : public aff3ct::tools::Interleaver_core<uint32_t>
{
	std::vector<uint32_t> from;

      public:
	explicit given(const std::vector<uint32_t> &places)
	    : Interleaver_core<uint32_t>(int(places.size()), "given"), from(places)
	{
		this->init();
	}
	given *clone() const override
	{
		return new given(*this);
	}

      protected:
	void gen_lut(uint32_t *lut, const size_t) override
	{
		std::copy(from.begin(), from.end(), lut);
	}
};

siso *siso_new(const char *strategy, int k, const std::vector<std::vector<int>> &trellis)
{
	using namespace aff3ct::module;
	namespace tools = aff3ct::tools;
	const int lanes = mipp::nElReg<soft>();

	if (strcmp(strategy, "inter") == 0)
		return new Decoder_RSC_BCJR_inter_very_fast<bit, soft, tools::max_i<soft>>(
		    k, trellis);
	if (strcmp(strategy, "intra") != 0)
		throw std::runtime_error("the strategy is inter or intra");
	if (lanes == 16)
		return new Decoder_RSC_BCJR_inter_intra_fast_x2_AVX<bit, soft, tools::max_i<soft>>(
		    k, trellis);
	if (lanes == 8)
		return new Decoder_RSC_BCJR_intra_fast<bit, soft, tools::max_i<soft>>(k, trellis);
	throw std::runtime_error("no intra for such vectors");
}

void run(int argc, char **argv)
{
	const int iterations = int(peer_number(argc, argv, "iterations", 2)),
	          waves = int(peer_number(argc, argv, "waves", 8));
	const blocks b = blocks_take();
	const int k = int(b.k), coded = 3 * k + TAIL;
	aff3ct::module::Encoder_RSC_generic_sys<bit> encoder(k, 2 * k + TAIL / 2, true, {013, 015});
	std::unique_ptr<siso> one(siso_new(argv[1], k, encoder.get_trellis()));
	const size_t frames = one->get_n_frames_per_wave();
	given core(b.from);

	one->set_n_frames(frames);
	core.set_n_frames(frames);
	aff3ct::module::Interleaver<soft> interleaver(core);
	aff3ct::module::Decoder_turbo_fast<bit, soft> decoder(
	    k, coded, iterations, *one, *one, interleaver);
	decoder[aff3ct::module::dec::tsk::decode_siho].set_fast(true);

	mipp::vector<soft> llr(frames * size_t(coded));
	mipp::vector<bit> bits(frames * size_t(k));
	for (size_t f = 0; f < frames; f++)
		reorder(b.llr[f % b.n], b.k, &llr[f * size_t(coded)]);
	for (int i = 0; i < FIRST_WAVES; i++)
		decoder.decode_siho(llr.data(), bits.data());
	std::fill(bits.begin(), bits.end(), bit(-1));
	uint64_t began = peer_now_ns(), wrong = 0;
	for (int i = 0; i < waves; i++)
		decoder.decode_siho(llr.data(), bits.data());
	began = peer_now_ns() - began;
	for (size_t f = 0; f < frames; f++)
		for (size_t i = 0; i < b.k; i++)
			wrong += bits[f * b.k + i] != b.bits[f % b.n][i];
	printf(
	    "{\"schema\": 1, \"block_us\": %.4f, \"wrong\": %llu, \"frames\": %zu, \"bits\": %d}\n",
	    double(began) * 1e-3 / double(waves) / double(frames), (unsigned long long)wrong,
	    frames, MIPP_REGISTER_SIZE);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: aff3ct inter|intra [KEY=NUMBER ...] <BLOCKS\n");
		return 2;
	}
	peer_begin(argc, argv);
	try {
		run(argc, argv);
	} catch (const std::exception &e) {
		fprintf(stderr, "%s: %s\n", argv[0], e.what());
		return 1;
	}
	return 0;
}
