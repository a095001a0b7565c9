import type { Log } from '../log/log.ts';
import type { IndexSources } from './passes.ts';

/** More ids would make a `Link` header that is too long: it repeats them. */
export const IDS_A_CALL = 100;

/**
 * Reads people again who have been written through this service: some at once, in one call at a time.
 * @param put takes the store's answer. @returns the ids in it
 * @param remove takes those that the store no longer has
 * @returns takes an id; what cannot be read is left to the next pass
 */
export function rereading(options: {
  read: IndexSources['peopleBy'];
  put: (text: string) => Promise<readonly string[]>;
  remove: (ids: readonly string[]) => Promise<void>;
  log: Log;
}): (id: string) => void {
  const { read, put, remove, log } = options;
  const waiting = new Set<string>();
  let reading = false;

  async function readAll(): Promise<void> {
    while (waiting.size > 0) {
      const ids = [...waiting].slice(0, IDS_A_CALL);
      for (const id of ids) waiting.delete(id);
      const found = new Set(await put(await read(ids)));
      const gone = ids.filter((id) => !found.has(id));
      if (gone.length > 0) await remove(gone);
    }
  }

  return (id) => {
    waiting.add(id);
    if (reading) return;
    reading = true;
    readAll()
      .catch((error) => log.warn({ error }, 'people who were written could not be read again for the index'))
      .finally(() => {
        reading = false;
      });
  };
}
