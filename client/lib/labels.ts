import type { LockedAccount } from '../../shared/security.ts';
import { counted } from './format-count.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const GRANTS: Record<string, string> = {
  authorization_code: 'Authorization code',
  refresh_token: 'Refresh token',
  client_credentials: 'Client credentials',
  implicit: 'Implicit',
  password: 'Password',
  [DEVICE_GRANT]: 'Device code',
  [JWT_BEARER_GRANT]: 'JWT bearer',
};

/** A grant type in words; one that is not known, as it is. */
export const formatGrant = (grant: string): string => (Object.hasOwn(GRANTS, grant) ? (GRANTS[grant] ?? grant) : grant);

/** `wrong_password` after 5 attempts: "Wrong password, 5 attempts". */
export function formatReason({ reason, attempts }: Pick<LockedAccount, 'reason' | 'attempts'>): string {
  const words = reason.replaceAll('_', ' ').trim();
  const why = words === '' ? 'Reason unknown' : words[0]?.toUpperCase() + words.slice(1);
  return attempts > 0 ? `${why}, ${counted(attempts, 'attempt', 'attempts')}` : why;
}

/** In the order in which a message goes through them. */
export const MESSAGE_STATUSES = ['queued', 'processing', 'sent', 'abandoned'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Kratos' own templates; an installation may have others. */
const TEMPLATES: Record<string, string> = {
  recovery_valid: 'Recovery link',
  recovery_invalid: 'Recovery of an unknown address',
  recovery_code_valid: 'Recovery code',
  recovery_code_invalid: 'Recovery of an unknown address',
  verification_valid: 'Verification link',
  verification_invalid: 'Verification of an unknown address',
  verification_code_valid: 'Verification code',
  verification_code_invalid: 'Verification of an unknown address',
  login_code_valid: 'Sign-in code',
  login_code_invalid: 'Sign-in of an unknown address',
  registration_code_valid: 'Registration code',
  registration_code_invalid: 'Registration of a known address',
  stub: 'Test message',
};

const STATUSES: Record<string, { label: string; dot: 'good' | 'warning' | 'bad' | 'off' }> = {
  queued: { label: 'Queued', dot: 'off' },
  processing: { label: 'Sending', dot: 'warning' },
  sent: { label: 'Sent', dot: 'good' },
  abandoned: { label: 'Abandoned', dot: 'bad' },
};

const CHANNELS: Record<string, string> = { email: 'E-mail', sms: 'Text message' };

/** What a message is about. */
export const formatTemplate = (template: string): string =>
  Object.hasOwn(TEMPLATES, template) ? (TEMPLATES[template] ?? template) : template || 'Message';

export const messageStatus = (status: string): { label: string; dot: 'good' | 'warning' | 'bad' | 'off' } =>
  (Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined) ?? { label: status || 'unknown', dot: 'off' };

export const formatChannel = (channel: string): string =>
  Object.hasOwn(CHANNELS, channel) ? (CHANNELS[channel] ?? channel) : channel || 'unknown';

/** The identity service calls only the first kind active, but its list of active sessions also includes the second. */
export type SessionState = 'active' | 'person-inactive' | 'ended';

/**
 * A session of an inactive identity admits nobody but is not over; this also holds for a session read before the
 * identity became inactive.
 * @param now milliseconds since 1970
 */
export function sessionState(
  { active, ended, expires_at }: { active: unknown; ended?: boolean; expires_at: unknown },
  person: { state?: unknown } | null | undefined,
  now = Date.now(),
): SessionState {
  if (person?.state !== 'inactive') return active === true ? 'active' : 'ended';
  return ended === true || Date.parse(String(expires_at)) <= now ? 'ended' : 'person-inactive';
}

export const SESSION_STATES: Record<SessionState, { label: string; dot: 'good' | 'warning' | 'off' }> = {
  active: { label: 'Active', dot: 'good' },
  'person-inactive': { label: 'Person inactive', dot: 'warning' },
  ended: { label: 'Ended', dot: 'off' },
};

export const WHILE_INACTIVE =
  'While a person is inactive, their sessions do not work. Those that have not ended work again once the person is active.';

interface SignInMethod {
  method: string;
  /** Of a social sign-in. */
  provider?: string;
}

const METHODS: Record<string, string> = {
  password: 'password',
  oidc: 'social sign-in',
  totp: 'authenticator app',
  lookup_secret: 'backup code',
  webauthn: 'security key',
  passkey: 'passkey',
  code: 'one-time code',
  link_recovery: 'recovery link',
  code_recovery: 'recovery code',
};

/** "By password and authenticator app", from the methods that the identity service recorded. */
export function formatMethods(methods: readonly SignInMethod[] | null | undefined): string {
  const words = (methods ?? []).map(({ method, provider }) =>
    provider === undefined || provider === ''
      ? (METHODS[method] ?? method)
      : `${METHODS[method] ?? method} (${provider})`,
  );
  return words.length === 0 ? 'Method unknown' : `By ${[...new Set(words)].join(' and ')}`;
}

/** Where no proxy named the caller, the identity service stores the socket's address with its port. */
export function addressWithoutPort(address: string | null | undefined): string | undefined {
  if (address === null || address === undefined || address === '') return undefined;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1];
  return bracketed ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/.exec(address)?.[1] ?? address;
}

/** A device's IP address, if the stored text is one: callers can put anything into their headers. */
export function addressIn(address: string | null | undefined): string | undefined {
  const bare = addressWithoutPort(address)?.replace(/%.*$/s, '');
  return bare !== undefined && (isIpv4(bare) || (bare.includes(':') && URL.canParse(`http://[${bare}]/`)))
    ? bare
    : undefined;
}

const isIpv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);

/**
 * Where a session was started; its IP address until the place is known.
 * @param place null when unknown
 */
export const formatPlace = (place: string | null | undefined, address: string | undefined): string =>
  place ?? (place === undefined ? address : undefined) ?? 'Unknown location';
