import type { Role } from './capabilities.ts';

/** Someone who signed in recently. */
export interface OperatorSummary {
  identity_id: string;
  /** The role at the last sign-in; null if its record does not say. */
  role: Role | null;
  last_login_at: string;
  /** Null: unknown. */
  second_factor: boolean | null;
}

/** `GET /api/security/operators`, latest sign-in first. */
export interface OperatorList {
  operators: OperatorSummary[];
  truncated: boolean;
}

/** `POST /api/security/revocations` responds 204: every dashboard session of that identity is over. */
export interface RevocationInput {
  identity_id: string;
}

/** Operators are those who signed in within this many days. */
export const OPERATOR_DAYS = 90;
export const OPERATORS_MAX = 200;

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
