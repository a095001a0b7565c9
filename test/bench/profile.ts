import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { saturate } from './load.ts';
import { type Environment, startOurs } from './subjects.ts';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
}

/** Groups of source files, the first that matches. */
const PARTS: [string, RegExp][] = [
  ['our rules (server/upstream)', /\/server\/upstream\//],
  ['our gate, log and session (server)', /\/server\//],
  [
    'http-proxy-middleware and http-proxy',
    /node_modules\/(?:http-proxy|eventemitter3|debug|micromatch|is-glob|requires-port)/,
  ],
  ['Express and its router', /node_modules\/(?:express|router|path-to-regexp|parseurl|forwarded|proxy-addr)/],
  ['pino', /node_modules\/(?:pino|sonic-boom|quick-format|fast-|on-exit)/],
  ["Node's HTTP client", /^node:_http_(?:client|agent)/],
  ["Node's HTTP server", /^node:_http_server/],
  ["Node's HTTP messages, both sides", /^node:_http_/],
  ["Node's streams, sockets, events and timers", /^node:/],
];
/** Functions without a file, as the profiler names them. */
const NATIVE: [string, RegExp][] = [
  ['garbage collection', /garbage collector/],
  ['system calls: writing', /^(?:writev?|write\w*String|writeBuffer|shutdown)$/],
  ["the engine and Node's native code", /^/],
];

/**
 * Where the processor time of one proxied request goes, as shares of all that is not idle.
 * @returns share by part, the largest first
 */
export async function profile(at: Environment, seconds: number): Promise<Record<string, number>> {
  const ours = await startOurs(at, ['--cpu-prof', `--cpu-prof-dir=${at.directory}`]);
  await saturate(ours.through('/small'), ours.process, { seconds });
  await ours.process.stop();
  const file = readdirSync(at.directory).find((name) => /\.0\.\d+\.cpuprofile$/.test(name));
  if (file === undefined) throw new Error('no profile was written');
  return sharesOf(JSON.parse(readFileSync(join(at.directory, file), 'utf8')) as CpuProfile);
}

function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Record<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  let total = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') return;
    const part = partOf(frame);
    const time = timeDeltas[index] ?? 0;
    times.set(part, (times.get(part) ?? 0) + time);
    total += time;
  });
  return Object.fromEntries([...times].sort((a, b) => b[1] - a[1]).map(([part, time]) => [part, time / total]));
}

function partOf({ functionName, url }: { functionName: string; url: string }): string {
  const [parts, text] = url === '' ? [NATIVE, functionName] : [PARTS, url];
  return parts.find(([, pattern]) => pattern.test(text))?.[0] ?? 'the rest';
}
