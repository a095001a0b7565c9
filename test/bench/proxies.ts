import { join } from 'node:path';
import { type LoadResult, saturate, type TransferResult, transfer } from './load.ts';
import { interleaved, measured, median, stopAll } from './rounds.ts';
import { type Environment, PROXIES, type Subject } from './subjects.ts';

export interface Rounds {
  count: number;
  seconds: number;
}

async function started(at: Environment, path: string): Promise<Record<string, Subject>> {
  const subjects: Record<string, Subject> = {};
  for (const [name, start] of Object.entries(PROXIES)) subjects[name] = await start(at, path);
  return subjects;
}

/** Small JSON through each proxy, saturated. */
export async function smallJson(at: Environment, rounds: Rounds): Promise<Record<string, LoadResult>> {
  const subjects = await started(at, '/small');
  try {
    return await measured(subjects, rounds.count, (subject) =>
      saturate(subject.through('/small'), subject.process, { seconds: rounds.seconds }),
    );
  } finally {
    await stopAll(subjects);
  }
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

  const downSubjects = await started(at, '/100MB');
  await interleaved(downSubjects, 1, fetched('/100MB'));
  const downs = await interleaved(downSubjects, rounds, fetched('/100MB'));
  const gigabytes = await interleaved(downSubjects, 1, fetched('/1GB'));
  await stopAll(downSubjects);

  const upSubjects = await started(at, '/sink');
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
