/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/map_published.h"

static void notes(const struct map_published *published)
{
	struct bench *bench = published->bench;

	bench_note(bench,
	    "a stage is a run of consecutive tasks on one core, or on several cores of one kind if "
	    "it keeps nothing (replicas, each for every r-th index); the period is the longest "
	    "stage's; of the shortest periods the one with the fewest big cores counts; the "
	    "engine runs replicas where a waveform file asks for them (the key `replicas`)");
	bench_note(bench,
	    "HeRAD (optimal), 2CATAC, FERTAC, OTAC: published periods and cores, arXiv 2502.10000 "
	    "and github.com/aff3ct/amp-scheduling at 9ee0279; costs: waveforms/dvbs2-costs.conf; "
	    "times to solve are CPU times of this machine, HeRAD's published time is of its "
	    "authors' machine");
	if (published->cases)
		bench_note(bench,
		    "the chains and the recorded schedules are those in %s; optimal is the period "
		    "of the plain recurrence, to the six digits that the records have; more and "
		    "fewer big cores: than aloe, at the same period",
		    published->cases);
	else
		bench_note(bench,
		    "random chains, seeds %.0f to %.0f: 20 tasks, costs 1 to 100 on big cores, 1 "
		    "to 5 times that on little ones; optimal is the period of the plain "
		    "recurrence; these are drawn here, as the published ones are described; "
		    "--cases DIR takes the published 9 000 and what was recorded for them: 2CATAC "
		    "1.000 to 1.030 times the optimum (optimal in 41 to 100 %%), FERTAC 1.000 to "
		    "1.081 (13 to 99 %%), OTAC on big cores 1.008 to 2.42 (0 to 89 %%)",
		    published->seeds.from, published->seeds.to);
}

int map_published(struct map_published *published)
{
	int status = map_dvbs2(published);

	if (status == CLI_OK)
		status = map_cases(published);
	if (status == CLI_OK && published->tasks)
		status = map_large(published);
	if (status == CLI_OK)
		status = map_pairs(published);
	notes(published);
	return status;
}
