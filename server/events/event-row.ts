import { formatDevice } from '../../shared/format-device.ts';
import { isUuid } from '../../shared/json.ts';
import { SIGN_IN_EVENTS, SIGN_IN_METHODS, type SignInEventName } from '../../shared/sign-ins.ts';
import { addressIn, type LookUp, placeLabel } from '../geo/geo-lookup.ts';
import { canonicalAddress, peerKey } from '../networks.ts';
import type { SpanEvent } from './decode.ts';
import { eventReason } from './reasons.ts';

/** Whose failure an event is: what names nobody is stored briefly, and deleted first. */
export const FAILURE = { ofSomebody: 0, ofNobody: 1, ofNoClient: 2, ofClient: 3 } as const;

/** A row of `sign_in_events`; null where nothing is known. */
export interface EventRow {
  /** ISO 8601 in UTC with nanoseconds, so that events of one trace differ. */
  at: string;
  trace: string;
  event: SignInEventName;
  service: string;
  identity: string | null;
  session: string | null;
  client: string | null;
  method: string | null;
  provider: string | null;
  reason: string | null;
  address: string | null;
  /** By which failures are counted: the address, or the /64 of an IPv6 address; empty if unknown. */
  network: string;
  country: string | null;
  place: string | null;
  device: string | null;
  failure: (typeof FAILURE)[keyof typeof FAILURE];
  number: number;
}

const OF_IDENTITIES = ['IdentityID', 'SessionID', 'SelfServiceMethodUsed', 'SelfServiceSSOProviderUsed', 'Reason'];
const ATTRIBUTES = new Set([...OF_IDENTITIES, 'ClientIP', 'ErrorReason', 'OAuth2ClientID', 'OAuth2GrantType']);
const CHANGES = new Set(['IdentityCreated', 'IdentityUpdated', 'IdentityDeleted']);
const TOKEN_ISSUED = 'OAuth2AccessTokenIssued';
const STORED: ReadonlySet<string> = new Set(SIGN_IN_EVENTS);

/** The attributes to read of an event; undefined for events of which nothing is stored. */
export const attributesOf = (event: string): ReadonlySet<string> | undefined =>
  STORED.has(event) || CHANGES.has(event) || event === TOKEN_ISSUED ? ATTRIBUTES : undefined;

/** What an event means for the log. */
export type Meaning =
  | { kind: 'row'; row: EventRow }
  | { kind: 'token'; client: string; grant: string; at: string }
  | { kind: 'identity'; id: string; isDeleted: boolean };

/**
 * Reads an event. Every text comes from a fixed set, has a fixed form, or is redacted: whoever signs in, and whoever
 * configures the services, may have put secrets into attributes.
 * @param options.redact blanks what must not be stored in a sentence
 * @returns undefined if it says nothing that is stored
 */
export function meaningOf(
  { name, service, trace, time, attributes }: SpanEvent,
  { lookUp, redact }: { lookUp: LookUp; redact: (text: string) => string },
): Meaning | undefined {
  const identity = uuidOf(attributes['IdentityID']);
  if (CHANGES.has(name))
    return identity === null ? undefined : { kind: 'identity', id: identity, isDeleted: name === 'IdentityDeleted' };
  const at = timeOf(time);
  const client = clientOf(attributes['OAuth2ClientID']);
  if (name === TOKEN_ISSUED)
    return client === null ? undefined : { kind: 'token', client, grant: grantOf(attributes['OAuth2GrantType']), at };
  const event = SIGN_IN_EVENTS.find((one) => one === name);
  if (event === undefined || !/^[\da-f]{32}$/.test(trace)) return undefined;
  const address = addressOf(attributes['ClientIP']);
  const place = address === null ? undefined : lookUp(address);
  return {
    kind: 'row',
    row: {
      ...{ at, trace, event, service, identity, client, address },
      session: uuidOf(attributes['SessionID']),
      method: methodOf(attributes['SelfServiceMethodUsed']),
      provider: matching(attributes['SelfServiceSSOProviderUsed'], /^[\w-]{1,40}$/),
      reason: eventReason(event, attributes['Reason'] ?? attributes['ErrorReason'] ?? '', redact),
      network: address === null ? '' : networkOf(address),
      country: place?.countryCode ?? null,
      place: place === undefined ? null : placeLabel(place),
      device: null,
      failure: failureOf(event, identity, client),
      number: 1,
    },
  };
}

/** The name of a service as it is stored. */
export const serviceOf = (name: string): string => matching(name, /^[\w.-]{1,64}$/) ?? 'unknown';

/** `Chrome on macOS`; null if the header names nothing known. */
export function deviceOf(userAgent: string): string | null {
  const words = formatDevice(userAgent);
  return words === formatDevice(undefined) ? null : words;
}

/** @param time nanoseconds since the epoch */
export function timeOf(time: bigint): string {
  const date = new Date(Number(time / 1_000_000n));
  if (Number.isNaN(date.getTime())) return timeOf(0n);
  return `${date.toISOString().slice(0, -1)}${String(time % 1_000_000n).padStart(6, '0')}Z`;
}

function failureOf(event: SignInEventName, identity: string | null, client: string | null): EventRow['failure'] {
  if (event === 'OAuth2TokenExchangeError') return client === null ? FAILURE.ofNoClient : FAILURE.ofClient;
  return event.endsWith('Failed') && identity === null ? FAILURE.ofNobody : FAILURE.ofSomebody;
}

const matching = (text: string | undefined, form: RegExp): string | null =>
  text !== undefined && form.test(text) ? text : null;

const uuidOf = (text = ''): string | null => (isUuid(text) ? text.toLowerCase() : null);

/** A client's id may be any text, but one with spaces or of great length is none that Hydra creates. */
const clientOf = (text: string | undefined): string | null => matching(text, /^[\x21-\x7e]{1,255}$/);

const methodOf = (text = ''): string | null =>
  text === '' ? null : (SIGN_IN_METHODS.find((method) => method === text) ?? 'other');

const GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'implicit',
  'password',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
];
const grantOf = (text = ''): string => GRANTS.find((grant) => grant === text) ?? 'other';

/** In canonical form, so that one address is always the same text. */
export function addressOf(text = ''): string | null {
  const address = addressIn(text.trim());
  return address === undefined ? null : canonicalAddress(address);
}

/** An IPv4 address or a network as it is, an IPv6 address as its /64: `2001:db8:0:1::/64`. */
export function networkOf(address: string): string {
  const key = peerKey(address);
  if (!key.endsWith('/64') || key === address) return key;
  const groups = key.slice(0, -3).padStart(16, '0').match(/.{4}/g) ?? [];
  return `${new URL(`http://[${groups.join(':')}::]`).hostname.slice(1, -1)}/64`;
}
