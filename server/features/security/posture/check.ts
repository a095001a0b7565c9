import type { PostureId, PostureStatus } from '../../../../shared/security.ts';

/** What a check found, and what to do about it. */
export interface Finding {
  status: PostureStatus;
  detail: string;
  action: string;
  /** The lines to type, for a terminal: they may contain addresses, and never a secret. */
  commands?: readonly string[];
  /** As long as this fails, nobody can sign in. */
  locksOut?: true;
}

/** One aspect of how this deployment is set up. */
export interface Check<Id extends string = PostureId> {
  id: Id;
  title: string;
  why: string;
  /** A rejection or a timeout counts as `unknown`. */
  look: () => Promise<Finding>;
}

/** Evidence that all is well. */
export const pass = (detail: string): Finding => ({ status: 'pass', detail, action: 'Nothing to do.' });
/** It works, but should be improved. */
export const warn = (detail: string, action: string): Finding => ({ status: 'warn', detail, action });
/** It is unsafe or about to fail. */
export const fail = (detail: string, action: string): Finding => ({ status: 'fail', detail, action });
/** It keeps operators out. */
export const lockOut = (detail: string, action: string, ...commands: string[]): Finding => ({
  ...fail(detail, action),
  commands,
  locksOut: true,
});
/** No evidence either way. */
export const unknown = (detail: string, action: string): Finding => ({ status: 'unknown', detail, action });

const GRAVITY: Record<PostureStatus, number> = { pass: 0, unknown: 1, warn: 2, fail: 3 };

/**
 * The most severe of several findings, with the details and actions of all that did not pass.
 * @param whenNone returned if there are no findings
 */
export function gravest(findings: readonly Finding[], whenNone: Finding): Finding {
  const status = findings.reduce<PostureStatus>(
    (worst, finding) => (GRAVITY[finding.status] > GRAVITY[worst] ? finding.status : worst),
    'pass',
  );
  const reported = status === 'pass' ? findings : findings.filter((finding) => finding.status !== 'pass');
  if (reported.length === 0) return whenNone;
  const joined = (part: 'detail' | 'action'): string =>
    [...new Set(reported.map((finding) => finding[part]))].join(' ');
  const commands = [...new Set(reported.flatMap((finding) => finding.commands ?? []))];
  return {
    status,
    detail: joined('detail'),
    action: joined('action'),
    ...(commands.length > 0 ? { commands } : {}),
    ...(reported.some((finding) => finding.locksOut) ? { locksOut: true } : {}),
  };
}
