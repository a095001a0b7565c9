import type { PatchOperation } from '../../api/json-patch.ts';

/** Sets the secret; the member is in nothing that can be read, and the OAuth server adds it where it is missing. */
export const setSecretPatch = (secret: string): PatchOperation[] => [
  { op: 'replace', path: '/client_secret', value: secret },
];
