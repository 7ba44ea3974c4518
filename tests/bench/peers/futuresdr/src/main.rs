// SPDX-License-Identifier: BSD-3-Clause
//
//! The pipes of `aloe bench pipes` on FutureSDR: NullSource -> Head -> pipes x stages of Copy -> NullSink, floats.
//!
//!     futuresdr pipes [KEY=NUMBER ...]
//!
//! Keys: pipes, stages, items; `flow` = 1 takes the flow scheduler, 0 the smol one; `pin` = 1 gives each pipe a worker (flow) or
//! each worker a core (smol); `sources` = 1 gives each pipe a source and a head of its own; `local` = 1 does so, too, and puts them into
//! local domains, one pinned to each CPU, with buffers that never leave it; `fifo` = 1 runs all threads under SCHED_FIFO; `cpus` how many CPUs may be used, the first ones
//! (0: all). The result is one JSON object on standard output, with "schema": 1.

use std::error::Error;
use std::process::exit;
use std::time::Instant;

use futuresdr::blocks::{Copy, Head, NullSink, NullSource};
use futuresdr::prelude::*;
use futuresdr::runtime::BlockId;
use futuresdr::runtime::buffer::{DefaultLocalCpuReader, DefaultLocalCpuWriter};
use futuresdr::runtime::scheduler::{FlowScheduler, Scheduler, SmolScheduler};

const FIFO: i32 = 50;

/// KEY of the command line, or `otherwise`; anything but a number ends the program.
fn number(key: &str, otherwise: u64) -> u64 {
    for word in std::env::args().skip(2) {
        if let Some(value) = word.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')) {
            return value.parse::<f64>().map(|n| n as u64).unwrap_or_else(|_| {
                eprintln!("futuresdr: {word}: a number, 0 or more, is needed");
                exit(2)
            });
        }
    }
    otherwise
}

/// Priority and CPUs for this thread, and so for those that it will start.
fn begin() -> Result<Vec<usize>, std::io::Error> {
    let wanted = number("cpus", 0) as usize;
    let mut cpus = Vec::new();

    // SAFETY: the sets are plain bits, initialised before they are read.
    unsafe {
        let size = std::mem::size_of::<libc::cpu_set_t>();
        let mut may: libc::cpu_set_t = std::mem::zeroed();
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size, &mut may) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        for cpu in 0..libc::CPU_SETSIZE as usize {
            if libc::CPU_ISSET(cpu, &may) && (wanted == 0 || cpus.len() < wanted) {
                libc::CPU_SET(cpu, &mut set);
                cpus.push(cpu);
            }
        }
        let param = libc::sched_param { sched_priority: FIFO };
        if libc::sched_setaffinity(0, size, &set) != 0
            || (number("fifo", 0) > 0 && libc::sched_setscheduler(0, libc::SCHED_FIFO, &param) != 0)
        {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(cpus)
}

struct Pipes {
    graph: Flowgraph,
    sinks: Vec<BlockRef<NullSink<f32>>>,
    of_worker: Vec<Vec<BlockId>>,
}

fn pipes_new(pipes: usize, stages: usize, items: u64, workers: usize) -> Result<Pipes, Box<dyn Error>> {
    let mut graph = Flowgraph::new();
    let mut of_worker = vec![Vec::new(); workers];
    let mut sinks = Vec::new();
    let each = number("sources", 0) > 0;
    let mut heads = Vec::new();

    for pipe in 0..if each { pipes } else { 1 } {
        let source = graph.add(NullSource::<f32>::new())?;
        let head = graph.add(Head::<f32>::new(items))?;

        graph.stream(&source, |b| b.output(), &head, |b| b.input())?;
        of_worker[pipe % workers].extend([source.id(), head.id()]);
        heads.push(head);
    }
    for pipe in 0..pipes {
        let mine = &mut of_worker[pipe % workers];
        let head = &heads[if each { pipe } else { 0 }];
        let first = graph.add(Copy::<f32>::new())?;
        let mut before = first;
        graph.stream(head, |b| b.output(), &before, |b| b.input())?;
        mine.push(before.id());
        for _ in 1..stages {
            let copy = graph.add(Copy::<f32>::new())?;
            graph.stream(&before, |b| b.output(), &copy, |b| b.input())?;
            mine.push(copy.id());
            before = copy;
        }
        let sink = graph.add(NullSink::<f32>::new())?;
        graph.stream(&before, |b| b.output(), &sink, |b| b.input())?;
        mine.push(sink.id());
        sinks.push(sink);
    }
    Ok(Pipes { graph, sinks, of_worker })
}

fn pipes_run<S: Scheduler + Send + Sync + 'static>(scheduler: S, pipes: Pipes) -> Result<(f64, u64), Box<dyn Error>> {
    let runtime = Runtime::with_scheduler(scheduler);
    let began = Instant::now();
    let ended = runtime.run(pipes.graph)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut least = u64::MAX;

    for sink in &pipes.sinks {
        least = least.min(ended.block(sink)?.n_received() as u64);
    }
    Ok((seconds, least))
}

type In = DefaultLocalCpuReader<f32>;
type Out = DefaultLocalCpuWriter<f32>;

/// Pipe p in the domain of CPU p mod their number.
fn pipes_local(pipes: usize, stages: usize, items: u64, cpus: &[usize]) -> Result<(f64, u64), Box<dyn Error>> {
    let mut graph = Flowgraph::new();
    let mut sinks = Vec::new();
    let n = cpus.len().min(pipes);

    for (d, cpu) in cpus.iter().take(n).enumerate() {
        let domain = graph.local_domain_pinned(*cpu)?;

        sinks.extend(graph.with_local_domain(domain, move |ctx| {
            let mut sinks = Vec::new();

            for _ in (d..pipes).step_by(n) {
                let source = ctx.add(NullSource::<f32, Out>::new());
                let head = ctx.add(Head::<f32, In, Out>::new(items));
                let mut before = ctx.add(Copy::<f32, In, Out>::new());

                ctx.stream_local(&source, |b| b.output(), &head, |b| b.input())?;
                ctx.stream_local(&head, |b| b.output(), &before, |b| b.input())?;
                for _ in 1..stages {
                    let copy = ctx.add(Copy::<f32, In, Out>::new());
                    ctx.stream_local(&before, |b| b.output(), &copy, |b| b.input())?;
                    before = copy;
                }
                let sink = ctx.add(NullSink::<f32, In>::new());
                ctx.stream_local(&before, |b| b.output(), &sink, |b| b.input())?;
                sinks.push(sink);
            }
            Ok(sinks)
        })?);
    }
    let runtime = Runtime::new();
    let began = Instant::now();
    let ended = runtime.run(graph)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut least = u64::MAX;

    for sink in &sinks {
        least = least.min(ended.with(sink, |b| b.n_received())? as u64);
    }
    Ok((seconds, least))
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() != Some("pipes") {
        eprintln!("usage: futuresdr pipes [KEY=NUMBER ...]");
        exit(2);
    }
    let cpus = begin()?;
    let (n, stages) = (number("pipes", 1).max(1) as usize, number("stages", 1).max(1) as usize);
    let items = number("items", 1_000_000);
    let pin = number("pin", 0) > 0;
    let (seconds, arrived) = if number("local", 0) > 0 {
        pipes_local(n, stages, items, &cpus)?
    } else {
        let mut pipes = pipes_new(n, stages, items, cpus.len())?;
        if number("flow", 0) > 0 {
            let of_worker = if pin { std::mem::take(&mut pipes.of_worker) } else { Vec::new() };
            pipes_run(FlowScheduler::with_pinned_blocks(of_worker), pipes)?
        } else {
            pipes_run(SmolScheduler::with_config(cpus.len(), pin), pipes)?
        }
    };
    println!("{{\"schema\": 1, \"seconds\": {seconds:.6}, \"arrived\": {arrived}}}");
    Ok(())
}
