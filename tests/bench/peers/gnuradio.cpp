/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The topologies of `aloe bench` on GNU Radio 3.10: a block a stage, a thread a block, as its
 * scheduler has it.
 *
 *      pipes      pipes stages items    null_source -> head -> pipes x stages of copy -> null_sink,
 *                                       floats
 *      messages   pipes stages items    so many messages of `bytes` = 500, all queued at the first
 *                                       block before the start, then
 *                                          "done"; pipes x stages of forwarders; seconds until
 *                                          every sink has seen "done"
 *      chain      stages items          a source that emits a vector of `length` = 1000 floats each
 *                                       ms, copies, and a sink that
 * 	                                 tells how long after
 *         throughput items                 bytes -> bits -> symbols -> decisions -> bytes; items:
 *                                          bits; `complex` = 1 has complex symbols, else floats
 *
 * `pin` = 1 pins pipe p, blocks of a chain in turn, to CPU p mod their number; `sources` = 1 gives
 * each pipe a source and a head of its own.
 */
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gnuradio/block.h>
#include <gnuradio/blocks/complex_to_real.h>
#include <gnuradio/blocks/copy.h>
#include <gnuradio/blocks/head.h>
#include <gnuradio/blocks/null_sink.h>
#include <gnuradio/blocks/null_source.h>
#include <gnuradio/blocks/pack_k_bits_bb.h>
#include <gnuradio/blocks/unpack_k_bits_bb.h>
#include <gnuradio/digital/binary_slicer_fb.h>
#include <gnuradio/digital/chunks_to_symbols.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>

#include <unistd.h>

#include "tests/bench/peers/peer.h"

namespace
{

struct options {
	size_t pipes, stages, bytes, length;
	uint64_t items;
	bool pin, sources;
	FILE *result;
	bool is_complex;
};

/* GNU Radio logs on standard output: what is printed there goes to standard error, the result to
 * where that was. */
FILE *result_open()
{
	const int fd = dup(STDOUT_FILENO);

	return fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fdopen(fd, "w") : nullptr;
}

std::vector<int> cpus_allowed()
{
	std::vector<int> cpus;
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(static_cast<size_t>(cpu), &set))
			cpus.push_back(cpu);
	return cpus;
}

void place(const options &o, const gr::block_sptr &block, size_t number)
{
	const std::vector<int> cpus = cpus_allowed();

	if (o.pin)
		block->set_processor_affinity({cpus[number % cpus.size()]});
}

double seconds_of(const gr::top_block_sptr &top)
{
	const uint64_t began = peer_now_ns();

	top->run();
	return static_cast<double>(peer_now_ns() - began) * 1e-9;
}

/* ---- pipes ------------------------------------------------------------------------ */

void pipes(const options &o)
{
	auto top = gr::make_top_block("pipes");
	std::vector<gr::blocks::null_sink::sptr> sinks;
	gr::block_sptr head;
	uint64_t least = o.items;

	for (size_t p = 0; p < o.pipes; p++) {
		if (!head || o.sources) {
			auto source = gr::blocks::null_source::make(sizeof(float));

			head = gr::blocks::head::make(sizeof(float), o.items);
			place(o, source, p);
			place(o, head, p);
			top->connect(source, 0, head, 0);
		}
		gr::block_sptr before = head;
		for (size_t s = 0; s < o.stages; s++) {
			auto copy = gr::blocks::copy::make(sizeof(float));
			place(o, copy, p);
			top->connect(before, 0, copy, 0);
			before = copy;
		}
		sinks.push_back(gr::blocks::null_sink::make(sizeof(float)));
		place(o, sinks.back(), p);
		top->connect(before, 0, sinks.back(), 0);
	}
	const double seconds = seconds_of(top);
	for (const auto &sink : sinks)
		least = std::min(least, sink->nitems_read(0));
	fprintf(o.result, "{\"schema\": 1, \"seconds\": %.6f, \"arrived\": %llu}\n", seconds,
	    static_cast<unsigned long long>(least));
}

/* ---- messages ------------------------------------------------------------------------ */

const pmt::pmt_t port_in = pmt::mp("in"), port_out = pmt::mp("out");

bool is_done(const pmt::pmt_t &message)
{
	return pmt::is_symbol(message);
}

/* Length and sequence number, which every stage looks at. */
struct packet {
	size_t length;
	uint64_t sequence;
};

packet packet_of(const pmt::pmt_t &message)
{
	return {pmt::blob_length(pmt::cdr(message)), pmt::to_uint64(pmt::car(message))};
}

class forward : public gr::block
{
      public:
	uint64_t bytes = 0, gaps = 0, next = 0;

	forward()
	    : gr::block("forward", gr::io_signature::make(0, 0, 0), gr::io_signature::make(0, 0, 0))
	{
		message_port_register_in(port_in);
		message_port_register_out(port_out);
		set_msg_handler(port_in, [this](const pmt::pmt_t &message) { handle(message); });
	}

      private:
	void handle(const pmt::pmt_t &message)
	{
		if (!is_done(message)) {
			const packet seen = packet_of(message);
			bytes += seen.length;
			gaps += seen.sequence != next;
			next = seen.sequence + 1;
		}
		message_port_pub(port_out, message);
	}
};

struct finish {
	std::mutex mutex;
	std::condition_variable all_done;
	size_t missing;
};

class message_sink : public gr::block
{
      public:
	uint64_t packets = 0, gaps = 0, next = 0;

	explicit message_sink(finish &end)
	    : gr::block(
	          "message_sink", gr::io_signature::make(0, 0, 0), gr::io_signature::make(0, 0, 0)),
	      m_end(end)
	{
		message_port_register_in(port_in);
		set_msg_handler(port_in, [this](const pmt::pmt_t &message) { handle(message); });
	}

      private:
	finish &m_end;

	void handle(const pmt::pmt_t &message)
	{
		if (!is_done(message)) {
			const packet seen = packet_of(message);
			packets++;
			gaps += seen.sequence != next;
			next = seen.sequence + 1;
			return;
		}
		const std::lock_guard<std::mutex> lock(m_end.mutex);
		m_end.missing--;
		m_end.all_done.notify_all();
	}
};

void queue_all(const options &o, const gr::block_sptr &first)
{
	for (uint64_t m = 0; m < o.items; m++)
		first->_post(port_in,
		    pmt::cons(pmt::from_uint64(m),
		        pmt::init_u8vector(o.bytes, std::vector<uint8_t>(o.bytes, uint8_t(m)))));
	first->_post(port_in, pmt::mp("done"));
}

double seconds_until(const gr::top_block_sptr &top, finish &end)
{
	const uint64_t began = peer_now_ns();
	uint64_t ended;

	top->start();
	{
		std::unique_lock<std::mutex> lock(end.mutex);
		end.all_done.wait(lock, [&end] { return end.missing == 0; });
		ended = peer_now_ns();
	}
	top->stop();
	top->wait();
	return static_cast<double>(ended - began) * 1e-9;
}

void messages(const options &o)
{
	auto top = gr::make_top_block("messages");
	auto first = gnuradio::make_block_sptr<forward>();
	std::vector<std::shared_ptr<message_sink>> sinks;
	finish end;
	uint64_t least = o.items, gaps = 0;

	end.missing = o.pipes;
	place(o, first, 0);
	for (size_t p = 0; p < o.pipes; p++) {
		gr::block_sptr before = first;
		for (size_t s = 0; s < o.stages; s++) {
			auto stage = gnuradio::make_block_sptr<forward>();
			place(o, stage, p);
			top->msg_connect(before, "out", stage, "in");
			before = stage;
		}
		sinks.push_back(gnuradio::make_block_sptr<message_sink>(end));
		place(o, sinks.back(), p);
		top->msg_connect(before, "out", sinks.back(), "in");
	}
	queue_all(o, first);
	const double seconds = seconds_until(top, end);
	for (const auto &sink : sinks) {
		least = std::min(least, sink->packets);
		gaps += sink->gaps;
	}
	fprintf(o.result, "{\"schema\": 1, \"seconds\": %.6f, \"arrived\": %llu, \"gaps\": %llu}\n",
	    seconds, static_cast<unsigned long long>(least), static_cast<unsigned long long>(gaps));
}

/* ---- chain ------------------------------------------------------------------------ */

/* One vector each ms of the clock; its first 8 bytes say when it was emitted. */
class paced_source : public gr::sync_block
{
      public:
	paced_source(const options &o)
	    : gr::sync_block("paced_source", gr::io_signature::make(0, 0, 0),
	          gr::io_signature::make(1, 1, static_cast<int>(o.length * sizeof(float)))),
	      m_left(o.items)
	{
	}

	int work(int, gr_vector_const_void_star &, gr_vector_void_star &out) override
	{
		uint64_t now;

		if (m_left-- == 0)
			return WORK_DONE;
		now = peer_now_ns();
		m_edge = m_edge == 0 || m_edge + 1000000 < now ? (now / 1000000 + 1) * 1000000
		                                               : m_edge + 1000000;
		peer_sleep_until(m_edge);
		now = peer_now_ns();
		memcpy(out[0], &now, sizeof(now));
		return 1;
	}

      private:
	uint64_t m_left, m_edge = 0;
};

class stamp_sink : public gr::sync_block
{
      public:
	std::vector<double> us;

	stamp_sink(const options &o)
	    : gr::sync_block("stamp_sink",
	          gr::io_signature::make(1, 1, static_cast<int>(o.length * sizeof(float))),
	          gr::io_signature::make(0, 0, 0)),
	      m_bytes(o.length * sizeof(float))
	{
		us.reserve(o.items);
	}

	int work(int n, gr_vector_const_void_star &in, gr_vector_void_star &) override
	{
		for (int i = 0; i < n; i++) {
			uint64_t began;
			memcpy(&began,
			    static_cast<const uint8_t *>(in[0]) + static_cast<size_t>(i) * m_bytes,
			    sizeof(began));
			us.push_back(static_cast<double>(peer_now_ns() - began) * 1e-3);
		}
		return n;
	}

      private:
	size_t m_bytes;
};

void chain(const options &o)
{
	auto top = gr::make_top_block("chain");
	auto source = gnuradio::make_block_sptr<paced_source>(o);
	auto sink = gnuradio::make_block_sptr<stamp_sink>(o);
	gr::block_sptr before = source;

	place(o, source, 0);
	for (size_t s = 0; s < o.stages; s++) {
		auto copy = gr::blocks::copy::make(o.length * sizeof(float));
		place(o, copy, s + 1);
		top->connect(before, 0, copy, 0);
		before = copy;
	}
	place(o, sink, o.stages + 1);
	top->connect(before, 0, sink, 0);
	const double seconds = seconds_of(top);
	fprintf(o.result, "{\"schema\": 1, \"seconds\": %.6f, \"arrived\": %zu, ", seconds,
	    sink->us.size());
	peer_spread(o.result, "latency_us", sink->us.data(), sink->us.size());
	fputs("}\n", o.result);
}

/* ---- throughput ------------------------------------------------------------------------ */

void throughput(const options &o)
{
	auto top = gr::make_top_block("throughput");
	auto source = gr::blocks::null_source::make(1);
	auto head = gr::blocks::head::make(1, o.items / 8);
	auto unpack = gr::blocks::unpack_k_bits_bb::make(8);
	auto decide = gr::digital::binary_slicer_fb::make();
	auto pack = gr::blocks::pack_k_bits_bb::make(8);
	auto sink = gr::blocks::null_sink::make(1);
	std::vector<gr::block_sptr> all = {source, head, unpack};

	if (o.is_complex) {
		all.push_back(gr::digital::chunks_to_symbols_bc::make({-1, 1}));
		all.push_back(gr::blocks::complex_to_real::make());
	} else {
		all.push_back(gr::digital::chunks_to_symbols_bf::make({-1, 1}));
	}
	all.insert(all.end(), {decide, pack, sink});

	for (size_t i = 0; i < all.size(); i++)
		place(o, all[i], i * cpus_allowed().size() / all.size());
	for (size_t i = 0; i + 1 < all.size(); i++)
		top->connect(all[i], 0, all[i + 1], 0);
	const double seconds = seconds_of(top);
	fprintf(o.result, "{\"schema\": 1, \"seconds\": %.6f, \"arrived\": %llu}\n", seconds,
	    8 * static_cast<unsigned long long>(sink->nitems_read(0)));
}

const struct {
	const char *name;
	void (*run)(const options &);
} topologies[] = {
    {"pipes", pipes}, {"messages", messages}, {"chain", chain}, {"throughput", throughput}};

} // namespace

int main(int argc, char **argv)
{
	const options o = {
	    static_cast<size_t>(peer_number(argc, argv, "pipes", 1)),
	    static_cast<size_t>(peer_number(argc, argv, "stages", 1)),
	    static_cast<size_t>(peer_number(argc, argv, "bytes", 500)),
	    static_cast<size_t>(peer_number(argc, argv, "length", 1000)),
	    static_cast<uint64_t>(peer_number(argc, argv, "items", 1e6)),
	    peer_number(argc, argv, "pin", 0) > 0,
	    peer_number(argc, argv, "sources", 0) > 0,
	    result_open(),
	    peer_number(argc, argv, "complex", 0) > 0,
	};

	for (const auto &topology : topologies)
		if (argc > 1 && !strcmp(argv[1], topology.name)) {
			peer_begin(argc, argv);
			try {
				topology.run(o);
				fclose(o.result);
			} catch (const std::exception &e) {
				fprintf(stderr, "%s: %s\n", argv[0], e.what());
				return 1;
			}
			return 0;
		}
	fprintf(stderr, "usage: %s pipes|messages|chain|throughput [KEY=NUMBER ...]\n", argv[0]);
	return 2;
}
