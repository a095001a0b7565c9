import type { Posture, PostureCheck } from '../../../../shared/posture.ts';

/** The posture as a terminal shows it: a line for each check, below it what to do about what is not well. */
export const printedPosture = ({ checks }: Posture): string =>
  checks.map((check) => `${headline(check)}${check.status === 'pass' ? '' : advice(check)}`).join('');

/** Whether the command that prints it fails. */
export const hasFailed = ({ checks }: Posture): boolean => checks.some(({ status }) => status === 'fail');

const headline = ({ status, title, detail }: PostureCheck): string => `${status.padEnd(7)} ${title}: ${detail}\n`;
const advice = ({ why, action }: PostureCheck): string => `${' '.repeat(8)}${why}\n${' '.repeat(8)}${action}\n`;
