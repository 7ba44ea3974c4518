/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A device without hardware for the tests of platforms/soapy, as a module of SoapySDR in the path
 * of plug-ins (tests/sim/test_soapy.c): driver=aloetest. It receives a pattern that follows from
 * the number of the sample alone, in real time, and writes what it is sent to a file: for each
 * sample its number (8 bytes; all ones: untimed) and the sample (4 bytes).
 *
 * 	format=CS16|CF32  channels=2  time=0 (no time stamps)  from=N (first sample)
 * 	chunk=N (a read gives N samples at most)  lost=AT:N (N samples are lost, and it is said)
 * 	quiet=AT:N (and it is not said)  gone=AT:N (the stream ends, N attempts to open it fail)
 * 	silent=AT  hang=AT (a read does not return for 3 s)  off=F (another rate)
 * 	tx=FILE  take=N (a write takes N samples at most)  under=AT (an underflow is said) */
#include <SoapySDR/Device.hpp>
#include <SoapySDR/Errors.hpp>
#include <SoapySDR/Formats.hpp>
#include <SoapySDR/Registry.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace
{
using steady = std::chrono::steady_clock;

std::atomic<int> failures{-1}; /* attempts that are still to fail; -1: the stream has not ended */

struct pair { /* "AT:N" */
	long long at = -1, n = 0;
	explicit pair(const std::string &text)
	{
		if (!text.empty())
			std::sscanf(text.c_str(), "%lld:%lld", &at, &n);
	}
	pair() = default;
};

/* clang-format off */
class device : public SoapySDR::Device
{
	SoapySDR::Kwargs args;
	std::string format, antenna = "A";
	double rate = 1e6, frequency = 0, gain_db = 0;
	size_t n_channels;
	long long first, next = 0, chunk, take;
	pair lost, quiet, gone;
	long long silent, hang, under;
	bool timed;
	steady::time_point began;
	std::FILE *sent = nullptr;
	std::vector<int> events;

	std::string get(const char *key, const char *otherwise) const
	{
		const auto found = args.find(key);
		return found == args.end() ? otherwise : found->second;
	}
	long long number(const char *key, const char *otherwise) const
	{
		return std::stoll(get(key, otherwise));
	}
	long long now() const
	{
		const std::chrono::duration<double> since = steady::now() - began;
		return first + (long long)(since.count() * rate);
	}
	long long time_of(long long tick) const { return llround((double)tick * 1e9 / rate); }
	/* Positions of faults count from the first sample. */
	bool comes(long long at) const { return at >= 0 && next - first >= at; }
	int fault();
	void fill(void *const *buffers, long long n) const;
	void keep(const void *samples, size_t n, uint64_t tick, bool at_once);

public:
	explicit device(const SoapySDR::Kwargs &given);
	~device() override;
	std::string getDriverKey() const override { return "aloetest"; }
	std::string getHardwareKey() const override { return "none"; }
	size_t getNumChannels(int) const override { return n_channels; }
	std::vector<std::string> getStreamFormats(int, size_t) const override { return {format}; }
	std::string getNativeStreamFormat(int, size_t, double &full) const override;
	std::vector<std::string> listAntennas(int, size_t) const override { return {"A", "B"}; }
	void setAntenna(int, size_t, const std::string &name) override { antenna = name; }
	void setSampleRate(int, size_t, double wanted) override;
	double getSampleRate(int, size_t) const override { return rate; }
	void setFrequency(int, size_t, double hz, const SoapySDR::Kwargs &) override;
	double getFrequency(int, size_t) const override { return frequency; }
	void setGain(int, size_t, double db) override { gain_db = db; }
	double getGain(int, size_t) const override { return gain_db; }
	bool hasHardwareTime(const std::string &) const override { return timed; }
	long long getHardwareTime(const std::string &) const override { return time_of(now()); }
	SoapySDR::Stream *setupStream(int direction, const std::string &,
	    const std::vector<size_t> &, const SoapySDR::Kwargs &) override;
	void closeStream(SoapySDR::Stream *) override {}
	size_t getStreamMTU(SoapySDR::Stream *) const override { return 1024; }
	int activateStream(SoapySDR::Stream *stream, int, long long, size_t) override;
	int deactivateStream(SoapySDR::Stream *, int, long long) override { return 0; }
	int readStream(SoapySDR::Stream *, void *const *buffers, size_t wanted, int &flags,
	    long long &time_ns, long patience_us) override;
	int writeStream(SoapySDR::Stream *, const void *const *buffers, size_t n, int &flags,
	    long long time_ns, long) override;
	int readStreamStatus(SoapySDR::Stream *, size_t &, int &flags, long long &, long) override;
};
/* clang-format on */

void pattern(uint64_t n, size_t channel, int16_t *iq)
{
	const uint64_t mixed = (n + channel * 7919) * 0x9e3779b97f4a7c15ull;
	iq[0] = (int16_t)(mixed >> 48);
	iq[1] = (int16_t)(mixed >> 32);
}

device::device(const SoapySDR::Kwargs &given)
    : args(given), format(get("format", "CS16")), n_channels(number("channels", "1")),
      first(number("from", "0")), chunk(number("chunk", "1000000")),
      take(number("take", "1000000")), lost(get("lost", "")), quiet(get("quiet", "")),
      gone(get("gone", "")), silent(number("silent", "-1")), hang(number("hang", "-1")),
      under(number("under", "-1")), timed(number("time", "1") != 0)
{
	const std::string path = get("tx", "");

	if (failures > 0) {
		failures--;
		throw std::runtime_error("the cable is out");
	}
	if (failures == 0)
		gone = pair();
	if (!path.empty())
		sent = std::fopen(path.c_str(), "ab");
}

device::~device()
{
	if (sent)
		std::fclose(sent);
}

std::string device::getNativeStreamFormat(int, size_t, double &full) const
{
	full = format == SOAPY_SDR_CS16 ? 32768 : 1;
	return format;
}

void device::setSampleRate(int, size_t, double wanted)
{
	rate = wanted * std::stod(get("off", "1"));
}

void device::setFrequency(int, size_t, double hz, const SoapySDR::Kwargs &)
{
	if (hz > 1e9)
		throw std::runtime_error("the tuner ends at 1 GHz");
	frequency = hz;
}

SoapySDR::Stream *device::setupStream(
    int direction, const std::string &, const std::vector<size_t> &, const SoapySDR::Kwargs &)
{
	return (SoapySDR::Stream *)(direction == SOAPY_SDR_RX ? &next : &take);
}

int device::activateStream(SoapySDR::Stream *stream, int, long long, size_t)
{
	if (stream != (SoapySDR::Stream *)&next && began != steady::time_point())
		return 0;
	began = steady::now();
	next = first;
	return 0;
}

/* What happens instead of samples; 0: nothing. */
int device::fault()
{
	if (comes(gone.at)) {
		failures = (int)gone.n;
		return SOAPY_SDR_STREAM_ERROR;
	}
	if (comes(hang)) {
		hang = -1;
		std::this_thread::sleep_for(std::chrono::seconds(3));
	}
	for (pair *one : {&lost, &quiet})
		if (comes(one->at)) {
			next += one->n;
			one->at = -1;
			if (one == &lost)
				return SOAPY_SDR_OVERFLOW;
		}
	return 0;
}

void device::fill(void *const *buffers, long long n) const
{
	for (size_t c = 0; c < n_channels; c++)
		for (long long i = 0; i < n; i++) {
			int16_t iq[2];

			pattern((uint64_t)(next + i), c, iq);
			for (int part = 0; part < 2; part++)
				if (format == SOAPY_SDR_CS16)
					((int16_t *)buffers[c])[2 * i + part] = iq[part];
				else
					((float *)buffers[c])[2 * i + part] = iq[part] / 32768.0f;
		}
}

int device::readStream(SoapySDR::Stream *, void *const *buffers, size_t wanted, int &flags,
    long long &time_ns, long patience_us)
{
	const auto until = steady::now() + std::chrono::microseconds(patience_us);
	const int instead = fault();
	long long n = std::min<long long>((long long)wanted, chunk);

	if (instead != 0)
		return instead;
	for (const long long at : {lost.at, quiet.at, gone.at, hang})
		if (at >= 0 && next - first < at)
			n = std::min(n, at - (next - first));
	while (now() < next + n || comes(silent)) {
		if (steady::now() >= until)
			return SOAPY_SDR_TIMEOUT;
		std::this_thread::sleep_for(std::chrono::microseconds(100));
	}
	flags = timed ? SOAPY_SDR_HAS_TIME : 0;
	time_ns = timed ? time_of(next) : 0;
	fill(buffers, n);
	next += n;
	return (int)n;
}

void device::keep(const void *samples, size_t n, uint64_t tick, bool at_once)
{
	for (size_t i = 0; sent && i < n; i++) {
		const uint64_t at = at_once ? UINT64_MAX : tick + i;
		int16_t iq[2];

		for (size_t part = 0; part < 2; part++)
			iq[part] = format == SOAPY_SDR_CS16
			    ? ((const int16_t *)samples)[2 * i + part]
			    : (int16_t)llround(32768.0f * ((const float *)samples)[2 * i + part]);
		std::fwrite(&at, sizeof(at), 1, sent);
		std::fwrite(iq, sizeof(iq), 1, sent);
	}
}

int device::writeStream(
    SoapySDR::Stream *, const void *const *buffers, size_t n, int &flags, long long time_ns, long)
{
	const bool at_once = !(flags & SOAPY_SDR_HAS_TIME);
	const long long tick = llround((double)time_ns * rate / 1e9);

	n = std::min<size_t>(n, (size_t)take);
	if (flags & SOAPY_SDR_END_BURST) {
		events.push_back(0);
		return (int)n;
	}
	if (!at_once && tick < now()) {
		events.push_back(SOAPY_SDR_TIME_ERROR);
		return (int)n;
	}
	if (under >= 0 && (at_once || tick - first >= under)) {
		under = -1;
		events.push_back(SOAPY_SDR_UNDERFLOW);
	}
	keep(buffers[0], n, (uint64_t)tick, at_once);
	return (int)n;
}

int device::readStreamStatus(SoapySDR::Stream *, size_t &, int &flags, long long &, long)
{
	if (events.empty())
		return SOAPY_SDR_TIMEOUT;
	const int event = events.front();
	events.erase(events.begin());
	flags = event == 0 ? SOAPY_SDR_END_BURST : 0;
	return event;
}

SoapySDR::KwargsList find(const SoapySDR::Kwargs &args)
{
	return {args};
}

SoapySDR::Device *make(const SoapySDR::Kwargs &args)
{
	return new device(args);
}

SoapySDR::Registry registered("aloetest", &find, &make, SOAPY_SDR_ABI_VERSION);
} // namespace
