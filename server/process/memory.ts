import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MB = 1024 * 1024;
/** With less, everything is as with this much. */
const LEAST_BYTES = 192 * MB;
/** With this much, nothing is limited for its sake. */
export const PLENTY_BYTES = 1024 * MB;

/** What may be held at once, by the memory that there is (docs/operations.md#memory). */
export interface MemoryBudgets {
  /** Bytes that the process may use. */
  usable: number;
  /** Of each proxy: connections to its upstream, requests that wait for one, bytes of responses that wait for their record. */
  proxy: { connections: number; waiting: number; heldBytes: number };
  /** Bytes of bodies that are copied for their audit records. */
  copiedBytes: number;
  /** Requests to the dashboard's own API; undefined: any number. */
  ownRequests: { places: number; waiting: number } | undefined;
  /** Of these, exports of all settings: each holds some megabytes. */
  settingLists: { places: number; waiting: number } | undefined;
  /** Bytes of upstreams' answers that are read as a whole; undefined: any number. */
  answerBytes: number | undefined;
  /** Records that wait for the database. */
  auditRecords: number;
  /** Requests that wait for an earlier one on their connection. */
  unansweredRequests: number;
  /** Megabytes that the thread of the index may take for JavaScript, besides an eighth of the index. */
  indexHeapMegabytes: number;
  /** After so many bytes have passed through, what they left behind is collected; undefined: when V8 does. */
  collectEveryBytes: number | undefined;
}

/**
 * Bytes that the process may use: the limit of its cgroup, the memory of the machine, or twice the limit of its heap
 * (`--max-old-space-size`), since Node gives the heap half of what there is.
 */
export function usableMemory(
  // 0, or more than there is, without a limit.
  cgroup = process.constrainedMemory() || Number.POSITIVE_INFINITY,
  machine = totalmem(),
  heap = getHeapStatistics().heap_size_limit,
): number {
  return Math.min(cgroup, machine, 2 * heap);
}

/** Bytes that it was seen to fit into under load; since 24, Node collects later. @param node its version */
export const fittingBytes = (node: string): number => (Number.parseInt(node, 10) < 24 ? LEAST_BYTES : 256 * MB);

/** Between 192 MiB and 1 GiB, each budget grows evenly from what fits to what is enough. */
export function memoryBudgets(usable: number): MemoryBudgets {
  const share = Math.min(Math.max((usable - LEAST_BYTES) / (PLENTY_BYTES - LEAST_BYTES), 0), 1);
  const between = (least: number, most: number): number => Math.round(least + (most - least) * share);
  const isScarce = usable < PLENTY_BYTES;
  return {
    usable,
    proxy: { connections: between(32, 128), waiting: between(64, 1024), heldBytes: between(2 * MB, 16 * MB) },
    copiedBytes: between(6 * MB, 16 * MB),
    ownRequests: isScarce ? { places: between(24, 256), waiting: between(128, 1024) } : undefined,
    settingLists: isScarce ? { places: between(2, 32), waiting: between(16, 128) } : undefined,
    answerBytes: isScarce ? between(8 * MB, 128 * MB) : undefined,
    auditRecords: between(2_000, 10_000),
    unansweredRequests: between(1_024, 16_384),
    indexHeapMegabytes: between(64, 192),
    collectEveryBytes: isScarce ? between(4 * MB, 32 * MB) : undefined,
  };
}
