import type { DayCount } from './dashboard.ts';

/** The events in the sign-in log, by their names in traces of Kratos and Hydra. Issued tokens are only counted. */
export const EVENT_WORDS = {
  LoginSucceeded: 'Signed in',
  LoginFailed: 'Sign-in failed',
  RecoveryInitiatedByAdmin: 'Recovery code created by an administrator',
  RecoverySucceeded: 'Account recovered',
  SessionRevoked: 'Signed out',
  RegistrationSucceeded: 'Registered',
  RegistrationFailed: 'Registration failed',
  SettingsSucceeded: 'Account changed by its owner',
  SettingsFailed: 'Change by the owner failed',
  VerificationSucceeded: 'Address verified',
  VerificationFailed: 'Verification failed',
  OAuth2TokenExchangeError: 'Token refused',
};
export type SignInEventName = keyof typeof EVENT_WORDS;
export const SIGN_IN_EVENTS = Object.keys(EVENT_WORDS) as SignInEventName[];

export const SIGN_IN_OUTCOMES = ['succeeded', 'failed', 'other'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** Whether something worked; `other` for what has no outcome, such as the end of a session. */
export function outcomeOf(event: SignInEventName): SignInOutcome {
  if (event.endsWith('Succeeded')) return 'succeeded';
  return /(?:Failed|Error)$/.test(event) ? 'failed' : 'other';
}

/** How somebody signs in at Kratos; any other method is `other`. */
export const SIGN_IN_METHODS = [
  'password',
  'oidc',
  'saml',
  'code',
  'link',
  'passkey',
  'webauthn',
  'totp',
  'lookup_secret',
  'profile',
  'identifier_first',
  'other',
] as const;

/** Why something failed. `invalid_credentials` is a wrong secret only if the event names the identity. */
export const REASON_WORDS = {
  invalid_credentials: 'Wrong credentials',
  inactive: 'Account inactive',
  not_verified: 'Address not verified',
  code_invalid: 'Wrong or expired code',
  second_factor_invalid: 'Wrong second factor',
  second_factor_needed: 'Second factor required',
  no_such_method: 'Method not set up',
  flow_expired: 'Form expired',
  csrf: 'Form refused (CSRF)',
  exists_already: 'Account exists already',
  provider_failed: 'Sign-in provider failed',
  password_refused: 'New password refused',
  invalid_input: 'Invalid input',
  rate_limited: 'Too many attempts',
  invalid_client: 'Unknown client, or wrong secret',
  invalid_grant: 'Invalid code or refresh token',
  invalid_scope: 'Scope not allowed',
  invalid_request: 'Invalid request',
  unauthorized_client: 'Grant not allowed for the client',
  unsupported_grant_type: 'Grant not supported',
  server_error: 'Server error',
  other: 'Other reason',
};
export const SIGN_IN_REASONS = Object.keys(REASON_WORDS) as (keyof typeof REASON_WORDS)[];

/** An entry of the sign-in log. Address, place and device are as reported: whoever reaches Kratos can invent them. */
export interface SignInEvent {
  id: string;
  /** ISO 8601, by the clock of the service that reports it. */
  at: string;
  event: SignInEventName;
  /** The `service_name` in the configuration of Kratos or Hydra. */
  service: string;
  identity_id: string | null;
  session_id: string | null;
  client_id: string | null;
  method: string | null;
  provider: string | null;
  /** One of `SIGN_IN_REASONS`, or a redacted sentence of at most `REASON_MAX_CHARACTERS`. */
  reason: string | null;
  /** An address; the network of several failures may be an IPv6 /64. */
  ip: string | null;
  country: string | null;
  /** `Oslo, Norway`, or only the country. */
  place: string | null;
  device: string | null;
  /** More than 1: failures of the same minute and address that name nobody, beyond the first `FAILURES_A_MINUTE`. */
  count: number;
}

export const REASON_MAX_CHARACTERS = 200;
/** More failures than this in one minute from one address (IPv6: /64), without an identity, share an entry. */
export const FAILURES_A_MINUTE = 20;

/** `GET /api/security/sign-ins`, newest first. A page may be short, or empty, and still have more. */
export interface SignInPage {
  events: SignInEvent[];
  next_page_token: string | null;
  has_more: boolean;
}

/** Why events may be missing: no replica listened, requests were refused, or a service sent nothing. */
export const GAP_CAUSES = ['not_listening', 'refused', 'silent'] as const;

/** Why the listener refused a request. */
export const REFUSAL_WORDS = {
  key: 'wrong key',
  browser: 'from a browser',
  type: 'another format',
  size: 'too large',
  malformed: 'unreadable',
  busy: 'too many at once',
  database: 'database not available',
};
export type EventRefusal = keyof typeof REFUSAL_WORDS;

/** A time in which events may be missing. */
export interface SignInGap {
  cause: (typeof GAP_CAUSES)[number];
  /** The service that was silent, or why requests were refused (`EventRefusal`); empty if no replica listened. */
  detail: string;
  from: string;
  to: string;
  /** Refused requests; otherwise 0. */
  count: number;
}

export interface SignInSource {
  service: string;
  /** Kratos or Hydra; null until one of its requests shows it. */
  api: 'identity' | 'oauth' | null;
  since: string;
  /** The time of its last span, and of its last entry in the log. */
  last_at: string;
  last_event_at: string | null;
  /** Whether it sends all spans, so that silence means something; behind a filter, only the age of the last one is known. */
  unfiltered: boolean;
}

/** `GET /api/security/sign-ins/coverage`: what the log may lack. */
export interface SignInCoverage {
  /** When the first service began to send, or the start of the retention; null before the first request. */
  since: string | null;
  /** The same for sign-ins alone, which only Kratos reports. */
  sign_ins_since: string | null;
  kept_days: number;
  sources: SignInSource[];
  /** Newest first, at most `GAPS_MAX`. */
  gaps: SignInGap[];
}
export const GAPS_MAX = 200;

/** Failures that name neither a person nor a client, by address, most first. */
export interface AddressCount {
  ip: string | null;
  count: number;
}

/** `GET /api/security/sign-ins/summary?time_zone=` */
export interface SignInSummary {
  /** Sign-ins by local day, without gaps, from the day since when they arrive. */
  succeeded: DayCount[];
  failed: DayCount[];
  /** Of the last `ADDRESS_HOURS` hours: attempts without a known identity, and refused token requests without a client. */
  sign_in_addresses: AddressCount[];
  token_addresses: AddressCount[];
}
export const ADDRESS_HOURS = 24;
export const ADDRESSES_MAX = 20;

/** What is known of the tokens of an OAuth 2.0 client. */
export interface ClientUsage {
  client_id: string;
  /** Null if no token has been issued since `since`. */
  last_used_at: string | null;
  /** Issued tokens by day (UTC), of the last 30 days, without days that have none. */
  tokens: DayCount[];
}

/** `GET /api/oauth-clients/usage`, by id. */
export interface ClientUsagePage {
  clients: ClientUsage[];
  next_page_token: string | null;
  has_more: boolean;
  /** Since when uses are known; null before Hydra's first request. */
  since: string | null;
}
