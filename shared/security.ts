import type { Role } from './capabilities.ts';
import { isUuid } from './json.ts';

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
  'operators_from',
  'operator_roles',
  'operator_schemas',
  'administrators',
  'role_self_service',
  'second_factor',
  'session_length',
  'clock',
  'audit_chain',
  'audit_queue',
  'sign_in_log',
  'database_tls',
  'database_session',
  'database_limits',
  'database_rights',
  'migrations',
  'identity_index',
  'geo_data',
  'node_release',
] as const;
export type PostureId = (typeof POSTURE_IDS)[number];

/** `unknown`: there is no evidence either way. */
export type PostureStatus = 'pass' | 'warn' | 'fail' | 'unknown';

/** Texts are for an administrator; they contain no addresses, names or secrets. */
export interface PostureCheck {
  id: PostureId;
  title: string;
  status: PostureStatus;
  detail: string;
  why: string;
  action: string;
}

/** `GET /api/security/posture`. */
export interface Posture {
  as_of: string;
  checks: PostureCheck[];
}

/** An account locked by the platform's login page. */
export interface LockedAccount {
  /** The first 22 characters of base64url(SHA-256(identifier)). */
  id: string;
  /** The sign-in identifier, trimmed and in lower case. */
  identifier: string;
  /** `[a-z_]+` */
  reason: string;
  attempts: number;
  trigger_ip: string | null;
  locked_at: string;
  /** Null if the account is locked until someone unlocks it. */
  locked_until: string | null;
}

/** `GET /api/security/locked-accounts`, the latest lock first. */
export interface LockedAccountList {
  data: LockedAccount[];
  total: number;
  truncated: boolean;
}

/** `POST /api/security/locked-accounts/unlock` responds `{"success":true}`, or 404 if it is not locked. */
export interface UnlockInput {
  identifier: string;
}

export const LOCKED_ACCOUNTS_MAX = 1000;
export const LOCKED_IDENTIFIER_MAX_CHARACTERS = 255;
export const LOCKED_IDENTIFIERS_MAX = 20;

/** How the id of an operator who has no identity begins, before 32 hexadecimal digits. */
export const CLAIMS_OPERATOR = 'oidc:';

/** Whether a text is the id of an operator: of an identity, or of one by the claims of an OpenID provider. */
export const isOperatorId = (id: string): boolean => isUuid(id) || /^oidc:[0-9a-f]{32}$/.test(id);

/** Someone who has a role or has signed in recently. */
export interface OperatorSummary {
  identity_id: string;
  /** The role in the index, otherwise the role at the last sign-in; null if its audit record does not contain one. */
  role: Role | null;
  /** Null without a sign-in within `OPERATOR_DAYS` days. */
  last_login_at: string | null;
  /** Null if unknown. */
  second_factor: boolean | null;
}

/**
 * Why operators who have not signed in recently may be missing: the index reads a different store, does not contain
 * `metadata_admin`, is off, or is still reading; or only the OpenID provider knows them.
 */
export const OPERATORS_MISSING = ['other_store', 'metadata_admin', 'no_index', 'still_reading', 'provider'] as const;
export type OperatorsMissing = (typeof OPERATORS_MISSING)[number];

/** `GET /api/security/operators`, latest sign-in first. */
export interface OperatorList {
  operators: OperatorSummary[];
  truncated: boolean;
  /** Null if the list contains everyone with a role. */
  missing: OperatorsMissing | null;
}

/** `POST /api/security/revocations` responds 204: every dashboard session of that identity has ended. */
export interface RevocationInput {
  identity_id: string;
}

/** How many days of sign-ins are searched. */
export const OPERATOR_DAYS = 90;
export const OPERATORS_MAX = 1_000;

/** An operator's name and email address from their traits; null if missing, or the identity does not exist. */
export interface OperatorName {
  identity_id: string;
  name: string | null;
  email: string | null;
}

/**
 * `GET /api/security/operators/names`: in the order requested; for an identifier, the operators who sign in with it.
 */
export interface OperatorNames {
  names: OperatorName[];
}

export const OPERATOR_NAMES_MAX = 100;

/** An identity or an OAuth 2.0 client that a record is about. */
export type NamedSubject = `${'identity' | 'client'}:${string}`;

/** Null if it has no name or no longer exists, or its server does not respond. */
export interface SubjectName {
  subject: NamedSubject;
  name: string | null;
}

/** `GET /api/security/subject-names`, in the order requested. */
export interface SubjectNames {
  names: SubjectName[];
}

export const SUBJECT_NAMES_MAX = 100;
