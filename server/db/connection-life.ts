/** In any case: a connection that leads to an old server, after the address has moved, ends here. */
export const MAX_AGE_MS = 300_000;

/**
 * The server cannot serve: disk full (1021), no majority in its cluster (1047, and 1180 at COMMIT), shutting down (1053),
 * read-only (1290, 1792, 1836). The numbers are the same on MySQL and MariaDB.
 */
const CANNOT_SERVE = new Set([1021, 1047, 1053, 1180, 1290, 1792, 1836]);

/** How long the connections of a pool may be used. Only one that is idle is closed: no transaction is cut. */
export interface ConnectionLife {
  opened(connection: object): void;
  isNew(connection: object): boolean;
  /** Whether it may be used again. */
  mayServe(connection: object): boolean;
  /** If a server says that it cannot serve, the connections so far have no future: all of them lead to it. */
  failed(error: unknown): void;
}

export interface LifeOptions {
  maxAgeMs?: number;
  /** Milliseconds on a monotonic clock. */
  monotonic?: () => number;
}

export function connectionLife(options: LifeOptions = {}): ConnectionLife {
  const { maxAgeMs = MAX_AGE_MS, monotonic = () => performance.now() } = options;
  const known = new WeakMap<object, { openedAt: number; failures: number }>();
  let failures = 0;
  return {
    opened: (connection) => void known.set(connection, { openedAt: monotonic(), failures }),
    isNew: (connection) => !known.has(connection),
    mayServe(connection) {
      const about = known.get(connection);
      return about?.failures === failures && monotonic() - about.openedAt < maxAgeMs;
    },
    failed(error) {
      if (CANNOT_SERVE.has(Number((error as { errno?: unknown }).errno))) failures += 1;
    },
  };
}
