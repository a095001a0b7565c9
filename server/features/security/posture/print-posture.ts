import type { Posture, PostureCheck } from '../../../../shared/posture.ts';

/** The posture as terminal output: one line per check, followed by advice if it did not pass. */
export const printedPosture = ({ checks }: Posture): string =>
  checks.map((check) => `${headline(check)}${check.status === 'pass' ? '' : advice(check)}`).join('');

/** Whether the command should exit with an error. */
export const hasFailed = ({ checks }: Posture): boolean => checks.some(({ status }) => status === 'fail');

const headline = ({ status, title, detail }: PostureCheck): string => `${status.padEnd(7)} ${title}: ${detail}\n`;
const advice = ({ why, action }: PostureCheck): string => `${' '.repeat(8)}${why}\n${' '.repeat(8)}${action}\n`;
