import tls from 'node:tls';
import { certificatesIn } from '../db/database-address.ts';
import type { Config } from './config.ts';
import { type Unread, unreadVariables } from './variables.ts';

/**
 * Trusts the authorities in NODE_EXTRA_CA_CERTS for every connection that is opened from now on. Node does so itself,
 * except for a variable in the file of `--env-file`, which it reads too late.
 * @returns the variables that have no effect, this one among them if its file cannot be used
 */
export function trustExtraAuthorities({ extraCaCerts }: Config, env: NodeJS.ProcessEnv): Unread[] {
  const unread = unreadVariables(env);
  if (extraCaCerts === undefined || tls.getCACertificates('extra').length > 0) return unread;
  const withWarning = (text: string, action: string) => [...unread, { variable: 'NODE_EXTRA_CA_CERTS', text, action }];
  try {
    const certificates = certificatesIn(extraCaCerts);
    // Added in Node 22.19 and 24.5.
    if (!('setDefaultCACertificates' in tls))
      return withWarning('is not used: this Node cannot load it from --env-file', 'Set it elsewhere, or update Node.');
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificates]);
    return unread;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return withWarning(code ? 'names a file with an invalid certificate' : message, 'Correct that file, or its path.');
  }
}
