import { setTimeout as sleep } from 'node:timers/promises';
import { addressesOf, attack, callers, HOLDS, type Hold, largeOrSmall, type Served } from '../support/attacks.ts';
import { residentMb } from '../support/connection-fuzz.ts';
import { startRawUpstream } from '../support/raw-upstream.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { printTable } from './table.ts';

/**
 * `node --import tsx test/bench/attacks.ts [SECONDS]`: what others notice of an attacker, for as long each attack.
 *
 * The built service in a process of its own, callers at loopback addresses of their own. Latencies beside an attack are
 * compared with those just before it.
 */
const SECONDS = Number(process.argv[2] ?? 10);
const ATTACKER = '127.0.0.66';
const OTHERS = addressesOf(20);
/** Until what is never read fills the buffers of the kernel. */
const SETTLE_MS = 3_000;
/** Longer than a caller may take nothing. */
const RELEASE_MS = 60_000;

const upstream = await startRawUpstream(largeOrSmall, { keepBodies: false });
const service = await startServiceProcess({ IDENTITY_URL: upstream.url });
const { port } = service;
const { pid } = service.running;

const at = (milliseconds: readonly number[], share: number): number =>
  milliseconds.toSorted((a, b) => a - b)[Math.floor(milliseconds.length * share)] ?? Number.NaN;
const ask = (seconds: number, addresses: readonly string[] = OTHERS): Promise<Served> => {
  const end = performance.now() + seconds * 1000;
  return callers({ port, path: '/api/identity/y', addresses }, () => performance.now() < end);
};

async function beside(
  hold: Hold,
  connections: number,
  options: { from?: string; addresses?: readonly string[] } = {},
): Promise<Record<string, number | string>> {
  const { from = ATTACKER, addresses = OTHERS } = options;
  const before = await ask(SECONDS / 2, addresses);
  const resting = residentMb(pid);
  const end = await attack(hold, { port, from, connections });
  await sleep(SETTLE_MS);
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMb(pid));
  }, 100);
  const during = await ask(SECONDS, addresses);
  clearInterval(sampling);
  end();
  while (upstream.open() > 20) await sleep(50);
  return {
    served: during.milliseconds.length,
    not: during.failures.length,
    'before p50 ms': at(before.milliseconds, 0.5),
    'beside p50 ms': at(during.milliseconds, 0.5),
    'p99 ms': at(during.milliseconds, 0.99),
    '× p50': at(during.milliseconds, 0.5) / at(before.milliseconds, 0.5),
    'MB before': resting,
    'MB peak': peak,
    'why not': [...new Set(during.failures)].join(),
  };
}

await ask(3);
const rows: Record<string, Record<string, number | string>> = {};
for (const hold of Object.keys(HOLDS) as Hold[]) rows[`1,000 ${hold}`] = await beside(hold, 1_000);
const [balancer = ''] = OTHERS;
const behindOne = Array.from({ length: 195 }, () => balancer);
rows['5 slow of 200 behind one address'] = await beside('uploads dribbled', 5, {
  from: balancer,
  addresses: behindOne,
});
rows['140 answers never read'] = await beside('answers never read', 140);
printTable(`Others beside an attacker, ${SECONDS} s each`, rows);

// Nobody else asks: what is never read ends by its own clock. Once, without coming back.
const end = await attack('answers never read', { port, from: ATTACKER, connections: 140 });
while (upstream.open() < 128) await sleep(10);
const begun = performance.now();
const most = upstream.open();
let least = most;
while (performance.now() - begun < RELEASE_MS && least > 12) {
  await sleep(100);
  least = Math.min(least, upstream.open());
}
process.stdout.write(
  `\n${most} places taken by answers never read; ${least} after ${Math.round((performance.now() - begun) / 1000)} s\n`,
);
end();
await service.close();
await upstream.close();
