import type { CipherProblem } from '../../crypto/cipher.ts';
import type { RekeyReport } from './rekey-settings.ts';

const PROBLEMS: Record<CipherProblem, string> = {
  unknown_key: 'it was encrypted with a key that is not configured',
  not_authentic: 'it was modified, or belongs to another setting',
  malformed: 'it is not a ciphertext',
};

/** Remaining work is printed last. */
export function printedRekeyReport({ rekeyed, versions, unopened, unsettled }: RekeyReport): string {
  const lines = [`Encrypted with the current key: ${rekeyed}.`];
  if (versions > 0) lines.push(`Earlier versions of settings, likewise: ${versions}.`);
  if (unopened.length > 0) {
    lines.push(`No key decrypts these; they were left unchanged: ${unopened.length}.`);
    for (const { key, version, problem } of unopened)
      lines.push(`  ${key}${version === undefined ? '' : `, earlier version ${version}`}: ${PROBLEMS[problem]}`);
    if (unopened.some(({ version }) => version !== undefined))
      lines.push('Earlier versions can be removed with the history of their setting.');
  }
  if (unsettled > 0)
    lines.push(
      'Settings are still being encrypted with an older key. Configure the current key on every replica, then run this again.',
    );
  if (isDone({ unopened, unsettled })) lines.push('No setting needs an older key any more.');
  return `${lines.join('\n')}\n`;
}

export const isDone = ({ unopened, unsettled }: Pick<RekeyReport, 'unopened' | 'unsettled'>): boolean =>
  unopened.length === 0 && unsettled === 0;
