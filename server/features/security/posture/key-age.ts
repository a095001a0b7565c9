import { type Check, type Finding, fail, pass, unknown, warn } from './check.ts';
import type { KeyEvidence } from './key-evidence.ts';

export const DAY_MS = 86_400_000;
/** NIST SP 800-57 part 1, section 5.3.6: a symmetric key is used for at most two years. */
const WARN_DAYS = 365;
const FAIL_DAYS = 730;

const EXCHANGE = (name: string): string =>
  `Generate a new key with “openssl rand -base64 32”. Set it on every replica as ${name}_PREVIOUS, then swap the two on every replica.`;

/** How long the two keys have been in use. */
export const keyAgeChecks = (evidence: KeyEvidence, now: () => number): Check[] => [
  {
    id: 'session_key_rotation',
    title: 'Age of the session signing key',
    why: 'Anyone with this key can forge a session for any operator. The longer it is in use, the more backups, logs and former colleagues may hold it.',
    look: async () => {
      const since = await evidence.sessionKeyFirstUsed();
      if (since === undefined)
        return unknown(
          'No audit record has been signed with this key yet, so its age is unknown.',
          'Check again after the next sign-in.',
        );
      return ofAge(since, now(), 'SESSION_SIGNING_KEY') ?? pass(`First used on ${dayOf(since)}.`);
    },
  },
  {
    id: 'encryption_key_rotation',
    title: 'Age of the encryption key',
    why: 'Anyone with this key and a copy of the database can read every encrypted setting, including the keys of the upstream services.',
    look: async () => {
      const { noticed, fromStart, oldestCiphertext } = await evidence.encryptionKeyUse();
      // Re-encrypting a value keeps its timestamp, which is a clue only to a key of unknown age.
      const known = [noticed, fromStart ? undefined : oldestCiphertext].filter((time) => time !== undefined).sort();
      const [since] = known;
      if (since === undefined)
        return unknown('It is not recorded how long this key has been in use.', 'Check again after the next start.');
      const old = ofAge(since, now(), 'ENCRYPTION_KEY');
      if (old !== undefined) return old;
      return fromStart
        ? pass(`First used on ${dayOf(since)}.`)
        : unknown(
            `In use since ${dayOf(since)} or earlier; the exact date is not recorded.`,
            `Look up its age where the key is kept. If it is older than a year: ${EXCHANGE('ENCRYPTION_KEY')}`,
          );
    },
  },
];

/** Undefined while the key is recent enough. */
function ofAge(since: string, now: number, name: string): Finding | undefined {
  const days = Math.floor((now - Date.parse(since)) / DAY_MS);
  const detail = `In use since ${dayOf(since)} or earlier: ${days} days.`;
  if (days >= FAIL_DAYS) return fail(detail, EXCHANGE(name));
  return days >= WARN_DAYS ? warn(detail, EXCHANGE(name)) : undefined;
}

const dayOf = (time: string): string => time.slice(0, 10);
