import type { AuditRecord } from '../../shared/audit.ts';
import { exactTime } from '../ui/relative-time.tsx';

type Told = Pick<AuditRecord, 'action' | 'target' | 'details'>;

/** What the record says beyond its sentence, in short pieces: never a value, for the trail holds none. */
export function recordDetails({ action, target, details }: Told): string[] {
  const told: string[] = [];
  if (action === 'setting_write') {
    if (typeof details.encrypted === 'boolean')
      told.push(details.encrypted ? 'stored encrypted' : 'stored in plain text');
    if (typeof details.category === 'string') told.push(`category ${details.category}`);
    else if (details.category === null) told.push('no category');
  }
  if (action === 'proxy_write') {
    told.push([details.method, target].filter((part) => part != null).join(' '));
    if (typeof details.status === 'number') told.push(`status ${details.status}`);
    if (typeof details.peer === 'string') told.push(`from ${details.peer}`);
  }
  if (typeof details.from === 'string' && typeof details.to === 'string')
    told.push(`between ${exactTime(details.from)} and ${exactTime(details.to)}`);
  return told;
}
