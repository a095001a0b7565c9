import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';
import { credentialName } from '../detail/credential-names.ts';
import type { Evidence } from './evidence.ts';
import type { Finding, Piece } from './finding.ts';
import { type ProviderState, providerOf } from './provider-states.ts';

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
