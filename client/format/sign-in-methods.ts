interface SignInMethod {
  method: string;
  /** Of a social sign-in. */
  provider?: string;
}

const METHODS: Record<string, string> = {
  password: 'password',
  oidc: 'social sign-in',
  totp: 'authenticator app',
  lookup_secret: 'backup code',
  webauthn: 'security key',
  passkey: 'passkey',
  code: 'one-time code',
  link_recovery: 'recovery link',
  code_recovery: 'recovery code',
};

/** "By password and authenticator app", from the methods that the identity service recorded. */
export function formatMethods(methods: readonly SignInMethod[] | null | undefined): string {
  const words = (methods ?? []).map(({ method, provider }) =>
    provider === undefined || provider === ''
      ? (METHODS[method] ?? method)
      : `${METHODS[method] ?? method} (${provider})`,
  );
  return words.length === 0 ? 'Method unknown' : `By ${[...new Set(words)].join(' and ')}`;
}
