import type { IncomingMessage } from 'node:http';
import { membersOf, text } from '../../../shared/json.ts';
import { isUuid } from '../../../shared/uuid.ts';

/** The answer to the largest batch, a thousand identities, has a sixth of this. */
const NOTED_BYTES = 1024 * 1024;

/**
 * Reads along the answer to a batch of identities (`PATCH /admin/identities`) on its way to the client, which it neither
 * delays nor changes.
 * @param noted called once: with the ids of those that were written; undefined if the answer does not say so, is
 * compressed, too large or broken off
 */
export function noteBatchIds(answer: IncomingMessage, noted: (ids: string[] | undefined) => void): void {
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') {
    noted(undefined);
    return;
  }
  let chunks: Buffer[] | undefined = [];
  let bytes = 0;
  const end = (ids: string[] | undefined): void => {
    if (chunks === undefined) return;
    chunks = undefined;
    noted(ids);
  };
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > NOTED_BYTES) end(undefined);
    else chunks?.push(chunk);
  });
  answer.once('end', () => end(chunks && idsIn(Buffer.concat(chunks).toString('utf8'))));
  answer.once('close', () => end(undefined));
}

/** Kratos names the identity by its id; other releases send it whole. */
function idsIn(body: string): string[] | undefined {
  try {
    const results = membersOf(JSON.parse(body))['identities'];
    if (!Array.isArray(results)) return undefined;
    return results
      .map((result) => membersOf(result)['identity'])
      .map((identity) => (typeof identity === 'string' ? identity : text(membersOf(identity)['id'])).toLowerCase())
      .filter(isUuid);
  } catch {
    return undefined;
  }
}
