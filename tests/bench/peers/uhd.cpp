/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uhd DEVICE-ARGS [KEY=NUMBER ...] - what a device sends is sent back by UHD's streamers, packet by
 * packet, to be played a constant time after it was heard. Keys: rate (1e6), spp (256), advance_us
 * (1000), seconds (1), channel (0; 1: convolved with 512 taps on the way, two partitions of 256 by
 * plain.h), cpus, fifo (peer.h). One JSON object; delays in ns, from when `recv` has given a
 * packet to when `send` has taken it.
 *
 *         uhd --without-dpdk     says why this libuhd has no DPDK transport, or nothing and status
 *                                1 if it has */
#include <cmath>
#include <complex>
#include <stdexcept>
#include <string>
#include <vector>

#include <uhd/build_info.hpp>
#include <uhd/usrp/multi_usrp.hpp>
#include <uhd/version.hpp>

#include "tests/bench/peers/peer.h"
#include "tests/bench/peers/plain.h"

namespace
{

using sample = std::complex<int16_t>;

enum { PART = 256, PARTS = 2 };

/* 512 taps of a decaying response. */
class channel_emulator
{
	struct plain_plans plans;
	struct plain_channel channel;

      public:
	channel_emulator()
	{
		std::vector<float> response(2 * PART * PARTS);

		for (size_t i = 0; i < PART * PARTS; i++)
			response[2 * i] = 0.1f * std::exp(-0.01f * float(i));
		if (plain_plan(PART, &plans) < 0 ||
		    plain_open(&channel, &plans, PART, PARTS, response.data()) < 0)
			throw std::runtime_error("no memory for the transforms");
	}
	channel_emulator(const channel_emulator &) = delete;
	~channel_emulator()
	{
		plain_close(&channel);
		plain_plan_free(&plans);
	}
	void work(sample *iq)
	{
		int16_t *words = reinterpret_cast<int16_t *>(iq);

		plain_to_floats(words, plain_place(&channel), 2 * PART);
		plain_from_floats(plain_work(&channel), words, 2 * PART);
	}
};

struct counts {
	uint64_t packets = 0, samples = 0, overflows = 0, lost = 0, not_taken = 0, late = 0,
	         underruns = 0, sequence = 0;
	std::vector<double> us;
	double seconds = 0;
};

void count_events(uhd::tx_streamer &tx, counts &n, double timeout)
{
	uhd::async_metadata_t event;

	while (tx.recv_async_msg(event, timeout)) {
		n.late += event.event_code == uhd::async_metadata_t::EVENT_CODE_TIME_ERROR;
		n.underruns += event.event_code == uhd::async_metadata_t::EVENT_CODE_UNDERFLOW ||
		    event.event_code == uhd::async_metadata_t::EVENT_CODE_UNDERFLOW_IN_PACKET;
		n.sequence += event.event_code == uhd::async_metadata_t::EVENT_CODE_SEQ_ERROR;
	}
}

void pass(uhd::rx_streamer &rx, uhd::tx_streamer &tx, size_t spp, double advance_s, double seconds,
    bool emulate, counts &n)
{
	std::vector<sample> iq(spp);
	channel_emulator emulator;
	const uint64_t begin = peer_now_ns(), end = begin + uint64_t(seconds * 1e9);
	uint64_t now = begin;
	uhd::rx_metadata_t in;
	uhd::tx_metadata_t out;

	n.us.reserve(size_t(4e5 * seconds));
	out.has_time_spec = true;
	rx.issue_stream_cmd(uhd::stream_cmd_t(uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS));
	while (now < end) {
		const size_t got = rx.recv(iq.data(), spp, in, 0.1, true);
		const uint64_t had = peer_now_ns();

		n.overflows += in.error_code == uhd::rx_metadata_t::ERROR_CODE_OVERFLOW;
		n.lost +=
		    in.error_code == uhd::rx_metadata_t::ERROR_CODE_OVERFLOW && in.out_of_sequence;
		now = had;
		if (got == 0)
			continue;
		if (emulate && got == PART)
			emulator.work(iq.data());
		out.time_spec = in.time_spec + uhd::time_spec_t(advance_s);
		n.not_taken += tx.send(iq.data(), got, out, 0) != got;
		now = peer_now_ns();
		n.us.push_back(double(now - had) * 1e-3);
		n.packets++;
		n.samples += got;
	}
	n.seconds = double(now - begin) * 1e-9;
	rx.issue_stream_cmd(uhd::stream_cmd_t(uhd::stream_cmd_t::STREAM_MODE_STOP_CONTINUOUS));
	out.has_time_spec = false;
	out.end_of_burst = true;
	tx.send("", 0, out);
	while (rx.recv(iq.data(), spp, in, 0.05, true) > 0)
		;
	count_events(tx, n, 0.1);
}

void print(const counts &n, size_t spp, std::vector<double> us)
{
	printf("{\"schema\": 1, \"seconds\": %.6f, \"samples_per_packet\": %zu, \"packets\": %llu, "
	       "\"samples\": %llu, \"lost\": %llu, \"overflows\": %llu, \"not_taken\": %llu, "
	       "\"late\": %llu, \"underruns\": %llu, \"sequence_errors\": %llu, ",
	    n.seconds, spp, (unsigned long long)n.packets, (unsigned long long)n.samples,
	    (unsigned long long)n.lost, (unsigned long long)n.overflows,
	    (unsigned long long)n.not_taken, (unsigned long long)n.late,
	    (unsigned long long)n.underruns, (unsigned long long)n.sequence);
	printf("\"version\": \"%s\", \"delay_ns\": {\"count\": %zu, \"p50\": %.0f, \"p90\": %.0f, "
	       "\"p99\": %.0f, \"p99_9\": %.0f, \"p99_99\": %.0f, \"max\": %.0f, \"cells\": [",
	    uhd::get_version_string().c_str(), us.size(),
	    1e3 * peer_quantile(us.data(), us.size(), 0.5),
	    1e3 * peer_quantile(us.data(), us.size(), 0.9),
	    1e3 * peer_quantile(us.data(), us.size(), 0.99),
	    1e3 * peer_quantile(us.data(), us.size(), 0.999),
	    1e3 * peer_quantile(us.data(), us.size(), 0.9999),
	    1e3 * peer_quantile(us.data(), us.size(), 1));
	const char *comma = "";              /* octaves, in eighths */
	for (size_t i = 0; i < us.size();) { /* sorted by now */
		const double low = std::exp2(
		                 std::floor(8 * std::log2(std::max(us[i] * 1e3, 1.0))) / 8),
		             high = low * std::exp2(1.0 / 8);
		size_t j = i;

		while (j < us.size() && std::max(us[j] * 1e3, 1.0) < high)
			j++;
		j += j == i;
		printf("%s[%.0f, %.0f, %zu]", comma, low, high, j - i);
		comma = ", ";
		i = j;
	}
	printf("]}}\n");
}

void run(int argc, char **argv)
{
	const double rate = peer_number(argc, argv, "rate", 1e6);
	const size_t spp = size_t(peer_number(argc, argv, "spp", 256));
	const auto usrp = uhd::usrp::multi_usrp::make(std::string(argv[1]));
	uhd::stream_args_t args("sc16", "sc16");
	counts n;

	usrp->set_rx_rate(rate);
	usrp->set_tx_rate(rate);
	args.args["spp"] = std::to_string(spp);
	args.args["recv_frame_size"] = args.args["send_frame_size"] = std::to_string(16 + 4 * spp);
	const auto tx = usrp->get_tx_stream(args);
	const auto rx = usrp->get_rx_stream(args);

	peer_begin(argc, argv);
	pass(*rx, *tx, spp, peer_number(argc, argv, "advance_us", 1000) * 1e-6,
	    peer_number(argc, argv, "seconds", 1), peer_number(argc, argv, "channel", 0) > 0, n);
	print(n, spp, n.us);
}

/* 0: it has none, and the reason is printed. */
int without_dpdk()
{
	const std::string components = uhd::build_info::enabled_components();

	if (components.find("DPDK") != std::string::npos)
		return 1;
	printf("libuhd %s was built without DPDK (its components: %s)\n",
	    uhd::get_version_string().c_str(), components.c_str());
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: uhd DEVICE-ARGS [KEY=NUMBER ...] | --without-dpdk\n");
		return 2;
	}
	if (std::string(argv[1]) == "--without-dpdk")
		return without_dpdk();
	setenv("UHD_LOG_CONSOLE_LEVEL", "error", 0);
	setenv("UHD_LOG_FASTPATH_DISABLE", "1", 0);
	try {
		run(argc, argv);
	} catch (const std::exception &e) {
		fprintf(stderr, "uhd: %s\n", e.what());
		return 1;
	}
	return 0;
}
