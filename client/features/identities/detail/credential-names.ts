import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';

const NAMES: Record<string, string> = {
  password: 'Password',
  oidc: 'Social sign-in',
  saml: 'SAML sign-in',
  totp: 'Authenticator app (TOTP)',
  lookup_secret: 'Recovery codes',
  webauthn: 'Security key (WebAuthn)',
  passkey: 'Passkey',
  code: 'One-time code',
  link_recovery: 'Recovery link',
  code_recovery: 'Recovery code',
  deviceauthn: 'Device key',
};

export const credentialName = (type: string): string => NAMES[type] ?? type;

export const formatCredentials = (credentials: readonly IdentityCredential[]): string =>
  credentials
    .filter(({ set }) => set)
    .map(({ type }) => credentialName(type))
    .join(', ') || 'none';
