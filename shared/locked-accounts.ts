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
  /** Null: locked until it is unlocked. */
  locked_until: string | null;
}

/** `GET /api/security/locked-accounts`, the latest lock first. */
export interface LockedAccountList {
  data: LockedAccount[];
  /** All locked accounts, including those not in `data`. */
  total: number;
  truncated: boolean;
}

/** `POST /api/security/locked-accounts/unlock` responds `{"success":true}`, or 404 if it is not locked. */
export interface UnlockInput {
  identifier: string;
}

export const LOCKED_ACCOUNTS_MAX = 1000;
export const LOCKED_IDENTIFIER_MAX_CHARACTERS = 255;
/** Of a question for the locks of one person. */
export const LOCKED_IDENTIFIERS_MAX = 20;
