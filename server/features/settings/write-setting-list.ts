import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Setting } from '../../../shared/settings.ts';

const CHUNK_CHARACTERS = 65_536;

/**
 * Writes `{"settings":[…]}` batch by batch, so that neither memory nor the time per turn grows with their number.
 * Respects backpressure; stops when the client disconnects.
 * @throws what reading throws; nothing is sent before the first chunk, so an error response is still possible
 */
export async function writeSettingList(batches: AsyncIterable<Setting[]>, res: ServerResponse): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  let chunk = '{"settings":[';
  let separator = '';

  /** Sends the header together with the first chunk. */
  function take(): string {
    if (!res.headersSent) res.setHeader('Content-Type', 'application/json; charset=utf-8');
    const text = chunk;
    chunk = '';
    return text;
  }

  async function flush(): Promise<void> {
    const ready = res.write(take());
    if (!ready && !gone.signal.aborted) await once(res, 'drain', { signal: gone.signal }).catch(() => {});
    // `drain` may fire within the same turn: let other requests run.
    await nextTurn();
  }

  for await (const batch of batches) {
    for (const setting of batch) {
      if (gone.signal.aborted) return;
      chunk += separator + JSON.stringify(setting);
      separator = ',';
      if (chunk.length >= CHUNK_CHARACTERS) await flush();
    }
    await nextTurn();
  }
  res.end(`${take()}]}`);
}
