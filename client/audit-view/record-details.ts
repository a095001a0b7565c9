import type { AuditRecord } from '../../shared/audit.ts';
import { exactTime } from '../ui/relative-time.tsx';
import { changedMembers, mayBeMore, memberWords } from './changed-members.ts';

type Told = Pick<AuditRecord, 'action' | 'target' | 'details'>;

/** What a record says beyond its sentence, in short phrases. Never a value: the trail holds none. */
export function recordDetails({ action, details }: Told): string[] {
  const phrases: string[] = [];
  if (action === 'setting_write') {
    if (typeof details.encrypted === 'boolean')
      phrases.push(details.encrypted ? 'stored encrypted' : 'stored in plain text');
    if (typeof details.category === 'string') phrases.push(`category ${details.category}`);
    else if (details.category === null) phrases.push('no category');
  }
  if (typeof details.from === 'string' && typeof details.to === 'string')
    phrases.push(`between ${exactTime(details.from)} and ${exactTime(details.to)}`);
  return phrases;
}

/** The record as it was made, by the names of its parts: ids, and of a proxied write the request and its members. */
export function recordFacts(record: AuditRecord): [name: string, value: string][] {
  const { sequence, timestamp, actor, target, subject, action, details } = record;
  const facts: [string, string][] = [
    ['Record', String(sequence)],
    ['Time', timestamp],
    ['Who', actor],
  ];
  if (subject !== null) facts.push(['About', subject]);
  if (action !== 'proxy_write') return facts;
  const pointers = changedMembers(record);
  if (pointers.length > 0)
    facts.push(['Changed', `${memberWords(pointers).join(', ')}${mayBeMore(pointers) ? ', possibly more' : ''}`]);
  facts.push(['Request', requestOf({ target, details })]);
  if (typeof details.status === 'number') facts.push(['Status', String(details.status)]);
  if (typeof details.peer === 'string') facts.push(['From', details.peer]);
  return facts;
}

/** `PATCH /api/identity-admin/admin/identities/…`; empty for what was not sent through a proxy. */
export const requestOf = ({ target, details }: Pick<AuditRecord, 'target' | 'details'>): string =>
  typeof details.method === 'string' ? `${details.method} ${target ?? ''}`.trim() : '';
