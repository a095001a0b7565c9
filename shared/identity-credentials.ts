/** A credential of an identity, without its secrets. */
export interface IdentityCredential {
  /** Kratos' name: `password`, `oidc`, `totp`, … */
  type: string;
  /** Whether it can be used: Kratos may list a password for everyone, though few have set one. */
  set: boolean;
  /** Its identifiers; for `oidc` and `saml` `provider:subject`. Empty for `totp` and `lookup_secret`. */
  identifiers: string[];
  /**
   * Whether Kratos can delete it, for `oidc` and `saml` each identifier. It still refuses to delete the last first
   * factor.
   */
  deletable: boolean;
  /** The registered keys of `webauthn` and `passkey`. */
  keys?: CredentialKey[];
  /** ISO 8601; null if Kratos does not report it. */
  created_at: string | null;
  updated_at: string | null;
}

/** A security key or a passkey. */
export interface CredentialKey {
  /** The name given by its owner; null without one. */
  name: string | null;
  /** ISO 8601; null if Kratos does not report it. */
  added_at: string | null;
}

/** `GET /api/identities/:id/credentials` */
export interface IdentityCredentials {
  /** One per type. */
  credentials: IdentityCredential[];
}
