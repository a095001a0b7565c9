import { type AuditAction, type AuditRecord, CHANGE_ACTIONS } from '../../shared/audit.ts';
import { timeOf } from '../../shared/json.ts';
import { counted } from '../lib/format-count.ts';
import { joined, proxiedAct } from './proxied-act.ts';
import {
  type NamedThing,
  type NameOf,
  type RecordedAct,
  reasonIn,
  recordSentence,
  type SentencePart,
  thingOf,
} from './record-sentence.ts';

/** Records described by one sentence, newest first: same operator and reason, same action or subject, close in time. */
export type RecordFold = readonly [AuditRecord, ...AuditRecord[]];

/** The longest gap between two records, enough for one request to a slow service. */
const CLOSE_MS = 5_000;
/** Between two searches: looking for somebody takes several, with reading between them. */
const SEARCHES_CLOSE_MS = 30 * 60_000;
/** Every record of other actions gets its own sentence. */
const FOLDED: readonly AuditAction[] = [
  ...CHANGE_ACTIONS.filter((action) => !/^(?:account|audit)_/.test(action)),
  'identity_search',
];

/**
 * Folds records that one click has probably caused: a bulk action, or a change to several settings of one provider;
 * and searches of one operator.
 * @param records newest first
 * @returns all records, ordered by the newest record of each fold
 */
export function foldRecords(records: readonly AuditRecord[]): RecordFold[] {
  const folds: { records: [AuditRecord, ...AuditRecord[]]; marks: Set<string> }[] = [];
  /** Folds that may still grow, by operator. */
  const open = new Map<string, typeof folds>();
  for (const record of records) {
    const marks = marksOf(record);
    const near = (open.get(record.actor) ?? []).filter(({ records }) => isClose(records.at(-1), record));
    const fold = near.find(
      (one) => reasonIn(one.records[0]) === reasonIn(record) && marks.some((mark) => one.marks.has(mark)),
    );
    if (fold === undefined) {
      const started = { records: [record] as [AuditRecord], marks: new Set(marks) };
      folds.push(started);
      near.push(started);
    } else {
      fold.records.push(record);
      for (const mark of marks) fold.marks.add(mark);
    }
    open.set(record.actor, near);
  }
  return folds.map((fold) => fold.records);
}

const isClose = (newer: AuditRecord | undefined, older: AuditRecord): boolean =>
  Math.abs(timeOf(newer?.timestamp) - timeOf(older.timestamp)) <=
  (older.action === 'identity_search' ? SEARCHES_CLOSE_MS : CLOSE_MS);

/** Records that share a mark belong to the same fold. */
function marksOf(record: AuditRecord): string[] {
  const { action, subject } = record;
  if (!FOLDED.includes(action)) return [];
  const thing = subject === null ? undefined : thingOf(subject);
  const act = action === 'proxy_write' ? proxiedAct(record).infinitive : action;
  // The settings of one provider differ only in the last part of the key.
  const about = thing?.kind === 'setting' ? subject?.replace(/\.[^.]+$/, '') : subject;
  return [`${thing?.kind} ${act}`, ...(about == null ? [] : [about])];
}

const NOUNS: Record<NamedThing['kind'], [one: string, many: string]> = {
  operator: ['operator', 'operators'],
  identity: ['identity', 'identities'],
  setting: ['setting', 'settings'],
  client: ['client', 'clients'],
  session: ['session', 'sessions'],
};

/** “You deactivated and ended all sessions of 12 identities”. A single record gets its own sentence. */
export function foldSentence(fold: readonly RecordedAct[], self?: string, nameOf?: NameOf): SentencePart[] {
  const sentences = fold.toReversed().map((record) => recordSentence(record, self, nameOf));
  const [[actor, ...first] = []] = sentences;
  if (sentences.length < 2 || actor === undefined) return sentences[0] ?? [];
  const acts = new Map<string, { kind: NamedThing['kind'] | undefined; ids: Set<string>; count: number }>();
  for (const [, act, ...rest] of sentences) {
    const thing = rest.find(({ names }) => names !== undefined)?.names;
    const phrase = (act?.text.trim() ?? '')
      .replace(/ the setting$/, '')
      // Each search has its own words, which the single records show.
      .replace(/^(?:listed|searched) identities.*/s, 'listed or searched identities');
    const { ids, count } = acts.get(phrase) ?? { ids: new Set(), count: 0 };
    if (thing !== undefined) ids.add(thing.id);
    acts.set(phrase, { kind: thing?.kind, ids, count: count + 1 });
  }
  const phrases = [...acts.keys()];
  const [{ kind, ids } = { kind: undefined, ids: new Set<string>() }] = acts.values();
  const isAlike = [...acts.values()].every((act) => act.kind === kind && act.ids.size === ids.size);
  const all = new Set([...acts.values()].flatMap((act) => [...act.ids]));
  const text = (words: string): SentencePart => ({ text: ` ${words}` });
  if (isAlike && kind !== undefined && all.size === 1) {
    const named = first.slice(1, first.findIndex(({ names }) => names !== undefined) + 1);
    return [actor, text(joined(phrases, MOST)), ...(kind === 'setting' ? [text('the setting')] : []), ...named];
  }
  const howMany = ({ kind, ids, count }: { kind: NamedThing['kind'] | undefined; ids: Set<string>; count: number }) =>
    kind === undefined ? (count > 1 ? `, ${count} times` : '') : ` ${counted(ids.size, ...NOUNS[kind])}`;
  const words =
    isAlike && kind !== undefined
      ? `${joined(phrases, MOST)}${howMany({ kind, ids, count: 0 })}`
      : joined(
          [...acts].map(([phrase, act]) => `${phrase}${howMany(act)}`),
          MOST,
        );
  const above = kind === 'setting' ? commonAbove([...all]) : '';
  return [actor, text(above === '' ? words : `${words} under ${above}`)];
}

/** How many actions a sentence names before it counts the rest. */
const MOST = 4;

/** “social.google” for “social.google.scopes” and “social.google.enabled”. */
function commonAbove([first = '', ...others]: readonly string[]): string {
  const parts = first.split('.').slice(0, -1);
  while (parts.length > 0 && !others.every((key) => key.startsWith(`${parts.join('.')}.`))) parts.pop();
  return parts.join('.');
}
