import type { AuditRecord } from '../../shared/audit.ts';
import { capitalised } from '../lib/visible-text.ts';
import { exactTime } from '../ui/facts.tsx';
import { changedMembers, mayBeMore, memberWords } from './proxied-act.ts';

/** Everything in a record, including ids; for a proxied write also the request, and the changed members in words. */
export function recordFacts(record: AuditRecord): [name: string, value: string][] {
  const { sequence, timestamp, actor, target, subject, action } = record;
  const { method, changed: _, peer, ...details } = record.details;
  const facts: [string, string][] = [
    ['Record', String(sequence)],
    ['Time', exactTime(timestamp)],
    ['Timestamp', timestamp],
    ['Action', action],
    ['Who', actor],
  ];
  if (subject !== null) facts.push(['About', subject]);
  const pointers = changedMembers(record);
  if (pointers.length > 0)
    facts.push(['Changed', `${memberWords(pointers).join(', ')}${mayBeMore(pointers) ? ', possibly more' : ''}`]);
  if (method !== undefined) facts.push(['Request', requestOf(record)]);
  else if (target !== null && subject?.endsWith(`:${target}`) !== true) facts.push(['Target', target]);
  for (const [name, value] of Object.entries(details)) facts.push([wordOf(name), String(value ?? 'none')]);
  if (peer !== undefined) facts.push(['Caller', String(peer)]);
  return facts;
}

/** `after_tag` as `After tag`. */
const wordOf = (name: string): string => capitalised(name.replaceAll('_', ' '));

/** `PATCH /api/identity-admin/admin/identities/…`; empty for records without a proxied request. */
export const requestOf = ({ target, details }: Pick<AuditRecord, 'target' | 'details'>): string =>
  typeof details.method === 'string' ? `${details.method} ${target ?? ''}`.trim() : '';
