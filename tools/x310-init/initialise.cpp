/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310-init/initialise.h"

#include <uhd/exception.hpp>
#include <uhd/rfnoc/ddc_block_control.hpp>
#include <uhd/rfnoc/duc_block_control.hpp>
#include <uhd/rfnoc/mb_controller.hpp>
#include <uhd/rfnoc/radio_control.hpp>
#include <uhd/rfnoc_graph.hpp>
#include <uhd/utils/graph_utils.hpp>
#include <uhd/version.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace uhd::rfnoc;

namespace
{

struct graph_holder {
	rfnoc_graph::sptr graph;
};

/* A block between radio and endpoint, and the endpoint. */
struct init_chain {
	block_id_t block;
	size_t port = 0;
	int endpoint = -1;
};

template <size_t n> void put(char (&to)[n], const std::string &text)
{
	std::snprintf(to, n, "%s", text.c_str());
}

std::vector<std::string> words(const char *text)
{
	std::vector<std::string> found;
	std::string word;

	for (const char *at = text;; at++) {
		if (*at != ' ' && *at != 0) {
			word += *at;
			continue;
		}
		if (!word.empty())
			found.push_back(word);
		word.clear();
		if (*at == 0)
			return found;
	}
}

init_chain chain_of(
    const rfnoc_graph::sptr &graph, const block_id_t &radio, size_t channel, bool receives)
{
	init_chain found;

	for (const auto &edge : get_block_chain(graph, radio, channel, receives)) {
		block_id_t next(receives ? edge.dst_blockid : edge.src_blockid);
		const size_t port = receives ? edge.dst_port : edge.src_port;

		if (next.match("DDC") || next.match("DUC")) {
			found.block = next;
			found.port = port;
		} else if (next.match(NODE_ID_SEP)) {
			found.endpoint = static_cast<int>(next.get_block_count());
		}
	}
	return found;
}

/* "B:0" is channel "0" of the daughterboard in slot B. */
void find_channel(
    const rfnoc_graph::sptr &graph, const std::string &subdev, initialise_channel &channel)
{
	const std::string radios = std::to_string(channel.board) + "/Radio";
	const size_t colon = subdev.find(':');
	const std::string slot = subdev.substr(0, colon),
	                  frontend = colon == std::string::npos ? "" : subdev.substr(colon + 1);
	std::string there;

	for (const auto &id : graph->find_blocks(radios)) {
		const auto radio = graph->get_block<radio_control>(id);

		for (size_t i = 0; i < radio->get_num_output_ports(); i++) {
			const std::string name =
			    radio->get_dboard_fe_from_chan(i, uhd::RX_DIRECTION);

			there += " " + radio->get_slot_name() + ":" + name;
			if (radio->get_slot_name() != slot ||
			    (!frontend.empty() && name != frontend))
				continue;
			channel.radio = static_cast<unsigned>(id.get_block_count());
			channel.channel = static_cast<unsigned>(i);
			put(channel.name, slot + ":" + name);
			return;
		}
	}
	throw std::runtime_error("there is no channel \"" + subdev + "\"; there are:" + there);
}

/* What is set must be one of those that there are, or UHD only warns. */
void check(const std::string &what, const char *wanted, const std::vector<std::string> &there)
{
	std::string all;

	for (const auto &name : there) {
		if (name == wanted)
			return;
		all += " " + name;
	}
	throw std::runtime_error(what + " \"" + wanted + "\" is none of:" + all);
}

void analog_set(
    radio_control &radio, const initialise_options &options, initialise_channel &channel)
{
	const size_t at = channel.channel;

	if (options.rx_antenna) {
		check("receive antenna", options.rx_antenna, radio.get_rx_antennas(at));
		radio.set_rx_antenna(options.rx_antenna, at);
	}
	if (options.tx_antenna) {
		check("transmit antenna", options.tx_antenna, radio.get_tx_antennas(at));
		radio.set_tx_antenna(options.tx_antenna, at);
	}
	if (!std::isnan(options.rx_hz))
		radio.set_rx_frequency(options.rx_hz, at);
	if (!std::isnan(options.tx_hz))
		radio.set_tx_frequency(options.tx_hz, at);
	if (!std::isnan(options.rx_gain_db))
		radio.set_rx_gain(options.rx_gain_db, at);
	if (!std::isnan(options.tx_gain_db))
		radio.set_tx_gain(options.tx_gain_db, at);
	channel.rx_bandwidth_hz = channel.tx_bandwidth_hz = NAN;
	if (!std::isnan(options.bandwidth_hz)) {
		radio.set_rx_bandwidth(options.bandwidth_hz, at);
		radio.set_tx_bandwidth(options.bandwidth_hz, at);
		channel.rx_bandwidth_hz = radio.get_rx_bandwidth(at);
		channel.tx_bandwidth_hz = radio.get_tx_bandwidth(at);
	}
	channel.rx_hz = radio.get_rx_frequency(at);
	channel.tx_hz = radio.get_tx_frequency(at);
	channel.rx_gain_db = radio.get_rx_gain(at);
	channel.tx_gain_db = radio.get_tx_gain(at);
	put(channel.rx_antenna, radio.get_rx_antenna(at));
	put(channel.tx_antenna, radio.get_tx_antenna(at));
}

/* Rates of both directions are whole ticks a sample, or the streams would drift apart. */
void set_rates(const rfnoc_graph::sptr &graph, const init_chain &rx, const init_chain &tx,
    double rate_hz, initialised &ret, initialise_channel &channel)
{
	const auto ddc = graph->get_block<ddc_block_control>(rx.block);
	const double got = ddc->set_output_rate(rate_hz, rx.port), ticks = ret.tick_rate_hz / got;

	if (std::fabs(got - rate_hz) > 1e-6 * rate_hz ||
	    std::fabs(ticks - std::round(ticks)) > 1e-6)
		throw std::runtime_error("a rate of " + std::to_string(rate_hz * 1e-6) +
		    " MSa/s is not offered; the nearest is " + std::to_string(got * 1e-6) +
		    " (clock " + std::to_string(ret.tick_rate_hz * 1e-6) +
		    " MHz, divided by a whole number)");
	if (tx.endpoint >= 0)
		graph->get_block<duc_block_control>(tx.block)->set_input_rate(got, tx.port);
	ret.rate_hz = got;
	channel.ticks_per_sample = static_cast<uint32_t>(std::lround(ticks));
}

void initialise_one(const rfnoc_graph::sptr &graph, const initialise_options &options,
    unsigned board, const std::string &subdev, initialised &ret)
{
	initialise_channel &channel = ret.channels[ret.n_channels];

	channel.board = board;
	find_channel(graph, subdev, channel);
	const block_id_t id(std::to_string(board) + "/Radio#" + std::to_string(channel.radio));
	const auto radio = graph->get_block<radio_control>(id);
	const init_chain rx = chain_of(graph, id, channel.channel, true),
	                 tx = chain_of(graph, id, channel.channel, false);

	if (rx.endpoint < 0)
		throw std::runtime_error("channel " + subdev + " reaches no stream endpoint");
	graph->connect(id, channel.channel, rx.block, rx.port);
	if (tx.endpoint >= 0)
		graph->connect(tx.block, tx.port, id, channel.channel);
	graph->commit();
	ret.tick_rate_hz = radio->get_rate();
	set_rates(graph, rx, tx, options.rate_hz, ret, channel);
	analog_set(*radio, options, channel);
	/* without a streamer nobody else says it, and packets of 8192 bytes would be sent */
	radio->set_property<int>("spp", static_cast<int>(options.samples), channel.channel);
	channel.block = radio->regs().get_port_num();
	channel.rx_endpoint = rx.endpoint;
	channel.tx_endpoint = tx.endpoint;
	ret.n_channels++;
}

/* ---- one time ------------------------------------------------------------------------ */

using timekeeper = mb_controller::timekeeper;
using std::chrono::milliseconds;

const milliseconds pulse_patience(2500), after_pulse(10);
/* clocks of their own go apart by some millionths from one pulse to the next */
const double pulse_apart_s = 100e-6;
/* without a common pulse: what is tried for, and what is taken */
const double turn_wanted_s = 50e-6, turn_apart_s = 1e-3;
enum { TIME_TRIES = 20 };

/* Until the next pulse has come; it has just been then. */
void await_pulse(timekeeper &time, const std::string &source)
{
	const auto end = std::chrono::steady_clock::now() + pulse_patience;
	const uint64_t before = time.get_ticks_last_pps();

	while (time.get_ticks_last_pps() == before) {
		if (std::chrono::steady_clock::now() > end)
			throw std::runtime_error("no pulse per second comes in (time source " +
			    source + "); check the cable, or use --time-source internal");
		std::this_thread::sleep_for(milliseconds(1));
	}
}

/* By how much the other one is ahead, in the middle between two looks at the first one. */
double ahead_of(timekeeper &first, timekeeper &other)
{
	const double before = first.get_time_now().get_real_secs(),
	             there = other.get_time_now().get_real_secs(),
	             after = first.get_time_now().get_real_secs();

	return there - (before + after) / 2;
}

std::runtime_error not_one_time(timekeeper &first, timekeeper &other)
{
	return std::runtime_error("the two devices do not take one time: the first has " +
	    std::to_string(first.get_time_now().get_real_secs()) + " s, the second " +
	    std::to_string(other.get_time_now().get_real_secs()) + " s");
}

/* Both are told to take a time at the next pulse, long before it comes; and the pulse after that
 * one has the same time on both. */
double set_at_pulse(timekeeper &first, timekeeper &other, const initialised &ret)
{
	await_pulse(first, ret.time_source);
	first.set_time_next_pps(uhd::time_spec_t(1.0));
	other.set_time_next_pps(uhd::time_spec_t(1.0));
	await_pulse(first, ret.time_source);
	await_pulse(first, ret.time_source);
	std::this_thread::sleep_for(after_pulse);

	const double is = std::fabs(
	    first.get_time_last_pps().get_real_secs() - other.get_time_last_pps().get_real_secs());

	if (is > pulse_apart_s)
		throw not_one_time(first, other);
	return is;
}

/* The second one takes what the first one has, as well as that can be done in turn. */
double set_in_turn(timekeeper &first, timekeeper &other)
{
	double late = 0, is = 0;

	first.set_time_now(uhd::time_spec_t(1.0));
	for (int i = 0; i < TIME_TRIES; i++) {
		other.set_time_now(first.get_time_now() + uhd::time_spec_t(late));
		is = ahead_of(first, other);
		if (std::fabs(is) < turn_wanted_s)
			break;
		late -= is;
	}
	if (std::fabs(is) > turn_apart_s)
		throw not_one_time(first, other);
	return std::fabs(is);
}

double set_one_time(const rfnoc_graph::sptr &graph, const initialised &ret)
{
	timekeeper &first = *graph->get_mb_controller(0)->get_timekeeper(0),
	           &other = *graph->get_mb_controller(1)->get_timekeeper(0);

	return std::string(ret.time_source) == "internal" ? set_in_turn(first, other)
	                                                  : set_at_pulse(first, other, ret);
}

/* ---- the whole ------------------------------------------------------------------------ */

/* UHD gives a management request 0.1 s; on a machine that stands still for longer the whole is
 * begun again. */
rfnoc_graph::sptr make_graph(const char *args)
{
	for (int more = 2;; more--) {
		try {
			return rfnoc_graph::make(uhd::device_addr_t(args));
		} catch (const uhd::lookup_error &) { /* there is none */
			throw;
		} catch (const uhd::exception &) {
			if (more == 0)
				throw;
		}
	}
}

void set_sources(mb_controller &board, const initialise_options &options, initialised &ret)
{
	if (options.clock_source) {
		check("clock source", options.clock_source, board.get_clock_sources());
		board.set_clock_source(options.clock_source);
	}
	if (options.time_source) {
		check("time source", options.time_source, board.get_time_sources());
		board.set_time_source(options.time_source);
	}
	put(ret.clock_source, board.get_clock_source());
	put(ret.time_source, board.get_time_source());
	put(ret.device, board.get_mboard_name());
}

} // namespace

extern "C" const char *initialise_uhd(void)
{
	static const std::string version = uhd::get_version_string();

	return version.c_str();
}

extern "C" bool initialise(
    const struct initialise_options *options, char *ret_why, struct initialised *ret)
{
	const auto subdevs = words(options->subdev ? options->subdev : "A:");

	*ret = initialised();
	try {
		auto *holder = new graph_holder;

		ret->self = holder;
		holder->graph = make_graph(options->args);
		ret->n_boards = static_cast<unsigned>(holder->graph->get_num_mboards());
		const size_t n = subdevs.size() * ret->n_boards;
		if (n == 0 || n > INITIALISE_CHANNELS)
			throw std::runtime_error(
			    "1 to 4 channels are allowed, not " + std::to_string(n));
		for (unsigned board = 0; board < ret->n_boards; board++)
			set_sources(*holder->graph->get_mb_controller(board), *options, *ret);
		for (unsigned board = 0; board < ret->n_boards; board++)
			for (const auto &subdev : subdevs)
				initialise_one(holder->graph, *options, board, subdev, *ret);
		if (ret->n_boards > 1)
			ret->apart_s = set_one_time(holder->graph, *ret);
		return true;
	} catch (const std::exception &e) {
		std::snprintf(ret_why, INITIALISE_WHY, "%s", e.what());
	}
	initialise_end(ret);
	return false;
}

extern "C" void initialise_end(struct initialised *initialised)
{
	delete static_cast<graph_holder *>(initialised->self);
	initialised->self = nullptr;
}
