import { Console } from 'node:console';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startUpstream, UPSTREAM_CORE } from './pinned-process.ts';
import { requestCosts } from './requests.ts';
import { type Environment, OPERATOR_ID } from './subjects.ts';

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
const report = new Console(process.stdout);
const rounded = (value = Number.NaN): number => Number(value.toPrecision(3));
const rounds = quick ? { count: 5, seconds: 1 } : { count: 12, seconds: 1 };

async function measure(at: Environment): Promise<unknown> {
  const results = await requestCosts(at, rounds, against);
  const { costs, memory } = results;
  report.log('\nServer CPU for one request in µs, and the ratio of the others in the same row to it');
  report.table(
    Object.fromEntries(
      Object.entries(costs).map(([name, { ours, ...others }]) => [
        name,
        {
          ours: rounded(ours?.cpuMicroseconds),
          ...Object.fromEntries(
            Object.entries(others).map(([other, { times }]) => [
              `${other} × (quartiles)`,
              `${times.median.toFixed(2)} (${times.quartiles.map((time) => time.toFixed(2)).join('–')})`,
            ]),
          ),
          'req/s': rounded(ours?.requestsPerSecond),
          'p99 ms': rounded(ours?.p99Milliseconds),
          failures: [ours, ...Object.values(others)].reduce((sum, result) => sum + (result?.failures ?? 0), 0),
        },
      ]),
    ),
  );
  report.log('\nResident memory in MB');
  report.table(
    Object.fromEntries(
      Object.entries(memory).map(([name, { idle, loaded }]) => [
        name,
        { idle: rounded(idle), 'after the load': rounded(loaded), '×': rounded(loaded / idle) },
      ]),
    ),
  );
  return results;
}

const directory = mkdtempSync(join(tmpdir(), 'proxy-bench-'));
mkdirSync(RESULTS, { recursive: true });
const operator = { id: OPERATOR_ID, body: JSON.stringify({ id: OPERATOR_ID, state: 'active', traits: {} }) };
const upstream = await startUpstream(directory, UPSTREAM_CORE, operator);
const at = { directory, upstream: upstream.url };
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
  await upstream.process.stop();
  rmSync(directory, { recursive: true });
}
const file = join(RESULTS, `${date.replaceAll(':', '')}.json`);
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
process.stdout.write(`\nWritten to ${file}\n`);
