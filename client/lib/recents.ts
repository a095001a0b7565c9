import { type RecordReference, recordKey, recordReference } from '../../shared/records.ts';
import { remember, remembered } from './tab-storage.ts';

/** The operator's id and the keys of records, newest first, a line each. Exists from sign-in to sign-out. */
const SLOT = 'recent-records';
const RECENT_MAX = 8;

const keysOf = (operator: string): string[] | undefined => {
  const [owner, ...keys] = remembered(SLOT)?.split('\n') ?? [];
  return owner === operator ? keys : undefined;
};

/** Somebody is signed in: discards the records of another operator. */
export function startRecents(operator: string): void {
  if (keysOf(operator) === undefined) remember(SLOT, operator);
}

export const endRecents = (): void => remember(SLOT, undefined);

/** Stores nothing after a sign-out, also one in another tab. */
function change(operator: string, by: (keys: readonly string[]) => readonly string[]): void {
  const keys = keysOf(operator);
  if (keys !== undefined) remember(SLOT, [operator, ...by(keys).slice(0, RECENT_MAX)].join('\n'));
}

export const addRecent = (operator: string, record: RecordReference): void =>
  change(operator, (keys) => [recordKey(record), ...keys.filter((key) => key !== recordKey(record))]);

export const dropRecents = (operator: string, gone: readonly RecordReference[]): void =>
  change(operator, (keys) => keys.filter((key) => !gone.some((record) => recordKey(record) === key)));

/** The records opened last, newest first. What cannot be one is ignored. */
export const recentRecords = (operator: string): RecordReference[] =>
  (keysOf(operator) ?? []).slice(0, RECENT_MAX).flatMap((key) => {
    const [kind, ...rest] = key.split(':');
    return recordReference(kind, rest.join(':')) ?? [];
  });
