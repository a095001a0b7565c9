import type { PostureCheck, PostureStatus } from '../../shared/security.ts';

/** Worst first. */
const ORDER: readonly PostureStatus[] = ['fail', 'warn', 'unknown', 'pass'];
const WORDS: Record<PostureStatus, (count: number) => string> = {
  fail: (count) => `${count} ${count === 1 ? 'fails' : 'fail'}`,
  warn: (count) => `${count} ${count === 1 ? 'warns' : 'warn'}`,
  unknown: (count) => `${count} unknown`,
  pass: (count) => `${count} ${count === 1 ? 'passes' : 'pass'}`,
};

/** `1 fails, 2 warn, 3 unknown, 18 pass` */
export function formatPosture(checks: readonly Pick<PostureCheck, 'status'>[]): string {
  if (checks.length > 0 && checks.every(({ status }) => status === 'pass')) return `All ${checks.length} checks pass`;
  return ORDER.map((status) => [status, checks.filter((check) => check.status === status).length] as const)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => WORDS[status](count))
    .join(', ');
}

/** The first check to look at; undefined when all pass. */
export const worstCheck = (checks: readonly PostureCheck[]): PostureCheck | undefined =>
  ORDER.filter((status) => status !== 'pass')
    .map((status) => checks.find((check) => check.status === status))
    .find((check) => check !== undefined);
