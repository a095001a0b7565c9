import { join } from 'node:path';
import { type LoadResult, saturate, type TransferResult, transfer } from './load.ts';
import { interleaved, measured, median, stopAll } from './rounds.ts';
import { type Environment, PROXIES, type Subject, startOurs, startStep } from './subjects.ts';

export interface Rounds {
  count: number;
  seconds: number;
}

type Starters = Record<string, (at: Environment, path: string) => Promise<Subject>>;

async function started(starters: Starters, at: Environment, path: string): Promise<Record<string, Subject>> {
  const subjects: Record<string, Subject> = {};
  for (const [name, start] of Object.entries(starters)) subjects[name] = await start(at, path);
  return subjects;
}

async function smallJsonThrough(
  starters: Starters,
  at: Environment,
  rounds: Rounds,
): Promise<Record<string, LoadResult>> {
  const subjects = await started(starters, at, '/small');
  try {
    return await measured(subjects, rounds.count, (subject) =>
      saturate(subject.through('/small'), subject.process, { seconds: rounds.seconds }),
    );
  } finally {
    await stopAll(subjects);
  }
}

/** Small JSON through each proxy, saturated. */
export const smallJson = (at: Environment, rounds: Rounds): Promise<Record<string, LoadResult>> =>
  smallJsonThrough(PROXIES, at, rounds);

const STEPS = {
  library: 'http-proxy-middleware in Express',
  prototypes: '+ prebuilt prototypes',
  exchange: '+ path, framing, clocks, retries, abort',
  rules: '+ header rules, cookies, key, addresses, policy',
};

/** What each layer between the library in plain Express and ours costs. */
export function shares(at: Environment, rounds: Rounds): Promise<Record<string, LoadResult>> {
  const steps: Starters = Object.fromEntries(
    Object.entries(STEPS).map(([step, name]) => [name, (environment, path) => startStep(step, environment, path)]),
  );
  return smallJsonThrough({ ...steps, '+ the gate and its log': (environment) => startOurs(environment) }, at, rounds);
}

export interface LargeResult {
  down: TransferResult;
  up: TransferResult;
  /** Growth during one gigabyte down. */
  gigabyteGrownMegabytes: number;
}

/** 100 MB down and up through each proxy, and one gigabyte down. */
export async function largeBodies(at: Environment, rounds: number): Promise<Record<string, LargeResult>> {
  const file = join(at.directory, '100MB');
  const fetched = (path: string) => (subject: Subject) => transfer(subject.through(path), subject.process);
  const sent = (subject: Subject) => transfer(subject.through('/sink'), subject.process, file);

  const downSubjects = await started(PROXIES, at, '/100MB');
  await interleaved(downSubjects, 1, fetched('/100MB'));
  const downs = await interleaved(downSubjects, rounds, fetched('/100MB'));
  const gigabytes = await interleaved(downSubjects, 1, fetched('/1GB'));
  await stopAll(downSubjects);

  const upSubjects = await started(PROXIES, at, '/sink');
  await interleaved(upSubjects, 1, sent);
  const ups = await interleaved(upSubjects, rounds, sent);
  await stopAll(upSubjects);

  const middle = (results: readonly TransferResult[] = []): TransferResult => ({
    megabytesPerSecond: median(results.map(({ megabytesPerSecond }) => megabytesPerSecond)),
    grownMegabytes: Math.max(...results.map(({ grownMegabytes }) => grownMegabytes)),
  });
  return Object.fromEntries(
    Object.keys(PROXIES).map((name) => [
      name,
      {
        down: middle(downs[name]),
        up: middle(ups[name]),
        gigabyteGrownMegabytes: gigabytes[name]?.[0]?.grownMegabytes ?? Number.NaN,
      },
    ]),
  );
}
