export const ROLES = ['admin', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Whom a route serves: `any` operator, down to a viewer, or those of one role above that. */
export type Audience = Exclude<Role, 'viewer'> | 'any';

/** `GET /api/auth/session` (docs/api.md#routes). */
export interface SessionInformation {
  user: { identityId: string; email: string; role: Role };
}

/** The maximum lifetime of a session, in seconds (docs/api.md#limits). */
export const SESSION_MAX_AGE_SECONDS = 28_800;

/** Why a sign-in ended without a session: `/sign-in-failed?reason=…`. */
export const SIGN_IN_FAILURES = [
  'no_role',
  'denied',
  'provider_refused',
  'provider_unreachable',
  'store_key',
  'inactive',
  'cookies',
] as const;
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];
