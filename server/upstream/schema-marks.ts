import { type MarksBySchema, marksIn } from '../../shared/identity-name.ts';
import type { AdminClient } from './admin-client.ts';

/** Each holds a whole JSON schema. */
const LIMITS = { maxBytes: 8 * 1024 * 1024, timeoutMs: 2_000 };
const FRESH_MS = 5 * 60_000;
const AGAIN_MS = 60_000;

/**
 * What the schemas of an identity service mark, read from its public API every few minutes. While they cannot be read,
 * what was known; never rejects.
 * @param elapsed milliseconds on a monotonic clock
 */
export function schemaMarks(
  client: Pick<AdminClient, 'list'>,
  elapsed: () => number = () => performance.now(),
): () => Promise<MarksBySchema> {
  let known: MarksBySchema = {};
  let reading: Promise<MarksBySchema> | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;

  async function read(): Promise<MarksBySchema> {
    try {
      known = marksIn((await client.list('/schemas', { per_page: 500 }, LIMITS)).items);
      freshUntil = elapsed() + FRESH_MS;
    } catch {
      freshUntil = elapsed() + AGAIN_MS;
    }
    reading = undefined;
    return known;
  }
  return async () => {
    if (elapsed() < freshUntil) return known;
    reading ??= read();
    return reading;
  };
}
