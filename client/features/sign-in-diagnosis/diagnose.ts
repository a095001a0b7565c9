import type { LinkProps } from '@tanstack/react-router';
import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import { timeOf } from '../../../shared/json.ts';
import type { LockedAccount } from '../../../shared/security.ts';
import type { SignInEvent } from '../../../shared/sign-ins.ts';
import type { VerifiableAddress } from '../../api/identities.ts';
import { credentialName, SECOND_FACTORS } from '../../api/identity-credentials.ts';
import { holders } from '../../deployment.ts';
import { formatTemplate } from '../../lib/labels.ts';
import { formatReports, formatSignIn, gapsSince, joined, sourcesOf } from '../../lib/sign-in-words.ts';
import { type Evidence, type Provider, providersOf, signedInAt, signedInWith } from './evidence.ts';

export interface Finding {
  id: string;
  severity: Severity;
  title: string;
  /** When the cause began: a later sign-in proves that it does not block. Undefined if unknown. */
  since?: string | undefined;
  evidence: readonly TextPart[];
  help?: Help;
}

const SEVERITIES = ['blocks', 'may-block', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Part of a sentence: plain text, a time, an operator's id or the reason for a lock. */
export type TextPart = string | { at: string } | { actor: string } | { lock: LockedAccount };

export type Help =
  | { act: 'changeState' | 'recovery' }
  | { act: 'unlock'; account: LockedAccount }
  | { act: 'verify'; address: VerifiableAddress }
  | ({ label: string } & Pick<LinkProps, 'to' | 'params'>);

/** Returns the findings, most serious first. Every finding follows from recorded facts, never from a guess. */
export const diagnose = (evidence: Evidence): readonly Finding[] =>
  [
    ...stateFindings(evidence),
    ...(evidence.locks ?? []).map(lockFinding),
    ...factorFindings(evidence),
    ...addressFindings(evidence),
    ...messageFindings(evidence),
    ...attemptFindings(evidence),
    ...secondFactorFindings(evidence),
  ].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));

/** Older sign-ins and messages say nothing about the present. */
const RECENT_MS = 30 * 86_400_000;

/** `yes-but`: the person has signed in recently, after all possible obstacles appeared. */
export type Verdict = 'no' | 'maybe-not' | 'yes-but' | 'no-problems';

export function verdictOf(findings: readonly Finding[], evidence: Evidence, now = Date.now()): Verdict {
  const signedIn = signedInAt(evidence);
  const mayBlock = findings.filter(({ severity }) => severity === 'may-block');
  if (findings.some(({ severity }) => severity === 'blocks')) return 'no';
  if (mayBlock.length === 0) return 'no-problems';
  const blockedNone = mayBlock.every(({ since }) => since !== undefined && timeOf(since) < signedIn);
  return blockedNone && signedIn > now - RECENT_MS ? 'yes-but' : 'maybe-not';
}

function stateFindings({ identity, stateRecord }: Evidence): Finding[] {
  if (identity.state === 'active') return [];
  const by = stateRecord?.details['state'] === 'inactive' ? stateRecord : undefined;
  const since = by?.timestamp ?? identity.state_changed_at;
  return [
    {
      id: 'inactive',
      severity: 'blocks',
      title: 'The identity is inactive',
      evidence: [
        ...(since === undefined ? ['Deactivated at an unknown time'] : ['Deactivated ', { at: since }]),
        ...(by === undefined
          ? [stateRecord === undefined ? '.' : '. The latest audit records do not say by whom.']
          : [' by ', { actor: by.actor }, '.']),
      ],
      help: { act: 'changeState' },
    },
  ];
}

const lockFinding = (lock: LockedAccount): Finding => ({
  id: `locked ${lock.id}`,
  severity: 'blocks',
  title: `${lock.identifier} is locked`,
  evidence: [
    { lock },
    ', locked ',
    { at: lock.locked_at },
    ...(lock.locked_until === null ? [', until it is unlocked.'] : [', ends ', { at: lock.locked_until }, '.']),
  ],
  help: { act: 'unlock', account: lock },
});

const FIRST = new Set(['password', 'passkey', 'oidc', 'saml', 'deviceauthn']);
/** These are first factors only if Kratos is configured that way. The dashboard cannot read that configuration. */
const MAYBE_FIRST = new Set(['code', 'webauthn']);

/**
 * Reports a person without a first factor, with uncertain ones only, or with providers that are not offered. Connections
 * are settings of this dashboard: the identity service never reads them, and a login page need not. So a provider that is
 * switched off or missing there never means “No”, and a sign-in with it since then shows that it works.
 */
function factorFindings(evidence: Evidence, now = Date.now()): Finding[] {
  const { credentials, providers } = evidence;
  if (credentials === undefined) return [];
  const set = credentials.filter((one) => one.set);
  const first = set.filter(({ type }) => FIRST.has(type));
  if (first.length === 0) return [withoutFirstFactor(set)];
  const names = providersOf(credentials);
  const closed = names.flatMap((name) => {
    const { state, since } = providers?.get(name) ?? { state: 'offered', since: 0 };
    const why = CLOSED[state];
    const last = signedInWith(name, evidence);
    return why === undefined ? [] : [{ name, ...why, since, last, works: last > Math.max(since, now - RECENT_MS) }];
  });
  const noWayIn = first.every(({ type }) => type === 'oidc') && closed.length === names.length;
  const isCertain = !set.some(({ type }) => MAYBE_FIRST.has(type));
  const only = names.length === 1 ? 'Their only way to sign in is' : 'They sign in only with providers, one of them';
  const oneWorks = closed.some(({ works }) => works);
  return closed.map(({ name, title, why, since, last, works }) => ({
    id: `provider ${name}`,
    severity: noWayIn && (works || !oneWorks) ? 'may-block' : 'note',
    // Undefined without a sign-in with this provider: that with another one shows nothing.
    since: works ? new Date(since).toISOString() : undefined,
    title: `${noWayIn && isCertain ? only : 'One of their ways to sign in is'} ${name}, ${title}`,
    evidence: works
      ? [why, ' They signed in with it ', { at: new Date(last).toISOString() }, ', so it seems to work.']
      : [why],
    help: { label: 'Connections', to: '/connections' },
  }));
}

const CLOSED: Partial<Record<Provider['state'], { title: string; why: string }>> = {
  disabled: {
    title: 'which is switched off in Connections',
    why: 'Login pages that read Connections do not offer it. The identity service decides by its own configuration.',
  },
  incomplete: {
    title: 'which is not fully set up in Connections',
    why: 'Its client ID or client secret is missing there. The identity service may have its own.',
  },
  unknown: {
    title: 'which is not in Connections',
    why: 'It has no settings here. The identity service may still offer it through its own configuration.',
  },
};

function withoutFirstFactor(set: readonly IdentityCredential[]): Finding {
  const maybe = set.filter(({ type }) => MAYBE_FIRST.has(type));
  const id = 'no-first-factor';
  const help = { act: 'recovery' } as const;
  if (maybe.length > 0)
    return {
      id,
      severity: 'may-block',
      since: maybe[0]?.created_at ?? undefined,
      title: `They can sign in only with: ${namesOf(maybe).join(' and ')}`,
      evidence: [
        'Whether that is enough depends on the identity service’s configuration, which this dashboard cannot read.',
      ],
      help,
    };
  return {
    id,
    severity: 'blocks',
    title: 'They have no way to sign in',
    evidence: [
      set.length === 0
        ? 'No credentials are set up.'
        : `Only these are set up: ${namesOf(set).join(', ')}. None of them works without a first factor.`,
    ],
    help,
  };
}

const namesOf = (credentials: readonly IdentityCredential[]): string[] =>
  credentials.map(({ type }) => credentialName(type));

/** Recovery needs an address, and some installations only admit people with a verified address. */
function addressFindings({ identity }: Evidence): Finding[] {
  const { verifiable_addresses: verifiable = [], recovery_addresses: recovery = [] } = identity;
  const findings: Finding[] = [];
  if (recovery.length === 0)
    findings.push({
      id: 'no-recovery-address',
      severity: 'note',
      title: 'They cannot recover the account themselves',
      evidence: ['The identity has no recovery address, so no recovery message can be sent.'],
      help: { act: 'recovery' },
    });
  const [address] = verifiable;
  if (address !== undefined && !verifiable.some(({ verified }) => verified))
    findings.push({
      id: 'not-verified',
      severity: 'may-block',
      title: verifiable.length === 1 ? 'Their address is not verified' : 'None of their addresses is verified',
      since: address.created_at ?? identity.created_at,
      evidence: ['Sign-in and recovery fail if they require a verified address.'],
      help: { act: 'verify', address },
    });
  return findings;
}

const RECOVERY = /^recovery(_code)?_valid$/;

/** A healthy courier sends within seconds. */
const SLOW_MS = 5 * 60_000;

/** Reports the last message if it was not sent, and the last recovery message if no sign-in followed. */
function messageFindings(evidence: Evidence, now = Date.now()): Finding[] {
  const { messages = [], sessions, courierReason } = evidence;
  const recent = messages.filter(({ created }) => timeOf(created) > now - RECENT_MS);
  const findings: Finding[] = [];
  const [newest] = recent;
  if (newest !== undefined) {
    const abandoned = newest.status === 'abandoned';
    const waiting = !abandoned && newest.status !== 'sent' && timeOf(newest.created) < now - SLOW_MS;
    const unknown =
      courierReason === null ? `Only ${holders(['upstreams.write'])} can see why.` : 'The reason is unknown.';
    const reason = courierReason == null ? `. ${unknown}` : `: “${courierReason}”`;
    if (abandoned || waiting)
      findings.push({
        id: 'undelivered',
        severity: 'may-block',
        since: newest.created,
        title: abandoned
          ? 'The last message to them was not delivered'
          : 'The last message to them has not been sent yet',
        evidence: [
          `${formatTemplate(newest.template)} to ${newest.recipient}, written `,
          { at: newest.created },
          abandoned
            ? `, abandoned by the courier${reason}`
            : '. Messages wait while the identity service’s courier is not running or cannot reach the mail or SMS server.',
        ],
        help: { label: 'Message', to: '/messages/$id', params: { id: newest.id } },
      });
  }
  const recovery = recent.find(({ template }) => RECOVERY.test(template));
  const signedIn = sessions && signedInAt(evidence);
  if (recovery?.status === 'sent' && signedIn !== undefined && !(signedIn >= timeOf(recovery.created)))
    findings.push({
      id: 'recovery-unused',
      severity: 'note',
      title: 'A recovery message was sent, but nobody has signed in since',
      evidence: [
        `${formatTemplate(recovery.template)} to ${recovery.recipient}, accepted by the mail or SMS server, written `,
        { at: recovery.created },
        '. It may be in the spam folder or have expired.',
      ],
      help: { act: 'recovery' },
    });
  return findings;
}

/** Reasons shown of failed attempts. */
const REASONS_MAX = 3;
const LATE_MS = 86_400_000;

/**
 * Reports failed attempts since the last sign-in, by reason, or that there was none. Attempts on an inactive account
 * name nobody, so nothing follows from their absence.
 */
function attemptFindings(evidence: Evidence, now = Date.now()): Finding[] {
  const { identity, attempts } = evidence;
  const known = attempts?.coverage.sign_ins_since;
  if (attempts == null || known == null) return [];
  const { events, completeSince, coverage } = attempts;
  const starts = [known, identity.created_at, identity.state_changed_at, completeSince].map(timeOf);
  const since = Math.max(signedInAt(evidence), now - RECENT_MS, ...starts);
  const at = new Date(since).toISOString();
  const failures = events.filter((one) => one.event === 'LoginFailed' && timeOf(one.at) >= since);
  const reports = `${MISTYPED} ${formatReports(coverage, 'identity', since)}`;
  if (failures.length === 0) {
    if (identity.state !== 'active') return [];
    const isReported = sourcesOf(coverage, 'identity').some(({ last_at }) => timeOf(last_at) > now - LATE_MS);
    const isCovered = isReported && gapsSince(coverage, 'identity', since).length === 0;
    const title = isCovered ? 'No attempt that can be assigned to them' : 'Attempts may be missing';
    return [{ id: 'no-attempt', severity: 'note', title, evidence: ['None reported since ', { at }, `. ${reports}`] }];
  }
  return [...new Set(failures.map(formatSignIn))].slice(0, REASONS_MAX).map((words) => {
    const all = failures.filter((failure) => formatSignIn(failure) === words);
    const last = all[0] as SignInEvent;
    const from = joined(last.ip, last.place, last.device) || 'an unknown address';
    return {
      id: `failed ${words}`,
      severity: 'may-block',
      title: all.length > 1 ? `${words}, ${all.length} times` : words,
      since: last.at,
      evidence: ['Last ', { at: last.at }, `, reported from ${from}. No sign-in since `, { at }, `. ${reports}`],
      ...(last.reason === 'invalid_credentials' && { help: { act: 'recovery' } as const }),
    };
  });
}

const MISTYPED = 'Attempts with a mistyped identifier are not included.';

/** Names the second factors that sign-in may require, since the person may have lost a device. */
function secondFactorFindings({ identity, credentials = [] }: Evidence): Finding[] {
  const second = credentials.filter(({ type, set }) => set && SECOND_FACTORS.has(type));
  if (second.length === 0) return [];
  return [
    {
      id: 'second-factor',
      severity: 'note',
      title: 'A second factor is set up',
      evidence: [
        ...second.flatMap(({ type, created_at }, index): TextPart[] => [
          `${index === 0 ? '' : ', '}${credentialName(type)}`,
          ...(created_at === null ? [] : [' (added ', { at: created_at }, ')']),
        ]),
        '. If sign-in requires a second factor, the person needs one of them.',
      ],
      help: { label: 'Credentials', to: '/identities/$id/credentials', params: { id: identity.id } },
    },
  ];
}
