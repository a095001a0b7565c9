import type { AuditRecord } from '../../shared/audit.ts';
import type { Log } from '../log/log.ts';
import type { WriteRecord } from './change-of.ts';

/** The audit trail, in which every replica records its writes. */
export interface Trail {
  /** The sequence of the newest record. */
  head(): Promise<number>;
  /** The records after this one, in order; at most `most`. */
  after(sequence: number, most: number): Promise<AuditRecord[]>;
}

export interface TrailWatch {
  /** Looks now, if it does not do so anyway. */
  wake(): void;
  /** This process has written this, and has already noted it: its record is passed over. */
  own(record: WriteRecord): void;
  stop(): void;
}

/** Other replicas' writes are seen after at most this time plus two reads: less than five seconds. */
const POLL_MS = 2_500;
const PAGE = 200;
/** Farther behind than this, all people are read again instead. */
const BEHIND = 2_000;
/** How many own writes are kept, and for how long, until their records come. */
const OWN = 10_000;
const OWN_MS = 30_000;

/**
 * Follows the audit trail from where it stands at the first look.
 * @param isAsked it is followed while this is true
 * @param note takes each new record
 * @param missed called where records were passed over
 */
export function trailWatch(options: {
  trail: Trail;
  isAsked: () => boolean;
  note: (record: AuditRecord) => void;
  missed: () => void;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pollMs?: number;
}): TrailWatch {
  const { trail, isAsked, note, missed, monotonic, log, pollMs = POLL_MS } = options;
  const own = new Map<string, number>();
  let seen: number | undefined;
  let away = false;
  let looking = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const keyOf = ({ target, subject, details }: WriteRecord): string =>
    JSON.stringify([target, subject, details['method'], details['status']]);

  function isOwn(record: AuditRecord): boolean {
    const key = keyOf(record);
    const at = own.get(key);
    own.delete(key);
    return at !== undefined && monotonic() - at < OWN_MS;
  }

  async function look(): Promise<void> {
    const head = await trail.head();
    // At first, after a time in which it could not be read, or in a database that was restored from a backup.
    if (seen === undefined || head < seen || head - seen > BEHIND) {
      if (seen !== undefined || away) missed();
      seen = head;
    }
    while (seen < head && !stopped) {
      const records = await trail.after(seen, PAGE);
      // Pruned since: they were not seen.
      if (records[0]?.sequence !== seen + 1) missed();
      for (const record of records) if (!isOwn(record)) note(record);
      seen = records.at(-1)?.sequence ?? head;
    }
  }

  async function follow(): Promise<void> {
    looking = true;
    try {
      await look();
      away = false;
    } catch (error) {
      if (!away && !stopped) log.warn({ error }, 'the index cannot see what other replicas write');
      away = true;
    }
    looking = false;
    if (!stopped && isAsked()) timer = setTimeout(follow, pollMs).unref();
    else timer = undefined;
  }

  return {
    wake() {
      if (!looking && timer === undefined && !stopped) void follow();
    },
    own(record) {
      if (own.size >= OWN) own.delete(own.keys().next().value as string);
      own.set(keyOf(record), monotonic());
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
