import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MB = 1024 * 1024;
/** The smallest amount of memory that was enough in load tests; with less, the budgets do not shrink any further. */
export const LEAST_BYTES = 256 * MB;
/** With this much memory or more, the budgets have their full size. */
export const PLENTY_BYTES = 1024 * MB;

/**
 * Bytes that the process may use: the limit of its cgroup, the memory of the machine, or twice the limit of its heap
 * (`--max-old-space-size`), since Node gives the heap half of the available memory.
 */
export function usableMemory(
  // Without a limit, this is 0 or more than the machine has.
  cgroup = process.constrainedMemory() || Number.POSITIVE_INFINITY,
  machine = totalmem(),
  heap = getHeapStatistics().heap_size_limit,
): number {
  return Math.min(cgroup, machine, 2 * heap);
}

export type MemoryBudgets = ReturnType<typeof memoryBudgets>;

/**
 * How much may be in memory at once (docs/configure.md#memory). Between 256 MiB and 1 GiB, each budget grows linearly
 * from its smallest to its full size. Undefined: no limit.
 */
export function memoryBudgets(usable: number) {
  const share = Math.min(Math.max((usable - LEAST_BYTES) / (PLENTY_BYTES - LEAST_BYTES), 0), 1);
  const between = (least: number, most: number): number => Math.round(least + (most - least) * share);
  const isScarce = usable < PLENTY_BYTES;
  return {
    /** Bytes that the process may use. */
    usable,
    /** Of each proxy: connections to its upstream, requests that wait for one, bytes of responses not recorded yet. */
    proxy: { connections: between(32, 128), waiting: between(64, 1024), bufferBytes: between(2 * MB, 16 * MB) },
    /** Bytes of bodies that are copied for their audit records. */
    copiedBytes: between(6 * MB, 16 * MB),
    /** Requests to the dashboard's own API. */
    ownRequests: isScarce ? { places: between(24, 256), waiting: between(128, 1024) } : undefined,
    /** How many of these may be exports of all settings, each of which needs some megabytes. */
    settingLists: isScarce ? { places: between(2, 32), waiting: between(16, 128) } : undefined,
    /** Bytes of upstreams' responses that are read as a whole. */
    answerBytes: isScarce ? between(8 * MB, 128 * MB) : undefined,
    /** Records waiting for the database. */
    auditRecords: between(2_000, 10_000),
    /** Requests waiting for an earlier one on their connection. */
    unansweredRequests: between(1_024, 16_384),
    /** Megabytes that the thread of the index may take for JavaScript, in addition to an eighth of the index. */
    indexHeapMegabytes: between(64, 192),
  };
}
