import type { PatchOperation } from '../../api/upstream-api.ts';

/** Sets the secret. The member can never be read; the OAuth server adds it if it is missing. */
export const setSecretPatch = (secret: string): PatchOperation[] => [
  { op: 'replace', path: '/client_secret', value: secret },
];
