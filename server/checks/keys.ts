import { auditKeyUse } from '../audit/anchors.ts';
import { whileRunning } from '../caches.ts';
import { keysByVariable, looksLikePlaceholder } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { settingsByKey } from '../settings/store.ts';
import { type CheckSources, type Checks, DAY_MS, type Finding, fail, pass, unknown, warn, worst } from './check.ts';

/** NIST SP 800-57 part 1, section 5.3.6: a symmetric key is used for at most two years. */
const WARN_DAYS = 365;
const FAIL_DAYS = 730;
/** The maximum lifetime of a session; after that, the key that signed it is no longer needed. */
const SESSION_MS = 8 * 3_600_000;
const OVERDUE_MS = 90 * DAY_MS;

const exchange = (name: string): string =>
  `Generate a new key with “openssl rand -base64 32”. Set it on every replica as ${name}_PREVIOUS, then swap the two on every replica.`;

/** When a process first ran with an encryption key, and whether that was before anything was encrypted with it. */
export async function keySighting(database: Database, keyId: string) {
  const row = await database
    .statement<{ first_seen: string; from_start: number }>(
      'select first_seen, from_start from key_sightings where key_id = ?',
    )
    .get(keyId);
  return row && { firstSeen: row.first_seen, fromStart: row.from_start !== 0 };
}

/** Must be called at each start: nothing else records when an encryption key was first used. */
export async function noteEncryptionKey(sources: Pick<CheckSources, 'database' | 'cipher' | 'clock'>): Promise<void> {
  const { database, cipher, clock } = sources;
  const { current } = cipher.keyIds;
  if ((await keySighting(database, current)) !== undefined) return;
  const isInUse = (await settingsByKey(database)()).has(current);
  await database.transaction((trx) =>
    trx('key_sightings')
      .insert({ key_id: current, first_seen: new Date(clock.now()).toISOString(), from_start: Number(!isInUse) })
      .onConflict('key_id')
      .ignore(),
  );
}

/** Checks age and strength of the keys, and whether previous ones can be removed. */
export function keyChecks({ config, database, chain, cipher, clock }: CheckSources) {
  const { now } = clock;
  const signed = auditKeyUse(database, chain);
  /** Read once for all checks that run together. */
  const encrypted = whileRunning(settingsByKey(database));
  const encryptionKey = cipher.keyIds.current;
  /** Counts encrypted settings and earlier versions by the key that decrypts them. */
  async function settingsOn() {
    const byKey = await encrypted();
    const count = (id: string | undefined): number => (id && byKey.get(id)?.settings) || 0;
    const total = [...byKey.values()].reduce((sum, { settings }) => sum + settings, 0);
    const [current, previous] = [count(encryptionKey), count(cipher.keyIds.previous[0])];
    return { current, previous, none: total - current - previous };
  }

  async function previousSessionKey(previous: string): Promise<Finding> {
    const name = 'SESSION_SIGNING_KEY_PREVIOUS';
    const [last, currentFirst] = await Promise.all([signed.last(previous), signed.first(chain.keyIds.current)]);
    if (currentFirst === undefined)
      return unknown(
        'No audit record has been signed with the current session key yet.',
        'Check again after the next sign-in.',
      );
    if (last === undefined)
      return warn(
        `${name} has never signed anything: it is ready to be swapped with the current key.`,
        `Swap the two on every replica, or unset ${name}.`,
      );
    const idle = now() - Date.parse(last.at);
    if (idle < SESSION_MS) return pass(`${name} is being replaced: sessions signed with it may still be active.`);
    const report = idle >= OVERDUE_MS ? fail : warn;
    const unused = `${name} has signed nothing since ${dayOf(last.at)} and is still accepted.`;
    if (last.sequence <= (await signed.anchoredTo()))
      return report(unused, `Unset ${name}: nothing needs it any more.`);
    return report(
      `${unused} Audit records signed with it are not yet anchored with the current key.`,
      `Keep ${name} for now: without it, those records could not be verified. They are anchored automatically about two minutes after startup; if not, see “Audit trail”.`,
    );
  }

  async function previousEncryptionKey(): Promise<Finding> {
    const name = 'ENCRYPTION_KEY_PREVIOUS';
    const [{ previous }, sighting] = await Promise.all([settingsOn(), keySighting(database, encryptionKey)]);
    if (sighting === undefined)
      return unknown(`It is not recorded when ${name} was replaced.`, 'Check again after the next start.');
    const age = now() - Date.parse(sighting.firstSeen);
    const detail =
      previous === 0
        ? `No setting needs ${name} any more.`
        : `Encrypted settings and earlier versions that only ${name} decrypts: ${previous}.`;
    if (age < DAY_MS) return pass(`${name} was replaced within the last day. ${detail}`);
    const action = previous === 0 ? `Unset ${name}.` : `Run settings:rekey, then unset ${name}.`;
    return (age >= OVERDUE_MS ? fail : warn)(detail, action);
  }

  return {
    session_key_rotation: {
      title: 'Age of the session signing key',
      why: 'Anyone with this key can forge a session for any operator. The longer it is in use, the more backups, logs and former colleagues may have a copy.',
      needs: 'tables',
      look: async () => {
        const first = await signed.first(chain.keyIds.current);
        if (first === undefined)
          return unknown(
            'No audit record has been signed with this key yet, so its age is unknown.',
            'Check again after the next sign-in.',
          );
        return tooOld(first.at, now(), 'SESSION_SIGNING_KEY') ?? pass(`First used on ${dayOf(first.at)}.`);
      },
    },
    encryption_key_rotation: {
      title: 'Age of the encryption key',
      why: 'Anyone with this key and a copy of the database can read every encrypted setting, including the keys of the upstream services.',
      needs: 'tables',
      look: async () => {
        const [sighting, byKey] = await Promise.all([keySighting(database, encryptionKey), encrypted()]);
        const fromStart = sighting?.fromStart ?? false;
        // Re-encrypting a value keeps its timestamp, so timestamps help only if the age of the key is unknown.
        const oldest = fromStart ? undefined : byKey.get(encryptionKey)?.oldest;
        const [since] = [sighting?.firstSeen, oldest].filter((time) => time !== undefined).sort();
        if (since === undefined)
          return unknown('It is not recorded how long this key has been in use.', 'Check again after the next start.');
        const old = tooOld(since, now(), 'ENCRYPTION_KEY');
        if (old !== undefined) return old;
        if (fromStart) return pass(`First used on ${dayOf(since)}.`);
        return unknown(
          `In use since ${dayOf(since)} or earlier; the exact date is not recorded.`,
          `Look up its age where the key is kept. If it is older than a year: ${exchange('ENCRYPTION_KEY')}`,
        );
      },
    },
    key_strength: {
      title: 'Strength of the keys',
      why: 'A key that a person made up can be guessed. The session key lets an attacker sign in as anyone; the encryption key reveals every secret; the events key lets them invent sign-ins.',
      look: () => worst(keysByVariable(config).map(([name, key]) => strengthOf(name, key))),
    },
    previous_keys: {
      title: 'Previous keys',
      why: 'A rotation is complete only when the old key is no longer accepted: until then, anyone who stole it can still use it.',
      needs: 'tables',
      look: async () => {
        const { previous } = chain.keyIds;
        const findings = await Promise.all([
          previous !== undefined && previousSessionKey(previous),
          config.encryptionKeys.previous !== undefined && previousEncryptionKey(),
        ]);
        return worst(findings, pass('No previous key is accepted.'));
      },
    },
    secrets_on_previous_key: {
      title: 'Settings encrypted with an older key',
      why: 'They become unreadable if that key is removed, so it has to stay until they are re-encrypted.',
      needs: 'tables',
      look: async () => {
        const { current, previous, none } = await settingsOn();
        const sound = pass(
          current === 0
            ? 'No setting is encrypted.'
            : `Encrypted settings and earlier versions, all on the current key: ${current}.`,
        );
        const lost = fail(
          `Encrypted settings and earlier versions that no configured key decrypts: ${none}.`,
          'Provide the key that encrypted them as ENCRYPTION_KEY_PREVIOUS, or store new values and remove the earlier versions.',
        );
        const old = warn(
          `Encrypted settings and earlier versions that only the previous key decrypts: ${previous}.`,
          'Run settings:rekey.',
        );
        return worst([none > 0 && lost, previous > 0 && old], sound);
      },
    },
  } satisfies Checks;
}

/** The finding for a key that is too old; undefined if it is not. */
function tooOld(since: string, now: number, name: string): Finding | undefined {
  const days = Math.floor((now - Date.parse(since)) / DAY_MS);
  if (days < WARN_DAYS) return undefined;
  const report = days >= FAIL_DAYS ? fail : warn;
  return report(`In use since ${dayOf(since)} or earlier: ${days} days.`, exchange(name));
}

const dayOf = (time: string): string => time.slice(0, 10);

const ENTROPY_MIN_BITS = 128;

function strengthOf(name: string, key: string): Finding {
  const how = name === 'EVENTS_KEY' ? 'here and at Kratos and Hydra' : 'in the two steps of a key rotation';
  const replace = `Replace it with the output of “openssl rand -base64 32”, ${how}.`;
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
