import type { PostureCheck, PostureStatus } from '../../../../shared/security.ts';

export interface CheckGroup {
  title: string;
  checks: readonly PostureCheck[];
  /** Nothing to do about these: folded, and in short form. */
  quiet: boolean;
}

const GROUPS: readonly { title: string; holds: readonly PostureStatus[]; quiet: boolean }[] = [
  { title: 'Needs attention', holds: ['fail', 'warn'], quiet: false },
  { title: 'Unknown', holds: ['unknown'], quiet: false },
  { title: 'Passing', holds: ['pass'], quiet: true },
];

/** Worst first, and within a status in the server's order. An unknown status of a later release counts as unknown. */
export const checksByStatus = (checks: readonly PostureCheck[]): CheckGroup[] =>
  GROUPS.map(({ title, holds, quiet }) => ({
    title,
    quiet,
    checks: holds.flatMap((status) => checks.filter((check) => known(check.status) === status)),
  })).filter((group) => group.checks.length > 0);

export const known = (status: PostureStatus): PostureStatus => (status in STATUS_WORDS ? status : 'unknown');

export const STATUS_WORDS: Record<PostureStatus, { word: string; dot: 'good' | 'warning' | 'bad' | 'off' }> = {
  fail: { word: 'Fails', dot: 'bad' },
  warn: { word: 'Warns', dot: 'warning' },
  unknown: { word: 'Unknown', dot: 'off' },
  pass: { word: 'Passes', dot: 'good' },
};
