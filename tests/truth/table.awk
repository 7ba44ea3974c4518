# SPDX-License-Identifier: BSD-3-Clause
#
# table.awk: the lines of tests/truth/matrix as a confusion matrix for Markdown.
$1 == "trial" {
	if (!($2 in trials)) kinds[++n] = $2
	trials[$2]++
	results[$2, $3]++
	if ($3 != "not-late") {
		if (!($4 in causes)) names[++m] = $4
		causes[$4]++
		cell[$2, $4]++
		unexplained += $2 != "none" && ($4 == "not-explained" || $4 == "evidence-lost")
	}
	if ($2 !~ /component|new-memory|none/ && $3 != "not-late") {
		outside++
		blamed += $6
	}
}
$1 == "records" {
	records[$2] += $3
	own[$2] += $4
	others += $5
	others_own += $6
}
END {
	printf "| disturbed by | trials | not late | judged | right |"
	for (c = 1; c <= m; c++) printf " %s |", names[c]
	printf " records |\n|---|---|---|---|---|"
	for (c = 0; c <= m; c++) printf "---|"
	printf "\n"
	for (k = 1; k <= n; k++) {
		kind = kinds[k]
		judged = trials[kind] - results[kind, "not-late"]
		printf "| %s | %d | %d | %d | %s |", kind, trials[kind], results[kind, "not-late"], judged,
			kind == "none" ? "-" : results[kind, "right"] + 0
		for (c = 1; c <= m; c++) printf " %s |", cell[kind, names[c]] ? cell[kind, names[c]] : ""
		printf " %d |\n", records[kind]
		repeated += kind == "none" ? 0 : results[kind, "not-late"]
		if (kind != "none" && judged * 2 >= trials[kind]) {
			with += judged
			right += results[kind, "right"]
		} else if (kind != "none")
			without = without " " kind
	}
	printf "\nright: %d of %d judged trials of kinds that leave evidence (%.1f %%); ", right, with, with ? 100 * right / with : 0
	printf "unexplained: %d\n", unexplained
	printf "judged trials of outside causes in which a component was blamed most: %d of %d\n", blamed, outside
	printf "trials that made no slot late (repeated where the kind leaves evidence): %d\n", repeated
	printf "records of no trial: %d, of them blamed on the waveform: %d\n", others, others_own
	printf "kinds that leave no evidence here:%s\n", without == "" ? " none" : without
}
