import type { AuditRecord } from '../../shared/audit.ts';
import { exactTime } from '../ui/relative-time.tsx';

type Told = Pick<AuditRecord, 'action' | 'target' | 'details'>;

/** What a record says beyond its sentence, in short phrases. Never a value: the trail holds none. */
export function recordDetails({ action, target, details }: Told): string[] {
  const phrases: string[] = [];
  if (action === 'setting_write') {
    if (typeof details.encrypted === 'boolean')
      phrases.push(details.encrypted ? 'stored encrypted' : 'stored in plain text');
    if (typeof details.category === 'string') phrases.push(`category ${details.category}`);
    else if (details.category === null) phrases.push('no category');
  }
  if (action === 'proxy_write') {
    phrases.push([details.method, target].filter((part) => part != null).join(' '));
    if (typeof details.status === 'number') phrases.push(`status ${details.status}`);
    if (typeof details.peer === 'string') phrases.push(`from ${details.peer}`);
  }
  if (typeof details.from === 'string' && typeof details.to === 'string')
    phrases.push(`between ${exactTime(details.from)} and ${exactTime(details.to)}`);
  return phrases;
}
