import { join } from 'node:path';
import { type TransferResult, transfer } from './load.ts';
import { interleaved, median, stopAll } from './rounds.ts';
import { type Environment, type Subject, startLibrary, startOurs } from './subjects.ts';

async function started(at: Environment, path: string, against: string | undefined): Promise<Record<string, Subject>> {
  return {
    library: await startLibrary(at, path),
    ours: await startOurs(at),
    ...(against !== undefined && { before: await startOurs(at, against) }),
  };
}

export interface LargeResult {
  down: TransferResult;
  up: TransferResult;
  /** The growth of the server's memory during a download of one gigabyte. */
  gigabyteGrownMegabytes: number;
}

/** Downloads and uploads 100 MB through each proxy, and downloads one gigabyte. */
export async function largeBodies(
  at: Environment,
  rounds: number,
  against: string | undefined,
): Promise<Record<string, LargeResult>> {
  const file = join(at.directory, '100MB');
  const fetched = (path: string) => (subject: Subject) => transfer(subject.through(path), subject.process);
  const sent = (subject: Subject) => transfer(subject.through('/sink'), subject.process, file);

  const downSubjects = await started(at, '/100MB', against);
  await interleaved(downSubjects, 1, fetched('/100MB'));
  const downs = await interleaved(downSubjects, rounds, fetched('/100MB'));
  const gigabytes = await interleaved(downSubjects, 1, fetched('/1GB'));
  await stopAll(downSubjects);

  const upSubjects = await started(at, '/sink', against);
  await interleaved(upSubjects, 1, sent);
  const ups = await interleaved(upSubjects, rounds, sent);
  await stopAll(upSubjects);

  const middle = (results: readonly TransferResult[] = []): TransferResult => ({
    megabytesPerSecond: median(results.map(({ megabytesPerSecond }) => megabytesPerSecond)),
    grownMegabytes: Math.max(...results.map(({ grownMegabytes }) => grownMegabytes)),
  });
  return Object.fromEntries(
    Object.keys(downs).map((name) => [
      name,
      {
        down: middle(downs[name]),
        up: middle(ups[name]),
        gigabyteGrownMegabytes: gigabytes[name]?.[0]?.grownMegabytes ?? Number.NaN,
      },
    ]),
  );
}
