import type { Credential } from '../../../api/identities-record.ts';

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

export function credentialsInWords(credentials: Record<string, Credential> | undefined): string {
  const names = Object.keys(credentials ?? {}).map(credentialName);
  return names.length === 0 ? 'nothing yet' : names.join(', ');
}
