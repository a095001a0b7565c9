import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { visitsOf } from './first-visit.ts';
import { startUpstream, UPSTREAM_CORE } from './pinned-process.ts';
import { requestCosts } from './requests.ts';
import { printTable } from './rounds.ts';
import { type Environment, HERE, OPERATOR_ID, startScript } from './subjects.ts';

/**
 * `node test/bench/run.ts [requests] [visit] [--quick] [--against DIR]`
 *
 * Measures costs under saturation as ratios within one run, with the server on one core, load and upstream on others.
 * Prints tables and writes all figures to `results/`. Needs nginx, wrk and taskset. `visit` also needs Chromium and a build.
 * `--against` names another checkout that is measured in turn with this one. Its packages must be installed, and for
 * `visit` it must be built.
 */
const RESULTS = fileURLToPath(new URL('results/', import.meta.url));
const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, against: { type: 'string' } },
});
const { quick, against } = options;
const rounds = quick ? { count: 5, seconds: 1 } : { count: 12, seconds: 1 };

function inWords(values: readonly number[]): string {
  const [median, least, most] = [values.length >> 1, 0, -1].map((at) => values.toSorted((a, b) => a - b).at(at) ?? 0);
  return `${median?.toFixed()} (${least?.toFixed()}–${most?.toFixed()})`;
}

const PARTS: Record<string, (at: Environment) => Promise<unknown>> = {
  async requests(at) {
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
  },
  async visit() {
    const visits = await visitsOf(
      against === undefined ? { here: HERE } : { [against]: against, here: HERE },
      quick ? 2 : 12,
    );
    for (const kind of ['cold', 'warm'] as const) {
      printTable(
        `A ${kind} visit to the list of identities with the processor slowed by four: median (least–most)`,
        Object.fromEntries(
          Object.entries(visits).map(([name, { [kind]: runs }]) => [
            name,
            {
              'first row ms': inWords(runs.map(({ firstRow }) => firstRow)),
              'busy until then ms': inWords(runs.map(({ busy }) => busy)),
              'longest task ms': inWords(runs.map(({ tasks }) => Math.max(0, ...tasks))),
              'by the clock ms': inWords(runs.map(({ tasksByClock }) => Math.max(0, ...tasksByClock))),
              scripts: inWords(runs.map(({ scripts }) => scripts)),
              requests: inWords(runs.map(({ requests }) => requests)),
              'scripts KB': inWords(runs.map(({ scriptKilobytes }) => scriptKilobytes)),
            },
          ]),
        ),
      );
    }
    return visits;
  },
};

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
  for (const [name, measure] of Object.entries(PARTS)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const [load] = loadavg();
    results[name] = { load, figures: await measure(at) };
  }
} finally {
  await sink.process.stop();
  await upstream.process.stop();
  rmSync(directory, { recursive: true });
}
const file = join(RESULTS, `${date.replaceAll(':', '')}.json`);
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
process.stdout.write(`\nWritten to ${file}\n`);
