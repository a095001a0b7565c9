import {
  outcomeOf,
  type SIGN_IN_REASONS,
  type SignInEvent,
  type SignInEventName,
  type SignInGap,
} from '../../shared/sign-ins.ts';
import { counted } from './format-count.ts';
import { clockTime, lasting } from './format-time.ts';
import { METHODS } from './session-labels.ts';
import { visibleText } from './visible-text.ts';

const EVENTS: Record<SignInEventName, string> = {
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

export const REASONS: Record<(typeof SIGN_IN_REASONS)[number], string> = {
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

type Reported = Pick<SignInEvent, 'event' | 'identity_id' | 'method' | 'reason'>;

/** What happened: "Signed in", "Wrong password", "Token refused: scope not allowed". */
export function formatSignIn({ event, identity_id, method, reason }: Reported): string {
  if (event === 'RecoveryInitiatedByAdmin' && method === 'link') return EVENTS[event].replace('code', 'link');
  if (reason === null || reason === 'other' || outcomeOf(event) !== 'failed') return EVENTS[event];
  const isLogin = event === 'LoginFailed';
  if (isLogin && reason === 'invalid_credentials') {
    if (identity_id === null)
      return `Wrong identifier or ${method === 'password' || method === null ? 'password' : 'credentials'}`;
    return method === 'password' ? 'Wrong password' : REASONS.invalid_credentials;
  }
  const words = Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : undefined;
  if (isLogin && words !== undefined) return words;
  return `${EVENTS[event]}: ${words === undefined ? visibleText(reason) : words[0]?.toLowerCase() + words.slice(1)}`;
}

/** "password", "social sign-in (google)"; empty if unknown. */
export function formatSignInMethod({ method, provider }: { method: string | null; provider?: string | null }): string {
  if (method === null) return '';
  return `${METHODS.get(method) ?? method.replace('_', ' ')}${provider ? ` (${provider})` : ''}`;
}

/** "The dashboard was not listening from 10:00 to 10:12 (twelve minutes)." @param now milliseconds since the epoch */
export function formatGap({ cause, detail, from, to, count }: SignInGap, now: number): string {
  const [start = 0, end = 0] = [from, to].map((time) => Date.parse(time));
  const [first, last] = [clockTime(start, now), clockTime(end, now)];
  const period = first === last ? `at ${first}` : `from ${first} to ${last}`;
  if (cause === 'refused')
    return `${counted(count, 'request was', 'requests were')} refused ${period}: ${detail === 'key' ? 'wrong key' : detail}.`;
  const what = cause === 'silent' ? `${visibleText(detail)} sent nothing` : 'The dashboard was not listening';
  return `${what} ${period} (${lasting(end - start)}).`;
}
