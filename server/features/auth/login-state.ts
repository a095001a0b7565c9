import { hash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Clock } from '../../context.ts';
import type { Signer } from '../../crypto/signer.ts';
import { type Database, deleteOldRows } from '../../db/database.ts';
import { isDuplicate } from '../../db/errors.ts';
import { ApiError } from '../../http/errors.ts';
import type { Log } from '../../log.ts';
import { fairQueue } from '../../queue.ts';
import { LOGIN_SECONDS } from '../../session/session-cookie.ts';

/** Limits concurrent callbacks, since each calls the provider, the store and the database. */
const LIMITS = { places: 32, waiting: 512, waitMs: 5_000 };

/**
 * Shares concurrent callbacks fairly among addresses, so that no client can keep others from signing in.
 * @returns a function that waits for a slot; the next free one goes to the peer with the fewest. Its arguments are the
 * key under which the caller is counted, and the response: if it closes, the caller leaves the queue. Resolves to a
 * function that frees the slot, or undefined if the caller has disconnected; rejects with 503 and `Retry-After` if the
 * queue is full or the wait takes too long
 */
export function callbackSlots(): (peer: string, res: ServerResponse) => Promise<(() => void) | undefined> {
  const queue = fairQueue(LIMITS);
  return (peer, res) =>
    new Promise((resolve, reject) => {
      const onClose = (): void => {
        free();
        resolve(undefined);
      };
      res.once('close', onClose);
      const free = queue.claim(peer, {
        granted() {
          // The state is about to be used, so the exchange continues and keeps its slot even if the caller disconnects.
          res.off('close', onClose);
          resolve(() => free());
        },
        refused() {
          res.off('close', onClose);
          reject(new ApiError('service_unavailable', { headers: { 'Retry-After': '5' } }));
        },
      });
    });
}

const MAX_ATTEMPT = 3;
/** The page that explains what to do about cookies. */
export const COOKIES_PAGE = '/sign-in-failed?reason=cookies';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/**
 * The verifier's cookie is bound to its state, so that a pair planted by a sibling host does not fit.
 * @param signer HMAC with a key derived for this purpose
 */
export function loginCookie(signer: Signer, now: () => number) {
  return {
    /**
     * One sign-in attempt: the OAuth `state`, the PKCE verifier (RFC 7636) and its challenge, and the cookie's value.
     * @param attempt 1 to 3; the state ends with this number, so that a failing sign-in stops instead of looping
     */
    begin(attempt: number) {
      const state = `${randomBytes(32).toString('base64url')}.${attempt}`;
      const verifier = randomBytes(32).toString('base64url');
      const content = `${verifier}.${Math.floor(now() / 1000) + LOGIN_SECONDS}`;
      return {
        state,
        verifier,
        challenge: sha256(verifier),
        sealed: `${content}.${signer.sign(`${content}.${sha256(state)}`)}`,
      };
    },
    /** The verifier, if the cookie was made for this state and has not expired. */
    open(sealed: string, state: string): string | undefined {
      const [verifier, expires, tag, ...rest] = sealed.split('.');
      if (verifier === undefined || expires === undefined || tag === undefined || rest.length > 0) return undefined;
      if (!signer.verify(`${verifier}.${expires}.${sha256(state)}`, tag)) return undefined;
      return Number(expires) * 1000 > now() ? verifier : undefined;
    },
  };
}

/** Where to redirect a callback whose state does not match: to a new attempt, or after the third to an explanation. */
export function afterMismatch(state: unknown): string {
  const attempt = typeof state === 'string' ? /^[\w-]{43}\.([1-3])$/.exec(state)?.[1] : undefined;
  if (attempt === undefined) return '/api/auth/login';
  return Number(attempt) < MAX_ATTEMPT ? `/api/auth/login?attempt=${Number(attempt) + 1}` : COOKIES_PAGE;
}

/** The attempt number from the query of the login route; defaults to the first. */
export const attemptOf = (query: unknown): number => (query === '2' || query === '3' ? Number(query) : 1);

const USED_MAX = 10_000;
const WAITING_MAX = 1_000;
const WAIT_MS = 2_000;
/** The maximum number of rows per statement, because of SQLite's limit. */
const STORED_AT_ONCE = 500;

/** Another process has already used the state. */
export class LoginStateReplayed extends Error {
  override readonly name = 'LoginStateReplayed';
  override readonly message = 'the login state was already used';
}

/** Keeps track of used login states, each of which is valid only once across all processes. */
export function loginStateReplay(options: { database: Database; log: Pick<Log, 'warn'> } & Clock) {
  const { database, log, now, monotonic } = options;
  /** When to delete each used state, by its hash; oldest first. */
  const used = new Map<string, number>();
  let prunedAt = Number.NEGATIVE_INFINITY;
  let waiting: ReturnType<typeof rowOf>[] = [];
  let next: Promise<void> | undefined;
  let written = Promise.resolve();

  const find = database.statement<{ state: string }>('select state from used_login_states where state = ?');

  const second = (): number => Math.floor(now() / 1000);
  const rowOf = (state: string) => ({ state: sha256(state), expires_at: second() + LOGIN_SECONDS });

  function forgetOld(): void {
    for (const [hash, until] of used) {
      if (until > monotonic() && used.size <= USED_MAX) return;
      used.delete(hash);
    }
  }

  /** Keeps expired states for another lifetime, since clocks may differ. */
  function pruneIfDue(): void {
    if (monotonic() - prunedAt < LOGIN_SECONDS * 1000) return;
    prunedAt = monotonic();
    const old = { table: 'used_login_states', column: 'expires_at', below: second() - LOGIN_SECONDS };
    deleteOldRows(database, old).catch((error) => log.warn({ error }, 'expired login states could not be removed'));
  }

  /** Writes one after another: states that arrive during a write share the next one, so a flood causes few writes. */
  function writeSoon(state: string): Promise<void> {
    if (waiting.length >= WAITING_MAX)
      return Promise.reject(new Error('too many login states are waiting to be stored'));
    waiting.push(rowOf(state));
    if (next === undefined) {
      next = written.then(writeWaiting);
      written = next.catch(() => {});
    }
    return next;
  }
  async function writeWaiting(): Promise<void> {
    const rows = waiting;
    waiting = [];
    next = undefined;
    await database.transaction(async (trx) => {
      for (let from = 0; from < rows.length; from += STORED_AT_ONCE)
        await trx('used_login_states')
          .insert(rows.slice(from, from + STORED_AT_ONCE))
          .onConflict('state')
          .ignore();
    });
  }

  return {
    /** Whether this process has used the state. */
    has(state: string): boolean {
      const until = used.get(sha256(state));
      return until !== undefined && until > monotonic();
    },
    /** Marks the state as used in this process; called before anything else is done with it. */
    take(state: string): void {
      used.set(sha256(state), monotonic() + LOGIN_SECONDS * 1000);
      forgetOld();
      pruneIfDue();
    },
    /** Whether any process has used the state. Requires the database, without which nobody can sign in anyway. */
    isMarked: (state: string): Promise<boolean> =>
      find.get(sha256(state)).then(
        (row) => row !== undefined,
        () => false,
      ),
    /**
     * Marks the state as used for all processes, in the sign-in's transaction.
     * @throws LoginStateReplayed if it already is
     */
    async mark(state: string, trx: Knex.Transaction): Promise<void> {
      try {
        await trx('used_login_states').insert(rowOf(state));
      } catch (error) {
        throw isDuplicate(error) ? new LoginStateReplayed() : error;
      }
    },
    /** Marks the state as used for all processes after a failed sign-in, if the database is available. */
    async spend(state: string): Promise<void> {
      const stored = writeSoon(state).catch((error) => log.warn({ error }, 'a used login state could not be stored'));
      await Promise.race([stored, sleep(WAIT_MS, undefined, { ref: false })]);
    },
  };
}
export type LoginStateReplay = ReturnType<typeof loginStateReplay>;
