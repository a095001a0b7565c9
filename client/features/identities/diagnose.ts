import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import { timeOf } from '../../../shared/json.ts';
import type { LockedAccount } from '../../../shared/security.ts';
import { formatTemplate } from '../../lib/labels.ts';
import { credentialName } from './credentials-tab.tsx';
import {
  type Evidence,
  type Finding,
  HOW_SERIOUS,
  lastSignIn,
  type Piece,
  type ProviderState,
  providerOf,
} from './evidence.ts';

/** Recovery needs an address; some installations admit only those who verified one. */
export function addressFindings({ identity }: Evidence): Finding[] {
  const { verifiable_addresses: verifiable = [], recovery_addresses: recovery = [] } = identity;
  const findings: Finding[] = [];
  if (recovery.length === 0)
    findings.push({
      id: 'no-recovery-address',
      weight: 'note',
      title: 'They cannot recover the account themselves',
      evidence: ['The identity has no recovery address, so no recovery mail can be sent.'],
      help: { act: 'recovery' },
    });
  const [address] = verifiable;
  if (address !== undefined && !verifiable.some(({ verified }) => verified))
    findings.push({
      id: 'not-verified',
      weight: 'may-block',
      title: verifiable.length === 1 ? 'Their address is not verified' : 'None of their addresses is verified',
      since: address.created_at ?? identity.created_at,
      evidence: ['Where sign-in or recovery requires a verified address, it ends there.'],
      help: { act: 'verify', address },
    });
  return findings;
}

const RECOVERY = /^recovery(_code)?_valid$/;
/** Older ones say nothing of today. */

/** A courier that runs sends within seconds. */
const SLOW_MS = 5 * 60_000;

/** Messages that did not leave, and recovery messages after which nobody signed in. @returns at most one of each */
export function messageFindings(evidence: Evidence, now = Date.now()): Finding[] {
  const { messages = [], sessions, courierReason } = evidence;
  const recent = messages.filter(({ created }) => timeOf(created) > now - RECENT_MS);
  const findings: Finding[] = [];
  const [newest] = recent;
  if (newest?.status === 'abandoned')
    findings.push({
      id: 'abandoned',
      weight: 'may-block',
      since: newest.created,
      title: 'The last message to them was not delivered',
      evidence: [
        `${formatTemplate(newest.template)} to ${newest.recipient}, written `,
        { at: newest.created },
        ', abandoned by the courier',
        courierReason === undefined ? '. It gave no reason that is known.' : `: “${courierReason}”`,
      ],
      help: { act: 'message', id: newest.id },
    });
  else if (newest !== undefined && newest.status !== 'sent' && timeOf(newest.created) < now - SLOW_MS)
    findings.push({
      id: 'waiting',
      weight: 'may-block',
      since: newest.created,
      title: 'The last message to them has not been sent yet',
      evidence: [
        `${formatTemplate(newest.template)} to ${newest.recipient}, written `,
        { at: newest.created },
        '. Messages wait while the identity service’s courier does not run, or cannot reach the mail server.',
      ],
      help: { act: 'message', id: newest.id },
    });
  const recovery = recent.find(({ template }) => RECOVERY.test(template));
  const signedIn = sessions === undefined ? undefined : lastSignIn(sessions)?.authenticated_at;
  if (
    recovery?.status === 'sent' &&
    sessions !== undefined &&
    !(signedIn !== undefined && timeOf(signedIn) >= timeOf(recovery.created))
  )
    findings.push({
      id: 'recovery-unused',
      weight: 'note',
      title: 'A recovery message was sent, and nobody has signed in since',
      evidence: [
        `${formatTemplate(recovery.template)} to ${recovery.recipient}, accepted by the mail server, sent `,
        { at: recovery.created },
        '. It may be in a spam folder, or have expired.',
      ],
      help: { act: 'recovery' },
    });
  return findings;
}

/** With any of these somebody signs in. */
const FIRST = new Set(['password', 'passkey', 'oidc', 'saml', 'deviceauthn']);
/** These too, where the identity service is configured so, which it does not tell. */
const PERHAPS_FIRST = new Set(['code', 'webauthn']);
const SECOND = new Set(['totp', 'lookup_secret', 'webauthn']);

/** The providers that somebody signs in with. */
export const providersOf = (credentials: readonly IdentityCredential[]): string[] => [
  ...new Set(
    credentials
      .filter(({ type, set }) => set && type === 'oidc')
      .flatMap(({ identifiers }) => identifiers.map(providerOf))
      .filter((name) => name !== ''),
  ),
];

/** No first factor, none but uncertain ones, or none but providers that are not offered. */
export function factorFindings({ credentials, providers }: Evidence): Finding[] {
  if (credentials === undefined) return [];
  const set = credentials.filter((one) => one.set);
  const first = set.filter(({ type }) => FIRST.has(type));
  if (first.length === 0) return [withoutFirstFactor(set)];
  const byProvider = providersOf(credentials);
  const onlyProviders = first.every(({ type }) => type === 'oidc') && byProvider.length > 0;
  if (providers === undefined) return [];
  const closed = byProvider.filter((name) => CLOSED[providers.get(name) ?? 'offered'] !== undefined);
  const allClosed = onlyProviders && closed.length === byProvider.length;
  return closed.map((name): Finding => {
    const state = providers.get(name) ?? 'offered';
    const other = set.some(({ type }) => PERHAPS_FIRST.has(type));
    return {
      id: `provider ${name}`,
      weight: allClosed && !other && state !== 'unknown' ? 'blocks' : onlyProviders && allClosed ? 'may-block' : 'note',
      title: allClosed
        ? `${onlyWay(byProvider)} ${name}, ${CLOSED[state]}`
        : `One of their ways to sign in is ${name}, ${CLOSED[state]}`,
      evidence: [WHY_CLOSED[state] ?? ''],
      help: { act: 'connections' },
    };
  });
}

const onlyWay = (names: readonly string[]): string =>
  names.length === 1 ? 'Their only way to sign in is' : 'They sign in only with providers, one of them';

const CLOSED: Partial<Record<ProviderState, string>> = {
  disabled: 'which is switched off',
  incomplete: 'which is not set up completely',
  unknown: 'which Connections does not know',
};

const WHY_CLOSED: Partial<Record<ProviderState, string>> = {
  disabled: 'Connections has it, but sign-in pages are told not to offer it.',
  incomplete: 'In Connections, its client id or its client secret is missing.',
  unknown: 'It has no settings here. The identity service may still offer it by its own configuration.',
};

function withoutFirstFactor(set: readonly IdentityCredential[]): Finding {
  const perhaps = set.filter(({ type }) => PERHAPS_FIRST.has(type));
  const names = perhaps.map(({ type }) => credentialName(type)).join(' and ');
  return {
    id: 'no-first-factor',
    weight: perhaps.length === 0 ? 'blocks' : 'may-block',
    since: perhaps[0]?.created_at ?? undefined,
    title: perhaps.length === 0 ? 'They have nothing to sign in with' : `They sign in with nothing but: ${names}`,
    evidence:
      perhaps.length === 0
        ? [
            set.length === 0
              ? 'No credential is set.'
              : `Set are only: ${set.map(({ type }) => credentialName(type)).join(', ')}. None of these starts a sign-in.`,
          ]
        : ['Whether that starts a sign-in is configured in the identity service, which does not tell.'],
    help: { act: 'recovery' },
  };
}

/** Which second factors will be asked for; worth knowing where somebody lost a device. */
export function secondFactorFindings({ credentials = [] }: Evidence): Finding[] {
  const second = credentials.filter(({ type, set }) => set && SECOND.has(type));
  if (second.length === 0) return [];
  return [
    {
      id: 'second-factor',
      weight: 'note',
      title: 'A second factor is set',
      evidence: second
        .flatMap((credential, index): Piece[] => [
          index === 0 ? '' : ', ',
          credentialName(credential.type),
          ...since(credential),
        ])
        .concat('. It is asked for after the first where sign-in requires it.'),
      help: { act: 'credentials' },
    },
  ];
}

const since = ({ created_at }: IdentityCredential): Piece[] =>
  created_at === null ? [] : [' (added ', { at: created_at }, ')'];

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
