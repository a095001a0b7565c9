/** A way to sign in that an identity has, without what is secret about it. */
export interface IdentityCredential {
  /** As the identity service calls it: `password`, `oidc`, `totp`, … */
  type: string;
  /** Whether it can be used: a password may be listed for everybody and set for few. */
  set: boolean;
  /** What it is found by; of `oidc` and `saml` `provider:subject`. Empty for `totp` and `lookup_secret`. */
  identifiers: string[];
  /**
   * Whether the identity service takes it away when asked, of `oidc` and `saml` each identifier. It still refuses to take
   * the last one that a person can sign in with.
   */
  deletable: boolean;
  /** Of `webauthn` and `passkey` that are set: what they consist of, as it was named when it was added. */
  keys?: CredentialKey[];
  /** ISO 8601; null where the identity service does not say. */
  created_at: string | null;
  updated_at: string | null;
}

/** A security key or a passkey. */
export interface CredentialKey {
  /** The person's own word for it; null without one. */
  name: string | null;
  /** ISO 8601; null where the identity service does not say. */
  added_at: string | null;
}

/** `GET /api/identities/:id/credentials` */
export interface IdentityCredentials {
  /** By type. */
  credentials: IdentityCredential[];
}
