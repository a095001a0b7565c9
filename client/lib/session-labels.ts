/** The identity service does not call `identity-inactive` sessions active, but lists them among the active ones. */
export type SessionState = 'active' | 'identity-inactive' | 'ended';

/**
 * Sessions of an inactive identity cannot be used, but are over only once they have ended or expired. This also applies
 * to sessions loaded before the identity became inactive.
 * @param now milliseconds since the epoch
 */
export function sessionState(
  { active, ended, expires_at }: { active: unknown; ended?: boolean; expires_at: unknown },
  identity: { state?: unknown } | null | undefined,
  now = Date.now(),
): SessionState {
  if (identity?.state !== 'inactive') return active === true ? 'active' : 'ended';
  return ended === true || Date.parse(String(expires_at)) <= now ? 'ended' : 'identity-inactive';
}

export const SESSION_STATES: Record<SessionState, { label: string; dot: 'good' | 'warning' | 'off' }> = {
  active: { label: 'Active', dot: 'good' },
  'identity-inactive': { label: 'Person inactive', dot: 'warning' },
  ended: { label: 'Ended', dot: 'off' },
};

export const WHILE_INACTIVE =
  'While a person is inactive, their sessions do not work. Sessions that have not ended work again once the person is active.';

interface SignInMethod {
  method: string;
  provider?: string;
}

/** Credential types and sign-in methods; others keep the identity service's name. */
export const METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    password: 'password',
    oidc: 'social sign-in',
    saml: 'SAML sign-in',
    totp: 'authenticator app',
    lookup_secret: 'backup code',
    webauthn: 'security key',
    passkey: 'passkey',
    code: 'one-time code',
    link_recovery: 'recovery link',
    code_recovery: 'recovery code',
    deviceauthn: 'device key',
  }),
);

/** "By password and authenticator app", from the methods of the session. */
export function formatMethods(methods: readonly SignInMethod[] | null | undefined): string {
  const words = (methods ?? []).map(
    ({ method, provider }) => `${METHODS.get(method) ?? method}${provider ? ` (${provider})` : ''}`,
  );
  return words.length === 0 ? 'Method unknown' : `By ${[...new Set(words)].join(' and ')}`;
}

/** Without a proxy in front, the identity service stores the socket's address with its port. */
export function addressWithoutPort(address: string | null | undefined): string | undefined {
  if (address === null || address === undefined || address === '') return undefined;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1];
  return bracketed ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/.exec(address)?.[1] ?? address;
}

/** A device's IP address if the text is valid: clients can send any text in their headers. */
export function addressIn(address: string | null | undefined): string | undefined {
  const bare = addressWithoutPort(address)?.replace(/%.*$/s, '');
  return bare !== undefined && (isIpv4(bare) || (bare.includes(':') && URL.canParse(`http://[${bare}]/`)))
    ? bare
    : undefined;
}

const isIpv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);

/**
 * Where a session was started; the IP address until the location loads.
 * @param place null when unknown
 */
export const formatPlace = (place: string | null | undefined, address: string | undefined): string =>
  place ?? (place === undefined ? address : undefined) ?? 'Unknown location';

type Point = { lat: number; lng: number };

/** Compares exactly, since locations lie on a half-degree grid. */
export const isSamePlace = (one: Point, other: Point): boolean => one.lat === other.lat && one.lng === other.lng;
