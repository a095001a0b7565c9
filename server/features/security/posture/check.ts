import type { PostureId, PostureStatus } from '../../../../shared/posture.ts';

/** What a check found, and what is to be done about it. */
export interface Finding {
  status: PostureStatus;
  detail: string;
  action: string;
}

/** One question about how this deployment is set up. */
export interface Check {
  id: PostureId;
  title: string;
  why: string;
  /** A rejection counts as `unknown`, and so does an answer that takes too long. */
  look: () => Promise<Finding>;
}

/** Evidence that all is well. */
export const pass = (detail: string): Finding => ({ status: 'pass', detail, action: 'Nothing to do.' });
/** It works, and should be better. */
export const warn = (detail: string, action: string): Finding => ({ status: 'warn', detail, action });
/** It is not safe, or will not go on working. */
export const fail = (detail: string, action: string): Finding => ({ status: 'fail', detail, action });
/** No evidence either way. */
export const unknown = (detail: string, action: string): Finding => ({ status: 'unknown', detail, action });

const GRAVITY: Record<PostureStatus, number> = { pass: 0, unknown: 1, warn: 2, fail: 3 };

/**
 * The gravest of several findings, with the details of all that are not well and what to do about each.
 * @param whenNone what no finding at all amounts to
 */
export function gravest(findings: readonly Finding[], whenNone: Finding): Finding {
  const status = findings.reduce<PostureStatus>(
    (worst, finding) => (GRAVITY[finding.status] > GRAVITY[worst] ? finding.status : worst),
    'pass',
  );
  const told = status === 'pass' ? findings : findings.filter((finding) => finding.status !== 'pass');
  if (told.length === 0) return whenNone;
  const joined = (part: 'detail' | 'action'): string => [...new Set(told.map((finding) => finding[part]))].join(' ');
  return { status, detail: joined('detail'), action: joined('action') };
}
