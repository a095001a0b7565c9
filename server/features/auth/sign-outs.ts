import { setTimeout as sleep } from 'node:timers/promises';
import type { ActEvent, WithTimestamp } from '../../audit/event.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { Log } from '../../log.ts';
import type { Revocations } from '../../session/revocations.ts';
import type { Session } from '../../session/session-token.ts';

const CAPACITY = 10_000;
const WAIT_MS = 2_000;
const RETRY_MS = 1_000;
const DRAIN_MS = 2_000;
const DRAIN_RETRY_MS = 100;

interface SignOut {
  sessionId: string;
  expiresAt: number;
  record: WithTimestamp<ActEvent>;
}

/** Takes effect even if it cannot be recorded: without the database, this process ends the session all the same. */
export function signOuts(options: {
  revocations: Pick<Revocations, 'revokeSession'>;
  audit: Pick<AuditTrail, 'record'>;
  log: Pick<Log, 'warn' | 'error' | 'info'>;
  now: () => number;
}) {
  const { revocations, audit, log, now } = options;
  /** The first attempt for each session, so that concurrent requests end it once and write one record. */
  const firstAttempts = new Map<string, Promise<boolean>>();
  let waiting: SignOut[] = [];
  let retrying: Promise<void> | undefined;
  let draining = false;
  let ended = false;
  let wake = new AbortController();

  const store = ({ sessionId, expiresAt, record }: SignOut): Promise<void> =>
    revocations.revokeSession(sessionId, expiresAt, (trx) => audit.record(record, trx));

  function retryLater(signOut: SignOut, error: unknown): void {
    if (ended || waiting.length >= CAPACITY) {
      log.error({ error }, 'a sign-out could not be stored');
      return;
    }
    if (waiting.length === 0) log.warn({ error }, 'sign-outs are waiting for the database');
    waiting.push(signOut);
    retrying ??= retry().finally(() => {
      retrying = undefined;
    });
  }

  async function retry(): Promise<void> {
    while (waiting.length > 0) {
      await sleep(draining ? DRAIN_RETRY_MS : RETRY_MS, undefined, { ref: false, signal: wake.signal }).catch(() => {});
      await storeWaiting();
    }
    if (!draining) log.info('the pending sign-outs are stored');
  }

  async function storeWaiting(): Promise<void> {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      try {
        await store(first);
      } catch {
        return;
      }
      waiting = waiting.slice(1);
    }
  }

  function attempt(signOut: SignOut): Promise<boolean> {
    const stored = store(signOut).then(
      () => true,
      (error) => {
        retryLater(signOut, error);
        return false;
      },
    );
    firstAttempts.set(signOut.sessionId, stored);
    void stored.then(() => firstAttempts.delete(signOut.sessionId));
    return stored;
  }

  return {
    /**
     * Ends the session, immediately in this process.
     * @returns whether the sign-out was stored within two seconds for other processes and restarts; if not, it is
     * retried
     */
    end({ identityId: actor, sessionId, expiresAt }: Session): Promise<boolean> {
      const timestamp = new Date(now()).toISOString();
      const record = { action: 'logout', actor, target: sessionId, timestamp } as const;
      const stored = firstAttempts.get(sessionId) ?? attempt({ sessionId, expiresAt, record });
      return Promise.race([stored, sleep(WAIT_MS, false, { ref: false })]);
    },
    /** Keeps retrying for a few seconds before the process ends. */
    async drain(): Promise<void> {
      draining = true;
      ended = firstAttempts.size + waiting.length === 0;
      if (ended) return;
      const timeout = new AbortController();
      const all = Promise.all(firstAttempts.values()).then(() => {
        wake.abort();
        wake = new AbortController();
        return retrying;
      });
      await Promise.race([all, sleep(DRAIN_MS, undefined, { signal: timeout.signal })]);
      timeout.abort();
      ended = true;
      const lost = firstAttempts.size + waiting.length;
      waiting = [];
      if (lost > 0) log.error({ lost }, 'sign-outs were not stored');
    },
  };
}
