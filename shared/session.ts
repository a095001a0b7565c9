import type { Role } from './capabilities.ts';

/** `GET /api/auth/session` (docs/api.md#routes). */
export interface SessionInformation {
  user: { identityId: string; email: string; role: Role };
}

/** The response header that says when the session ends, in ISO 8601 and UTC. */
export const SESSION_EXPIRES_HEADER = 'X-Session-Expires';

/** The response header with the length in minutes of a session that an OpenID provider allows for less than 30. */
export const SHORT_SESSION_HEADER = 'X-Session-Minutes';

/** The header of a sign-out's response with the address at which the browser ends the OpenID provider's session. */
export const PROVIDER_SIGN_OUT_HEADER = 'X-Provider-Sign-Out';

/** Where the browser is after a sign-out. */
export const SIGNED_OUT_PATH = '/signed-out';

/** The maximum lifetime of a session, in seconds (docs/api.md#limits). */
export const SESSION_MAX_AGE_SECONDS = 28_800;

/** Why a sign-in failed: `/sign-in-failed?reason=…`. */
export const SIGN_IN_FAILURES = [
  'no_role',
  'no_identity',
  'no_email',
  'email_unverified',
  'groups_overage',
  'denied',
  'provider_refused',
  'provider_unreachable',
  'store_key',
  'inactive',
  'cookies',
] as const;
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];
