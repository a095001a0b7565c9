import { type KeyRing, looksLikePlaceholder } from '../../../config/config.ts';
import { type Check, type Finding, fail, gravest, pass, unknown, warn } from './check.ts';
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

/** The maximum lifetime of a session; after that, nothing needs the key that signed it. */
const SESSION_MS = 8 * 3_600_000;
const OVERDUE_MS = 90 * DAY_MS;
const NO_PREVIOUS = pass('No previous key is accepted.');

/** Whether previous keys can be retired, settings are on the current key, and the keys are random. */
export const keyChecks = (
  config: { sessionKeys: KeyRing; encryptionKeys: KeyRing },
  evidence: KeyEvidence,
  now: () => number,
): Check[] => [
  {
    id: 'key_strength',
    title: 'Strength of the keys',
    why: 'A key that a person made up can be guessed. The session key lets an attacker sign in as anyone; the encryption key reveals every secret.',
    look: async () =>
      gravest(
        Object.entries({
          SESSION_SIGNING_KEY: config.sessionKeys.current,
          SESSION_SIGNING_KEY_PREVIOUS: config.sessionKeys.previous,
          ENCRYPTION_KEY: config.encryptionKeys.current,
          ENCRYPTION_KEY_PREVIOUS: config.encryptionKeys.previous,
        }).flatMap(([name, key]) => (key === undefined ? [] : [strengthOf(name, key)])),
        NO_PREVIOUS,
      ),
  },
  {
    id: 'previous_keys',
    title: 'Previous keys',
    why: 'A rotation is complete only when the old key is no longer accepted: until then, whoever stole it can still use it.',
    look: async () =>
      gravest(
        await Promise.all(
          [
            config.sessionKeys.previous === undefined ? [] : [previousSessionKey(evidence, now())],
            config.encryptionKeys.previous === undefined ? [] : [previousEncryptionKey(evidence, now())],
          ].flat(),
        ),
        NO_PREVIOUS,
      ),
  },
  {
    id: 'secrets_on_previous_key',
    title: 'Settings encrypted with an older key',
    why: 'They become unreadable if that key is removed, so it has to stay until they are re-encrypted.',
    look: async () => {
      const { current, previous, neither } = await evidence.settingsOn();
      return gravest(
        [
          ...(neither > 0
            ? [
                fail(
                  `Encrypted settings and earlier versions that no configured key decrypts: ${neither}.`,
                  'Provide the key that encrypted them as ENCRYPTION_KEY_PREVIOUS, or store new values and remove the earlier versions.',
                ),
              ]
            : []),
          ...(previous > 0
            ? [
                warn(
                  `Encrypted settings and earlier versions that only the previous key decrypts: ${previous}.`,
                  'Run settings:rekey.',
                ),
              ]
            : []),
        ],
        pass(
          current === 0
            ? 'No setting is encrypted.'
            : `Encrypted settings and earlier versions, all on the current key: ${current}.`,
        ),
      );
    },
  },
];

const ENTROPY_MIN_BITS = 128;

function strengthOf(name: string, key: string): Finding {
  const replace = `Replace it with the output of “openssl rand -base64 32”, in the two steps of a key rotation.`;
  if (looksLikePlaceholder(key)) return fail(`${name} looks like a placeholder.`, replace);
  if (entropyBits(key) < ENTROPY_MIN_BITS) return warn(`${name} has less entropy than a random key.`, replace);
  return pass(`${name} looks random.`);
}

/** Shannon entropy over the characters: an upper bound for typed text, a fair estimate for random text. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / text.length);
  return bits;
}

async function previousSessionKey(evidence: KeyEvidence, now: number): Promise<Finding> {
  const name = 'SESSION_SIGNING_KEY_PREVIOUS';
  const [lastUsed, currentSince] = await Promise.all([
    evidence.sessionKeyPreviousLastUsed(),
    evidence.sessionKeyFirstUsed(),
  ]);
  if (currentSince === undefined)
    return unknown(
      'No audit record has been signed with the current session key yet.',
      'Check again after the next sign-in.',
    );
  if (lastUsed === undefined)
    return warn(
      `${name} has never signed anything: it is ready to be swapped with the current key.`,
      `Swap the two on every replica, or unset ${name}.`,
    );
  const idle = now - Date.parse(lastUsed);
  if (idle < SESSION_MS) return pass(`${name} is being replaced: sessions signed with it may still be active.`);
  const covered = await evidence.sessionKeyPreviousIsCovered();
  const detail = `${name} has signed nothing since ${lastUsed.slice(0, 10)} and is still accepted.${
    covered ? '' : ' Audit records signed with it are not yet anchored with the current key.'
  }`;
  const action = covered
    ? `Unset ${name}: nothing needs it any more.`
    : `Keep ${name} for now: without it, those records could not be verified. They are anchored automatically about two minutes after startup; if not, see “Audit trail”.`;
  return idle >= OVERDUE_MS ? fail(detail, action) : warn(detail, action);
}

async function previousEncryptionKey(evidence: KeyEvidence, now: number): Promise<Finding> {
  const name = 'ENCRYPTION_KEY_PREVIOUS';
  const [{ previous }, { noticed }] = await Promise.all([evidence.settingsOn(), evidence.encryptionKeyUse()]);
  if (noticed === undefined)
    return unknown(`It is not recorded when ${name} was replaced.`, 'Check again after the next start.');
  const age = now - Date.parse(noticed);
  const detail =
    previous === 0
      ? `No setting needs ${name} any more.`
      : `Encrypted settings and earlier versions that only ${name} decrypts: ${previous}.`;
  const action = previous === 0 ? `Unset ${name}.` : `Run settings:rekey, then unset ${name}.`;
  if (age >= OVERDUE_MS) return fail(detail, action);
  return age < DAY_MS ? pass(`${name} was replaced within the last day. ${detail}`) : warn(detail, action);
}
