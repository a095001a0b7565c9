import { timeOf } from '../../../../shared/json.ts';
import type { LockedAccount } from '../../../../shared/security.ts';
import { addressFindings, messageFindings } from './diagnose-contact.ts';
import { factorFindings, secondFactorFindings } from './diagnose-factors.ts';
import { type Evidence, lastSignIn } from './evidence.ts';
import { type Finding, HOW_SERIOUS } from './finding.ts';

/** What speaks against a sign-in and what is worth knowing, the most serious first; nothing that is only guessed. */
export const diagnose = (evidence: Evidence): readonly Finding[] =>
  [
    ...stateFindings(evidence),
    ...(evidence.locks ?? []).map(lockFinding),
    ...factorFindings(evidence),
    ...addressFindings(evidence),
    ...messageFindings(evidence),
    ...secondFactorFindings(evidence),
  ].sort((a, b) => HOW_SERIOUS.indexOf(a.weight) - HOW_SERIOUS.indexOf(b.weight));

/** An older sign-in says nothing of today. */
const RECENT_MS = 30 * 86_400_000;

/** `yes-but`: what may stop a sign-in has not stopped one since it began. */
export type Verdict = 'no' | 'perhaps-not' | 'yes-but' | 'nothing-wrong';

export function verdictOf(findings: readonly Finding[], { sessions = [] }: Evidence, now = Date.now()): Verdict {
  const signedIn = timeOf(lastSignIn(sessions)?.authenticated_at);
  const mayBlock = findings.filter(({ weight }) => weight === 'may-block');
  if (findings.some(({ weight }) => weight === 'blocks')) return 'no';
  if (mayBlock.length === 0) return 'nothing-wrong';
  const stoppedNone = mayBlock.every(({ since }) => since !== undefined && timeOf(since) < signedIn);
  return stoppedNone && signedIn > now - RECENT_MS ? 'yes-but' : 'perhaps-not';
}

function stateFindings({ identity, stateRecord }: Evidence): Finding[] {
  if (identity.state === 'active') return [];
  const by = stateRecord?.details['state'] === 'inactive' ? stateRecord : undefined;
  const since = by?.timestamp ?? identity.state_changed_at;
  return [
    {
      id: 'inactive',
      weight: 'blocks',
      title: 'The identity is inactive',
      evidence: [
        ...(since === undefined ? ['Since when is not known'] : ['Deactivated ', { at: since }]),
        ...(by === undefined
          ? [stateRecord === undefined ? '.' : ', not through this dashboard as far as its trail goes.']
          : [' by ', { actor: by.actor }, '.']),
      ],
      help: { act: 'activate' },
    },
  ];
}

const lockFinding = (lock: LockedAccount): Finding => ({
  id: `locked ${lock.id}`,
  weight: 'blocks',
  title: `${lock.identifier} is locked`,
  evidence: [
    { lock },
    ', locked ',
    { at: lock.locked_at },
    ...(lock.locked_until === null ? [', until somebody unlocks it.'] : [', ends ', { at: lock.locked_until }, '.']),
  ],
  help: { act: 'unlock', account: lock },
});
