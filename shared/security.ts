import type { Role } from './capabilities.ts';

/** Someone who has a role, or signed in recently. */
export interface OperatorSummary {
  identity_id: string;
  /** Their role as far as the index knows it, else at the last sign-in; null if its record does not say. */
  role: Role | null;
  /** Null without a sign-in within `OPERATOR_DAYS` days. */
  last_login_at: string | null;
  /** Null: unknown. */
  second_factor: boolean | null;
}

/**
 * Why operators may be missing who have not signed in lately: the index reads another store than theirs, or does not hold
 * the member with their role, is off, or is still reading.
 */
export const OPERATORS_MISSING = ['other_store', 'metadata_admin', 'no_index', 'still_reading'] as const;
export type OperatorsMissing = (typeof OPERATORS_MISSING)[number];

/** `GET /api/security/operators`, latest sign-in first. */
export interface OperatorList {
  operators: OperatorSummary[];
  truncated: boolean;
  /** Null if everyone with a role is known. */
  missing: OperatorsMissing | null;
}

/** `POST /api/security/revocations` responds 204: every dashboard session of that identity is over. */
export interface RevocationInput {
  identity_id: string;
}

/** Sign-ins are looked for within this many days. */
export const OPERATOR_DAYS = 90;
export const OPERATORS_MAX = 1_000;

/** An operator's name from the traits of their identity; null if these, or the store, do not have it. */
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

/** A person or an OAuth 2.0 client that a record is about. */
export type NamedSubject = `${'identity' | 'client'}:${string}`;

/** Null: it has no name, no longer exists, or its server does not respond. */
export interface SubjectName {
  subject: NamedSubject;
  name: string | null;
}

/** `GET /api/security/subject-names`, in the order requested. */
export interface SubjectNames {
  names: SubjectName[];
}

export const SUBJECT_NAMES_MAX = 100;
