import { isObject, type JsonObject } from '../../../shared/json.ts';
import { DEEPEST, folded, recordedPointer, segmentsOf } from './path-segments.ts';

/** What a write sets or removes, without its values. */
export interface ChangedMembers {
  /** JSON pointers, in the order of the body. */
  changed: readonly string[];
  /** The one value that is told. Undefined unless exactly one member can be meant by it. */
  state: 'active' | 'inactive' | undefined;
}

const MOST = 20;
/** Of all names together: what waits for the database must not grow without bounds. */
const MOST_CHARACTERS = 2048;

/**
 * The names of the members in the body of a write.
 * @param patch whether a list is a JSON Patch (RFC 6902)
 * @returns no names for anything that is neither an object nor a patch
 */
export function changedMembers(bytes: Uint8Array, patch: boolean): ChangedMembers {
  const noted = notes();
  const body = parsed(bytes);
  if (isObject(body)) noteBody(body, noted);
  else if (patch && Array.isArray(body))
    for (const operation of body) if (isObject(operation)) noteOperation(operation, noted);
  return noted.result();
}

/** Undefined for what is no JSON in UTF-8. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

interface Notes {
  isFull(): boolean;
  name(segments: readonly string[]): void;
  state(member: string, value: unknown): void;
  result(): ChangedMembers;
}

function notes(): Notes {
  const names = new Set<string>();
  let characters = 0;
  let full = false;
  let state: unknown;
  let isAmbiguous = false;
  return {
    isFull: () => full,
    name(segments) {
      const name = recordedPointer(segments);
      if (full || names.has(name)) return;
      full = names.size === MOST || characters + name.length > MOST_CHARACTERS;
      if (full) return;
      names.add(name);
      characters += name.length;
    },
    state(member, value) {
      if (folded(member) !== 'state') return;
      state = value;
      // Which of `state` and `State` counts is for the server to say.
      if (member !== 'state') isAmbiguous = true;
    },
    result: () => ({
      changed: [...names],
      state: !isAmbiguous && (state === 'active' || state === 'inactive') ? state : undefined,
    }),
  };
}

function noteBody(body: JsonObject, noted: Notes): void {
  for (const [member, value] of Object.entries(body)) noted.state(member, value);
  noteMembers(body, [], noted);
}

/** Lists are named as a whole. */
function noteMembers(members: JsonObject, above: readonly string[], noted: Notes): void {
  for (const [name, value] of Object.entries(members)) {
    if (noted.isFull()) return;
    const segments = [...above, name];
    if (segments.length < DEEPEST && isObject(value) && Object.keys(value).length > 0)
      noteMembers(value, segments, noted);
    else noted.name(segments);
  }
}

function noteOperation({ op, path, from, value }: JsonObject, noted: Notes): void {
  const isMoved = op === 'move' || op === 'copy';
  if (typeof path !== 'string' || !(isMoved || op === 'add' || op === 'replace' || op === 'remove')) return;
  if (op === 'move' && typeof from === 'string') noteMember(segmentsOf(from), undefined, noted);
  // The pointer to the whole document.
  if (path === '' && isObject(value)) noteBody(value, noted);
  else noteMember(segmentsOf(path), isMoved || op === 'remove' ? undefined : value, noted);
}

function noteMember(segments: readonly string[], value: unknown, noted: Notes): void {
  if (segments.length === 0) return;
  if (segments.length === 1) noted.state(segments[0] ?? '', value);
  noted.name(segments);
}
