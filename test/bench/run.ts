import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startUpstream, UPSTREAM_CORE } from './pinned-process.ts';
import { requestCosts } from './requests.ts';
import { printTable } from './rounds.ts';
import { type Environment, OPERATOR_ID, startScript } from './subjects.ts';

/**
 * `node test/bench/run.ts [--quick] [--against DIR]`
 *
 * Measures costs under saturation as ratios within one run, with the server on one core, load and upstream on others.
 * Prints tables and writes all figures to `results/`. Needs nginx, wrk and taskset.
 * `--against` names another checkout that is measured in turn with this one. Its packages must be installed.
 */
const RESULTS = fileURLToPath(new URL('results/', import.meta.url));
const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, against: { type: 'string' } },
});
const { quick, against } = options;
const rounds = quick ? { count: 5, seconds: 1 } : { count: 12, seconds: 1 };

async function measure(at: Environment): Promise<unknown> {
  const results = await requestCosts(at, rounds, against);
  const { costs, memory } = results;
  printTable(
    'Server CPU for one request in µs, and the ratio of the others in the same row to it',
    Object.fromEntries(
      Object.entries(costs).map(([name, { ours, ...others }]) => [
        name,
        {
          ours: ours?.cpuMicroseconds ?? Number.NaN,
          ...Object.fromEntries(
            Object.entries(others).map(([other, { times }]) => [
              `${other} × (quartiles)`,
              `${times.median.toFixed(2)} (${times.quartiles.map((time) => time.toFixed(2)).join('–')})`,
            ]),
          ),
          'req/s': ours?.requestsPerSecond ?? Number.NaN,
          'p99 ms': ours?.p99Milliseconds ?? Number.NaN,
          failures: [ours, ...Object.values(others)].reduce((sum, result) => sum + (result?.failures ?? 0), 0),
        },
      ]),
    ),
  );
  printTable(
    'Resident memory in MB',
    Object.fromEntries(
      Object.entries(memory).map(([name, { idle, loaded }]) => [
        name,
        { idle, 'after the load': loaded, '×': loaded / idle },
      ]),
    ),
  );
  return results;
}

const directory = mkdtempSync(join(tmpdir(), 'proxy-bench-'));
mkdirSync(RESULTS, { recursive: true });
const operator = { id: OPERATOR_ID, body: JSON.stringify({ id: OPERATOR_ID, state: 'active', traits: {} }) };
const upstream = await startUpstream(directory, UPSTREAM_CORE, operator);
const sink = await startScript('test/bench/servers/sink.ts', {}, { core: UPSTREAM_CORE });
const at = { directory, upstream: upstream.url, sink: sink.url };
const date = new Date().toISOString();
const results: Record<string, unknown> = {
  date,
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model}`,
};
try {
  const [load] = loadavg();
  results.requests = { load, figures: await measure(at) };
} finally {
  await sink.process.stop();
  await upstream.process.stop();
  rmSync(directory, { recursive: true });
}
const file = join(RESULTS, `${date.replaceAll(':', '')}.json`);
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
process.stdout.write(`\nWritten to ${file}\n`);
