# SPDX-License-Identifier: BSD-3-Clause
#
# metrics.awk - whether what it reads is Prometheus text 0.0.4 (open=0) or OpenMetrics 1.0 (open=1), as ALOE writes it. Prints
# what is wrong and ends with status 1. The judges of others are in tests/others/check.sh.
function wrong(what) {
	print NR ": " what ": " $0
	bad = 1
}
function ends(text, with) { return length(text) > length(with) && substr(text, length(text) - length(with) + 1) == with }

eof { wrong("a line after # EOF") }
/^# EOF$/ {
	if (!open)
		wrong("# EOF in the old format")
	eof = 1
	next
}
/^# TYPE [a-z_:][a-z0-9_:]* [a-z]+$/ {
	if ($3 in families)
		wrong("a family that was there")
	families[$3] = 1
	family = $3
	kind = $4
	if (!open && kind !~ /^(counter|gauge|histogram|summary)$/)
		wrong("a type that the old format does not have")
	if (!open && kind == "counter" && !ends(family, "_total"))
		wrong("a counter without _total")
	if (open && ends(family, "_total"))
		wrong("a family with _total")
	inf = ""
	next
}
/^# UNIT [a-z0-9_:]+ [a-z]+$/ {
	if (!open || $3 != family || !ends(family, "_" $4))
		wrong("a unit")
	next
}
/^# HELP [a-z0-9_:]+ .+$/ {
	if ($3 != family || family in help)
		wrong("a help")
	help[family] = 1
	next
}
{
	if (!match($0, /^[a-z_:][a-z0-9_:]*(\{[a-z_]+="([^"\\]|\\.)*"(,[a-z_]+="([^"\\]|\\.)*")*\})? [-+0-9.eE]+$/)) {
		wrong("neither a sample nor metadata")
		next
	}
	samples++
	name = $0
	sub(/[ {].*/, "", name)
	key = $0
	sub(/ [^ ]*$/, "", key)
	value = $0
	sub(/.* /, "", value)
	if (key in seen)
		wrong("a sample that was there")
	seen[key] = 1
	if (!(family in help))
		wrong("a sample without a help")
	rest = substr(name, length(family) + 1)
	if (substr(name, 1, length(family)) != family)
		wrong("a sample of another family than " family)
	else if (kind == "counter" && rest != (open ? "_total" : ""))
		wrong("a counter's sample")
	else if (kind == "info" && rest != "_info")
		wrong("an info's sample")
	else if ((kind == "gauge" || kind == "stateset") && rest != "")
		wrong("a gauge's sample")
	else if (kind == "histogram" && rest !~ /^_(bucket|sum|count)$/ || kind == "summary" && rest !~ /^(|_sum|_count)$/)
		wrong("a sample of a distribution")
	if (kind != "gauge" && value + 0 < 0)
		wrong("less than nothing")
	if (rest == "_bucket") {
		series = key
		sub(/,?le="[^"]*"/, "", series)
		limit = key
		sub(/.*le="/, "", limit)
		sub(/".*/, "", limit)
		if (series == last_series && (value + 0 < last_value + 0 || inf != ""))
			wrong("a bucket that is not cumulative")
		inf = limit == "+Inf" ? value : ""
		last_series = series
		last_value = value
	} else if (kind == "histogram" && rest == "_count") {
		if (inf == "" || inf != value)
			wrong("a count that is not that of the bucket +Inf")
		inf = ""
	} else if (kind == "histogram" && rest == "_sum" && inf == "")
		wrong("a histogram without the bucket +Inf")
}
END {
	if (open && !eof) {
		print "no # EOF"
		bad = 1
	}
	if (samples == 0) {
		print "no sample"
		bad = 1
	}
	exit bad
}
