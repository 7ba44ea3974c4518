/* SPDX-License-Identifier: BSD-3-Clause
 *
 * CHDR packets held against libuhd's own class (uhd::utils::chdr::chdr_packet), both ways,
 * thousands of each kind with every field at random: what we write is read there as the fields that
 * we meant and is written there as our bytes; what is written there is read by us as those fields.
 * libuhd 4.3 knows the first layout of CTRL packets only; the second is held against vectors
 * (test_x310_chdr). */
#include <uhd/utils/chdr/chdr_packet.hpp>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <setjmp.h>

extern "C" {
#include <cmocka.h>

#include "platforms/x310/chdr.h"
}

namespace rf = uhd::rfnoc::chdr;
using theirs = uhd::utils::chdr::chdr_packet;
using ours = struct chdr_packet;

namespace
{

enum { ROUNDS = 2000, BYTES = 4096 };

struct bits { /* xorshift64 */
	uint64_t state = 0x9e3779b97f4a7c15;

	/* Every third value is all ones or zero: fields that run over would show. */
	uint64_t next(unsigned width)
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
		const uint64_t kind = state % 9;

		return kind == 0 ? mask : kind == 1 ? 0 : (state >> 3) & mask;
	}
	template <class T> T as(unsigned width)
	{
		return static_cast<T>(next(width));
	}
};

theirs read_there(const uint8_t *bytes, size_t size)
{
	std::vector<uint8_t> copy(bytes, bytes + size);

	return theirs::deserialize(uhd::rfnoc::CHDR_W_64, copy.begin(), copy.end());
}

void same_bytes(const theirs &packet, const uint8_t *bytes, size_t size)
{
	const std::vector<uint8_t> written = packet.serialize_to_byte_vector();

	assert_int_equal(written.size(), size);
	assert_memory_equal(written.data(), bytes, size);
}

void same_header(const rf::chdr_header &there, const struct chdr_header &here)
{
	assert_int_equal(there.get_vc(), here.vc);
	assert_int_equal(there.get_eob(), here.eob);
	assert_int_equal(there.get_eov(), here.eov);
	assert_int_equal(there.get_pkt_type(), here.type);
	assert_int_equal(there.get_num_mdata(), here.n_metadata);
	assert_int_equal(there.get_seq_num(), here.seq);
	assert_int_equal(there.get_length(), here.length);
	assert_int_equal(there.get_dst_epid(), here.dst);
}

ours read_here(const std::vector<uint8_t> &bytes)
{
	ours packet;

	assert_int_equal(chdr_parse(bytes.data(), bytes.size(), &packet), 0);
	return packet;
}

/* ---- data ------------------------------------------------------------------------ */

void data(void **)
{
	bits random;

	for (int round = 0; round < ROUNDS; round++) {
		ours packet = {};
		uint8_t bytes[BYTES], metadata[8 * 31];
		const size_t payload = 1 + random.next(9);

		for (uint8_t &byte : metadata)
			byte = random.as<uint8_t>(8);
		packet.header.vc = random.as<uint8_t>(6);
		packet.header.eob = random.next(1);
		packet.header.eov = random.next(1);
		packet.header.type = random.next(1) ? CHDR_DATA : CHDR_DATA_TS;
		packet.header.n_metadata = static_cast<uint8_t>(random.next(5) % 31);
		packet.header.seq = random.as<uint16_t>(16);
		packet.header.dst = random.as<uint16_t>(16);
		packet.timestamp = random.next(64);
		packet.metadata = metadata;
		const size_t at = chdr_write(bytes, &packet, payload);
		for (size_t i = 0; i < payload; i++)
			bytes[at + i] = random.as<uint8_t>(8);

		const theirs there = read_there(bytes, at + payload);
		const std::vector<uint8_t> their_payload = there.get_payload_bytes();
		ours back;

		assert_int_equal(chdr_parse(bytes, at + payload, &back), 0);
		same_header(there.get_header(), back.header);
		assert_int_equal(
		    there.get_timestamp().is_initialized(), packet.header.type == CHDR_DATA_TS);
		if (there.get_timestamp())
			assert_true(*there.get_timestamp() == packet.timestamp);
		assert_int_equal(there.get_metadata().size(), packet.header.n_metadata);
		for (size_t i = 0; i < packet.header.n_metadata; i++)
			assert_true(there.get_metadata()[i] == chdr_word(metadata, i));
		assert_memory_equal(their_payload.data(), bytes + at, payload);
		same_bytes(there, bytes, at + payload);
	}
}

/* ---- status and command ---- */

void strs(void **)
{
	bits random;

	for (int round = 0; round < ROUNDS; round++) {
		struct chdr_strs here = {}, back;
		uint8_t bytes[BYTES];

		here.src = random.as<uint16_t>(16);
		here.status = static_cast<uint8_t>(random.next(3) % 5);
		here.capacity_bytes = random.next(40);
		here.capacity_pkts = random.as<uint32_t>(24);
		here.xfer_pkts = random.next(40);
		here.xfer_bytes = random.next(64);
		here.fill = random.as<uint16_t>(16);
		here.info = random.next(48);
		const size_t size =
		    chdr_strs_write(bytes, random.as<uint16_t>(16), random.as<uint16_t>(16), &here);
		const theirs there = read_there(bytes, size);
		const auto payload = there.get_payload<rf::strs_payload>();

		assert_int_equal(payload.src_epid, here.src);
		assert_int_equal(payload.status, here.status);
		assert_true(payload.capacity_bytes == here.capacity_bytes &&
		    payload.capacity_pkts == here.capacity_pkts);
		assert_true(payload.xfer_count_bytes == here.xfer_bytes &&
		    payload.xfer_count_pkts == here.xfer_pkts);
		assert_true(payload.buff_info == here.fill && payload.status_info == here.info);
		same_bytes(there, bytes, size);
		const std::vector<uint8_t> written =
		    theirs(uhd::rfnoc::CHDR_W_64, there.get_header(), payload)
		        .serialize_to_byte_vector();
		const ours packet = read_here(written);

		assert_int_equal(chdr_strs_parse(&packet, &back), 0);
		assert_true(back.src == here.src && back.status == here.status &&
		    back.fill == here.fill && back.info == here.info &&
		    back.capacity_bytes == here.capacity_bytes &&
		    back.capacity_pkts == here.capacity_pkts && back.xfer_pkts == here.xfer_pkts &&
		    back.xfer_bytes == here.xfer_bytes);
		same_header(there.get_header(), packet.header);
	}
}

void strc(void **)
{
	bits random;

	for (int round = 0; round < ROUNDS; round++) {
		struct chdr_strc here = {}, back;
		uint8_t bytes[BYTES];

		here.src = random.as<uint16_t>(16);
		here.op = static_cast<uint8_t>(random.next(2) % 3);
		here.op_data = random.as<uint8_t>(4);
		here.pkts = random.next(40);
		here.bytes = random.next(64);
		const size_t size =
		    chdr_strc_write(bytes, random.as<uint16_t>(16), random.as<uint16_t>(16), &here);
		const theirs there = read_there(bytes, size);
		const auto payload = there.get_payload<rf::strc_payload>();

		assert_true(payload.src_epid == here.src && payload.op_code == here.op &&
		    payload.op_data == here.op_data);
		assert_true(payload.num_pkts == here.pkts && payload.num_bytes == here.bytes);
		same_bytes(there, bytes, size);
		const std::vector<uint8_t> written =
		    theirs(uhd::rfnoc::CHDR_W_64, there.get_header(), payload)
		        .serialize_to_byte_vector();
		const ours packet = read_here(written);

		assert_int_equal(chdr_strc_parse(&packet, &back), 0);
		assert_true(back.src == here.src && back.op == here.op &&
		    back.op_data == here.op_data && back.pkts == here.pkts &&
		    back.bytes == here.bytes);
		same_header(there.get_header(), packet.header);
	}
}

/* ---- control ------------------------------------------------------------------------ */

void ctrl(void **)
{
	bits random;

	for (int round = 0; round < ROUNDS; round++) {
		struct chdr_ctrl here = {}, back;
		uint8_t bytes[BYTES];

		here.dst_port = random.as<uint16_t>(10);
		here.src_port = random.as<uint16_t>(10);
		here.src = random.as<uint16_t>(16);
		here.seq = random.as<uint8_t>(6);
		here.n_data = static_cast<uint8_t>(1 + random.next(4) % CHDR_CTRL_DATA_MAX);
		here.ack = random.next(1);
		here.has_time = random.next(1);
		here.op = static_cast<uint8_t>(random.next(3) % 7);
		here.status = random.as<uint8_t>(2);
		here.byte_enable = random.as<uint8_t>(4);
		here.address = random.as<uint32_t>(20);
		here.time = here.has_time ? random.next(64) : 0;
		for (unsigned i = 0; i < here.n_data; i++)
			here.data[i] = random.as<uint32_t>(32);
		const size_t size = chdr_ctrl_write(
		    bytes, random.as<uint16_t>(16), random.as<uint16_t>(16), CHDR_V1, &here);
		const theirs there = read_there(bytes, size);
		const auto payload = there.get_payload<rf::ctrl_payload>();

		assert_true(payload.dst_port == here.dst_port &&
		    payload.src_port == here.src_port && payload.src_epid == here.src &&
		    payload.seq_num == here.seq && payload.is_ack == here.ack &&
		    payload.address == here.address && payload.byte_enable == here.byte_enable &&
		    payload.op_code == here.op && payload.status == here.status);
		assert_true(payload.has_timestamp() == here.has_time);
		if (here.has_time)
			assert_true(*payload.timestamp == here.time);
		assert_int_equal(payload.data_vtr.size(), here.n_data);
		assert_memory_equal(
		    payload.data_vtr.data(), here.data, sizeof(uint32_t) * here.n_data);
		same_bytes(there, bytes, size);
		const std::vector<uint8_t> written =
		    theirs(uhd::rfnoc::CHDR_W_64, there.get_header(), payload)
		        .serialize_to_byte_vector();
		const ours packet = read_here(written);

		assert_int_equal(chdr_ctrl_parse(&packet, CHDR_V1, &back), 0);
		assert_memory_equal(&back, &here, sizeof(back));
		same_header(there.get_header(), packet.header);
	}
}

/* ---- management ------------------------------------------------------------------------ */

void same_steps(rf::mgmt_payload payload, const struct chdr_mgmt &here)
{
	size_t step = 0;

	assert_int_equal(payload.get_num_hops(), here.n_hops);
	while (payload.get_num_hops() > 0) {
		const rf::mgmt_hop_t hop = payload.pop_hop();

		for (size_t i = 0; i < hop.get_num_ops(); i++, step++) {
			assert_true(step < here.n_steps);
			assert_int_equal(hop.get_op(i).get_op_code(), here.steps[step].op);
			assert_true(hop.get_op(i).get_op_payload() == here.steps[step].payload);
			assert_int_equal(
			    hop.get_op(i).get_ops_pending() == 0, here.steps[step].last);
		}
	}
	assert_int_equal(step, here.n_steps);
}

void mgmt(void **)
{
	bits random;

	for (int round = 0; round < ROUNDS; round++) {
		struct chdr_mgmt here = {}, back;
		const unsigned steps = 1 + static_cast<unsigned>(random.next(5) % 30);
		uint8_t bytes[BYTES];

		here.src = random.as<uint16_t>(16);
		here.version = random.as<uint16_t>(16);
		for (unsigned i = 0; i < steps; i++)
			assert_int_equal(
			    chdr_mgmt_add(&here, static_cast<enum chdr_mgmt_op>(random.next(4) % 9),
			        random.next(48), i + 1 == steps || random.next(1)),
			    0);
		const size_t size =
		    chdr_mgmt_write(bytes, random.as<uint16_t>(16), random.as<uint16_t>(16), &here);
		const theirs there = read_there(bytes, size);
		const auto payload = there.get_payload<rf::mgmt_payload>();
		const std::vector<uint8_t> written = there.serialize_to_byte_vector();
		const ours packet = read_here(written);

		assert_int_equal(payload.get_proto_ver(), here.version);
		assert_int_equal(payload.get_chdr_w(), uhd::rfnoc::CHDR_W_64);
		same_steps(payload, here);
		same_bytes(there, bytes, size);
		same_header(there.get_header(), packet.header);
		assert_int_equal(chdr_mgmt_parse(&packet, &back), 0);
		assert_true(back.src == here.src && back.n_steps == here.n_steps &&
		    back.n_hops == here.n_hops);
		same_steps(payload, back);
	}
}

} // namespace

int main()
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(data),
	    cmocka_unit_test(strs),
	    cmocka_unit_test(strc),
	    cmocka_unit_test(ctrl),
	    cmocka_unit_test(mgmt),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
