/** The checks of `GET /api/security/posture`, in display order. */
export const POSTURE_IDS = [
  'session_key_rotation',
  'encryption_key_rotation',
  'key_strength',
  'previous_keys',
  'secrets_on_previous_key',
  'cookie_secure',
  'base_url',
  'auth_url',
  'admin_proxies',
  'allowed_networks',
  'trusted_proxies',
  'upstream_keys',
  'upstream_without_key',
  'oauth_server',
  'oauth_client',
  'sign_in_page',
  'operator_schemas',
  'administrators',
  'role_self_service',
  'second_factor',
  'clock',
  'audit_chain',
  'audit_queue',
  'database_session',
  'database_rights',
  'migrations',
  'identity_index',
  'geo_data',
  'node_release',
] as const;
export type PostureId = (typeof POSTURE_IDS)[number];

/** `unknown`: there is no evidence either way. */
export type PostureStatus = 'pass' | 'warn' | 'fail' | 'unknown';

/** Texts are for an administrator; they contain no addresses, names and secrets. */
export interface PostureCheck {
  id: PostureId;
  title: string;
  status: PostureStatus;
  /** What was found. */
  detail: string;
  /** Why it matters. */
  why: string;
  /** What to do about it. */
  action: string;
}

/** `GET /api/security/posture`. */
export interface Posture {
  as_of: string;
  checks: PostureCheck[];
}
