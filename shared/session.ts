import type { Role } from './capabilities.ts';

/** `GET /api/auth/session` (docs/api.md#routes). */
export interface SessionInformation {
  user: { identityId: string; email: string; role: Role };
}

/** The response header that says when the session ends, in ISO 8601 and UTC. */
export const SESSION_EXPIRES_HEADER = 'X-Session-Expires';

/** The maximum lifetime of a session, in seconds (docs/api.md#limits). */
export const SESSION_MAX_AGE_SECONDS = 28_800;

/** Why a sign-in failed: `/sign-in-failed?reason=…`. */
export const SIGN_IN_FAILURES = [
  'no_role',
  'no_email',
  'denied',
  'provider_refused',
  'provider_unreachable',
  'store_key',
  'inactive',
  'cookies',
] as const;
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];
