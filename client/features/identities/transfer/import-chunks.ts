import { isObject } from '../../../json-object.ts';
import type { CheckedIdentity } from './check-identity.ts';

/** One request: few enough that it is answered in time, and that a repeated one costs little. */
const CHUNK_IDENTITIES = 100;
/** The store hashes each of these before it answers. */
const CHUNK_PASSWORDS = 20;
/** The store takes 5 MB; a character may be up to three bytes. */
const CHUNK_CHARACTERS = 1_000_000;
/** Those that are not sent count as well, so that a file full of them still shows progress. */
const CHUNK_RECORDS = 1_000;

/** Identities in the order of the file, as many together as one request takes. */
export async function* chunksOf(identities: AsyncIterable<CheckedIdentity>): AsyncGenerator<CheckedIdentity[]> {
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
    if (isSent && hasPlainPassword(checked.identity)) passwords += 1;
    if (sent >= CHUNK_IDENTITIES || passwords >= CHUNK_PASSWORDS || chunk.length >= CHUNK_RECORDS) {
      yield chunk;
      chunk = [];
      sent = passwords = characters = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}

export function hasPlainPassword({ credentials }: Record<string, unknown>): boolean {
  const password = isObject(credentials) ? credentials.password : undefined;
  const config = isObject(password) ? password.config : undefined;
  return isObject(config) && typeof config.password === 'string' && config.password !== '';
}
