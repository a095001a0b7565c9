import type { PasswordSignIn, SignInAttempt, SignInOutcome } from './identity-service/flows/password-sign-in.ts';
import { normalised } from './identity-service/identities/identity-document.ts';

/** The table of locked accounts as any login page would use it. Identifiers are normalised, times ISO 8601. */
export interface LockTable {
  isLocked(identifier: string, at: string): Promise<boolean>;
  lock(row: { identifier: string; attempts: number; ip: string | null; at: string; until: string }): Promise<void>;
}

export type LockingSignIn = (
  attempt: SignInAttempt,
) => Promise<SignInOutcome | { outcome: 'locked' } | { outcome: 'unavailable' }>;

const ATTEMPTS = 5;
const WITHIN_MS = 10 * 60_000;
const LOCKED_MS = 15 * 60_000;
const COUNTED_MAX = 10_000;

/**
 * Five wrong passwords within ten minutes lock an identifier for fifteen, whether or not it exists: responses must not
 * reveal that. While locked, even the right password is refused.
 * @param table without it, nothing is ever locked
 * @param now milliseconds since the epoch
 */
export function lockingSignIn(signIn: PasswordSignIn, table: LockTable | undefined, now: () => number): LockingSignIn {
  if (table === undefined) return signIn;
  /** Times of wrong passwords by identifier, most recent failure last. */
  const wrong = new Map<string, number[]>();
  const time = (at: number): string => new Date(at).toISOString();

  async function noteWrong(identifier: string, peer: string | null): Promise<void> {
    const at = now();
    const times = [...(wrong.get(identifier) ?? []).filter((earlier) => earlier > at - WITHIN_MS), at];
    wrong.delete(identifier);
    if (times.length < ATTEMPTS) {
      const [oldest] = wrong.keys();
      if (wrong.size >= COUNTED_MAX && oldest !== undefined) wrong.delete(oldest);
      wrong.set(identifier, times);
    } else
      await table?.lock({
        identifier,
        attempts: times.length,
        ip: ipOf(peer),
        at: time(at),
        until: time(at + LOCKED_MS),
      });
  }

  return async (attempt) => {
    const identifier = normalised(attempt.identifier);
    try {
      if (await table.isLocked(identifier, time(now()))) return { outcome: 'locked' };
      const result = await signIn(attempt);
      if (result.outcome === 'wrong') await noteWrong(identifier, attempt.device.ip_address);
      // Checked again: many guesses may have run concurrently.
      if (await table.isLocked(identifier, time(now()))) return { outcome: 'locked' };
      if (result.outcome === 'signed-in') wrong.delete(identifier);
      return result;
    } catch {
      return { outcome: 'unavailable' };
    }
  };
}

/** A device's address may include its port. */
const ipOf = (address: string | null): string | null =>
  address !== null && URL.canParse(`http://${address}`)
    ? new URL(`http://${address}`).hostname.replace(/^\[|\]$/g, '')
    : null;
