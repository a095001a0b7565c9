import type { AuditRecord } from '../../../shared/audit.ts';

const WRITES: Record<string, string> = { POST: 'Created', PATCH: 'Changed', PUT: 'Replaced', DELETE: 'Deleted' };

/** What a record says was done, on the page of what it was done to: “Changed”, “Replaced lifespans: refused (400)”. */
export function formatRecord({ action, target, details }: Pick<AuditRecord, 'action' | 'target' | 'details'>): string {
  if (action !== 'proxy_write') return action.replaceAll('_', ' ');
  const method = String(details.method);
  const words = [WRITES[method] ?? method, ...partOf(target ?? '')];
  return `${words.join(' ')}${outcome(method, details.status)}`;
}

/** Of `/api/<service>/admin/<resources>/<id>/<part>` the part. */
function partOf(path: string): string[] {
  const segments = path.split('/').slice(3);
  const below = segments.slice(segments[0] === 'admin' ? 3 : 2);
  return below.length === 0 ? [] : [below.join('/')];
}

function outcome(method: string, status: unknown): string {
  if (typeof status !== 'number') return ': no answer, so it may have happened';
  if (method === 'DELETE' && status === 404) return ': there was nothing to delete';
  if (status < 400) return '';
  return status < 500 ? `: refused (${status})` : `: failed (${status})`;
}
