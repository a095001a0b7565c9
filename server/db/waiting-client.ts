import { setTimeout as sleep } from 'node:timers/promises';
import Client from 'knex/lib/dialects/mysql2/index.js';
import type { Connection } from 'mysql2';
import { DatabaseUnavailable } from './unavailable.ts';

/** The server has no connection left (1040), or none for this user (1203, 1226). */
const NO_ROOM = new Set([1040, 1203, 1226]);
/** On average half of it: a server that many connect to at the same moment may refuse them all. */
const AGAIN_MS = 1_000;
/** How long a pool without any connection tries to get its first. */
const FIRST_MS = 2_500;
const OPEN_TIMEOUT_MS = 4_000;

/**
 * A pool rejects whoever waits for a connection when a further one cannot be opened. While it has connections of its own,
 * waiting for one of these is enough: opening ends when the server has room again, or the pool has had no others for a while.
 */
export class WaitingClient extends Client {
  /** How many have no room at the moment. */
  private refused = 0;
  private closing = new AbortController();

  override async acquireRawConnection(): Promise<Connection> {
    const began = performance.now();
    for (;;) {
      try {
        return await this.openInTime();
      } catch (error) {
        if (!NO_ROOM.has(Number((error as { errno?: unknown }).errno))) throw error;
        await this.roomIsWanted(error, began + FIRST_MS);
      }
    }
  }

  override destroy(callback: unknown): Promise<void> {
    this.closing.abort();
    return super.destroy(callback);
  }

  private async openInTime(): Promise<Connection> {
    const opening: Promise<Connection> = super.acquireRawConnection();
    const connection = await Promise.race([opening, sleep(OPEN_TIMEOUT_MS, undefined, { ref: false })]);
    if (connection !== undefined) return connection;
    opening.then(
      (late) => late.destroy(),
      () => {},
    );
    throw new DatabaseUnavailable('connecting took too long');
  }

  /** @throws `refusal` if there is no other connection to wait for, neither open nor being opened, after `deadline` */
  private async roomIsWanted(refusal: unknown, deadline: number): Promise<void> {
    const { pool, closing } = this;
    this.refused += 1;
    try {
      do {
        if (pool === undefined || !('numUsed' in pool) || closing.signal.aborted) throw refusal;
        const isAlone = pool.numUsed() + pool.numFree() + pool.numPendingCreates() <= this.refused;
        if (isAlone && performance.now() > deadline) throw refusal;
        await sleep(Math.random() * AGAIN_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      } while (pool.numPendingAcquires() === 0);
    } finally {
      this.refused -= 1;
    }
  }
}
