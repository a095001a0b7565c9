import type { Role } from './session.ts';

/** Somebody who signed in lately. */
export interface OperatorSummary {
  identity_id: string;
  /** That of the last sign-in; null when its record does not say. */
  role: Role | null;
  last_login_at: string;
  /** Null: not known. */
  second_factor: boolean | null;
}

/** `GET /api/security/operators`, the latest sign-in first. */
export interface OperatorList {
  operators: OperatorSummary[];
  truncated: boolean;
}

/** `POST /api/security/revocations` answers 204: every dashboard session of that identity is over. */
export interface RevocationInput {
  identity_id: string;
}

/** An operator is whoever signed in within so many days. */
export const OPERATOR_DAYS = 90;
export const OPERATORS_MAX = 200;

/** What an operator is called by the traits of their identity; null where these, or the store, do not say. */
export interface OperatorName {
  identity_id: string;
  name: string | null;
  email: string | null;
}

/** `GET /api/security/operators/names`: in the order asked for; of an e-mail address whoever signs in with it. */
export interface OperatorNames {
  names: OperatorName[];
}

export const OPERATOR_NAMES_MAX = 100;
