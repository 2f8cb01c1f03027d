// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
// in compliance with the License. You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software distributed under the License
// is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
// or implied. See the License for the specific language governing permissions and limitations under
// the License.

//! Published chunkers over a file in memory, on one thread.
//!
//! `chunking-peers cuts  PEER FILE MIN AVERAGE MAX`          prints the end of each chunk
//! `chunking-peers speed PEER FILE MIN AVERAGE MAX SECONDS`  prints bytes per second, pass by pass

use std::error::Error;
use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};
use std::{env, fs, process};

/// The sizes that a chunker is asked for, in bytes.
struct Sizes {
    min: usize,
    average: usize,
    max: usize,
}

type Peer = fn(&[u8], &Sizes, &mut dyn FnMut(usize));

fn fastcdc(bytes: &[u8], sizes: &Sizes, cut: &mut dyn FnMut(usize)) {
    let chunks = fastcdc::v2020::FastCDC::new(
        bytes,
        sizes.min as _,
        sizes.average as _,
        sizes.max as _,
    );
    for chunk in chunks {
        cut(chunk.offset + chunk.length);
    }
}

/// The crate searches; minimum and maximum are the caller's. As FastCDC does, the search skips what
/// the minimum rules out, but for the 64 bytes that the hash at its end depends on.
fn gearhash(bytes: &[u8], sizes: &Sizes, cut: &mut dyn FnMut(usize)) {
    const WINDOW: usize = 64;
    let gap = (sizes.average - sizes.min).max(2);
    // The top bits, which depend on the whole window.
    let mask = !(u64::MAX >> gap.ilog2());
    let mut start = 0;
    while start < bytes.len() {
        let limit = bytes.len().min(start + sizes.max);
        let first = start + sizes.min;
        let mut end = limit;
        if first < limit {
            let mut hasher = gearhash::Hasher::default();
            let warm_up = first.saturating_sub(WINDOW);
            hasher.update(&bytes[warm_up..first]);
            if let Some(found) = hasher.next_match(&bytes[first..limit], mask) {
                end = first + found;
            }
        }
        cut(end);
        start = end;
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    if arguments.len() < 7 {
        return Err("usage: chunking-peers cuts|speed PEER FILE MIN AVERAGE MAX [SECONDS]".into());
    }
    let peer: Peer = match arguments[2].as_str() {
        "fastcdc" => fastcdc,
        "gearhash" => gearhash,
        other => return Err(format!("no peer '{other}', expected fastcdc or gearhash").into()),
    };
    let bytes = fs::read(&arguments[3])?;
    let sizes = Sizes {
        min: arguments[4].parse()?,
        average: arguments[5].parse()?,
        max: arguments[6].parse()?,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    match arguments[1].as_str() {
        "cuts" => {
            let mut ends = Vec::new();
            peer(&bytes, &sizes, &mut |end| ends.push(end));
            for end in ends {
                writeln!(out, "{end}")?;
            }
        }
        "speed" => {
            let seconds = arguments.get(7).ok_or("speed needs SECONDS")?.parse()?;
            let until = Instant::now() + Duration::from_secs(seconds);
            let mut first = true;
            while first || Instant::now() < until {
                let begin = Instant::now();
                let mut sum = 0;
                peer(&bytes, &sizes, &mut |end| sum ^= end);
                black_box(sum);
                let rate = bytes.len() as f64 / begin.elapsed().as_secs_f64();
                // The first pass finds cold caches and page tables.
                if !first {
                    writeln!(out, "{rate}")?;
                }
                first = false;
            }
        }
        other => return Err(format!("no command '{other}', expected cuts or speed").into()),
    }
    out.flush()?;
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("chunking-peers: {error}");
        process::exit(1);
    }
}
