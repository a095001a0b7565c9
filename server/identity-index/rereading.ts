import type { Log } from '../log/log.ts';
import { IndexUnavailable } from './index-thread.ts';
import type { IndexWriter } from './index-writer.ts';
import type { IndexSources, Kind } from './sources.ts';

/** More ids would make a `Link` header that is too long: it repeats them. */
export const IDS_A_CALL = 100;
const A_CALL: Record<Kind, number> = { people: IDS_A_CALL, sessions: 1, clients: 1 };
/** More than these are read with everybody else. */
const WAITING = 10_000;

export interface Rereading {
  /** Reads these again, soon. */
  reread(kind: Kind, ids: readonly string[]): void;
  /** Resolves when nothing waits to be read again; undefined if nothing does. */
  settled(): Promise<unknown> | undefined;
}

/**
 * Reads again what was written through this service: one call at a time for each list.
 * @param leave called where that is not possible: the next pass has to do it
 */
export function rereading(options: {
  read: IndexSources['byId'];
  writer: Pick<IndexWriter, 'put' | 'remove'>;
  leave: () => void;
  log: Log;
}): Rereading {
  const { read, writer, leave, log } = options;
  const waiting: Record<Kind, Set<string>> = { people: new Set(), sessions: new Set(), clients: new Set() };
  const running = new Map<Kind, Promise<void>>();

  async function readAll(kind: Kind): Promise<void> {
    const all = waiting[kind];
    while (all.size > 0) {
      const ids = [...all].slice(0, A_CALL[kind]);
      for (const id of ids) all.delete(id);
      const found = new Set((await writer.put(kind, async () => ({ text: await read(kind, ids) }))).ids);
      const gone = ids.filter((id) => !found.has(id));
      if (gone.length > 0) await writer.remove(kind, gone);
    }
  }

  function failed(kind: Kind, error: unknown): void {
    waiting[kind].clear();
    leave();
    // Without the worker there is no index any more, and all of it is read anew.
    if (!(error instanceof IndexUnavailable))
      log.warn({ error, list: kind }, 'what was written could not be read again for the index');
  }

  function begin(kind: Kind): void {
    if (running.has(kind) || waiting[kind].size === 0) return;
    const done = readAll(kind)
      .catch((error) => failed(kind, error))
      .finally(() => {
        running.delete(kind);
        begin(kind);
      });
    running.set(kind, done);
  }

  return {
    reread(kind, ids) {
      if (waiting[kind].size + ids.length > WAITING) {
        leave();
        return;
      }
      for (const id of ids) waiting[kind].add(id);
      begin(kind);
    },
    settled: () => (running.size === 0 ? undefined : Promise.all(running.values())),
  };
}
