import { totalmem } from 'node:os';

const MB = 1024 * 1024;
const SHARE = 1 / 8;

/** What the index may take: the setting, but at most an eighth of the memory that the process may use (its cgroup's). */
export function indexBytes(maxMegabytes: number, usable: number = usableMemory()): number {
  return Math.min(maxMegabytes * MB, Math.floor(usable * SHARE));
}

function usableMemory(): number {
  // 0, or more than there is, without a limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(limit, totalmem());
}
