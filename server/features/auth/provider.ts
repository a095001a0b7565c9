import type { AuditDetails } from '../../../shared/audit.ts';
import { isObject, type JsonObject, keysOf } from '../../../shared/json.ts';
import type { SignInFailure } from '../../../shared/session.ts';
import type { ObserveRequest } from '../../upstream/fetch.ts';

/** The lifetime in seconds if a response has no `expires_in` (RFC 6749, section 5.1 leaves it to the client). */
export const DEFAULT_EXPIRES_IN = 3600;

/** An issuer that differs in how it signs in again, and in the addresses that it vouches for. */
export const GOOGLE = 'https://accounts.google.com';

/** What each provider knows of the dashboard. */
export interface ProviderOptions {
  clientId: string;
  /** The dashboard's public origin. */
  baseUrl: string;
  timeoutMs: number;
  observe?: ObserveRequest | undefined;
}

/** Where operators sign in. Requests throw SignInFailed if refused, or UpstreamFailure. */
export interface Provider {
  /** The address to which the browser is redirected to sign in. @param again the operator has signed out: ask who it is */
  authorizationUrl(attempt: { state: string; verifier: string; challenge: string; again: boolean }): Promise<string>;
  /** Exchanges a code for what the provider says of its operator. */
  redeem(returned: Returned): Promise<SignedIn>;
  /** Where the browser ends the provider's session; undefined if that is not configured, or it cannot be known now. */
  signOutUrl(): Promise<string | undefined>;
}

/** The parameters of the callback (RFC 6749, section 4.1.2; RFC 9207), and the attempt's verifier (RFC 7636). */
export interface Returned {
  code: string;
  state: string;
  verifier: string;
  iss: readonly string[];
}

/** Who has signed in, according to the provider. */
export interface SignedIn {
  /** The subject: never empty. */
  sub: string;
  /** For how many seconds the access token is valid. */
  expiresIn: number;
  /**
   * The claims of the first document that has this one: of the ID token, or of userinfo, which is requested only if it
   * is needed. Empty if neither has it, so that related claims never come from different documents.
   * @param pointer a JSON Pointer (RFC 6901)
   */
  claimsWith(pointer: string): Promise<JsonObject>;
}

/** The value at a JSON Pointer, of own members only; undefined if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>(
    (part, key) =>
      (isObject(part) || Array.isArray(part)) && Object.hasOwn(part, key) ? Reflect.get(part, key) : undefined,
    document,
  );
}

/** A sign-in that ended without a session; the operator sees the reason. */
export class SignInFailed extends Error {
  readonly reason: SignInFailure;
  /** The refused identity, if known, for the audit record. */
  readonly identityId: string | undefined;
  /** For the log and the audit record: never the value of a claim. */
  readonly details: AuditDetails;
  private readonly word: string | undefined;

  /** @param options.word what exactly was wrong, for the log: `id_token_nonce` */
  constructor(
    reason: SignInFailure,
    options: { identityId?: string; word?: string; details?: AuditDetails; cause?: unknown } = {},
  ) {
    super(`sign-in failed: ${reason}`, { cause: options.cause });
    this.name = 'SignInFailed';
    this.reason = reason;
    this.identityId = options.identityId;
    this.details = options.details ?? {};
    this.word = options.word;
  }

  /** Logged, since logs include only the names and codes of errors. */
  get code(): string {
    return this.word === undefined ? this.reason : `${this.reason} ${this.word}`;
  }
}
