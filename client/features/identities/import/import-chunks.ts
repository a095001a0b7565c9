import type { CheckedIdentity } from './check-identity.ts';
import { isPlain, passwordIn } from './file-password.ts';
import type { Load } from './import-pace.ts';

/** The store accepts 5 MB; a character may take up to three bytes. */
const CHUNK_CHARACTERS = 1_000_000;
/** Includes identities that are not sent, so that a file full of them still shows progress. */
const CHUNK_RECORDS = 1_000;

/**
 * Splits identities, in file order, into chunks that fit into one request.
 * @param most read again for each chunk, since it may change in between
 */
export async function* chunksOf(
  identities: AsyncIterable<CheckedIdentity>,
  most: Readonly<Load>,
): AsyncGenerator<CheckedIdentity[]> {
  let chunk: CheckedIdentity[] = [];
  let sent = 0;
  let passwords = 0;
  let characters = 0;
  for await (const checked of identities) {
    const isSent = checked.problems.length === 0;
    const length = isSent ? JSON.stringify(checked.identity).length : 0;
    if (chunk.length > 0 && characters + length > CHUNK_CHARACTERS) {
      yield chunk;
      chunk = [];
      sent = passwords = characters = 0;
    }
    chunk.push(checked);
    characters += length;
    if (isSent) sent += 1;
    if (isSent && isPlain(passwordIn(checked.identity))) passwords += 1;
    if (sent >= most.identities || passwords >= most.passwords || chunk.length >= CHUNK_RECORDS) {
      yield chunk;
      chunk = [];
      sent = passwords = characters = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}

/** The load that a request puts on the store. */
export const loadOf = (identities: readonly CheckedIdentity[]): Load => ({
  identities: identities.length,
  passwords: identities.filter(({ identity }) => isPlain(passwordIn(identity))).length,
});
