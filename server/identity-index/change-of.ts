import type { AuditRecord } from '../../shared/audit.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import type { Kind } from './sources.ts';

/** The members of an audit record that say what was changed. */
export type WriteRecord = Pick<AuditRecord, 'action' | 'target' | 'subject' | 'details'>;

/** What a write through one of the proxies has changed, as far as the index holds it. */
export type IndexChange =
  /** To be read again. */
  | { how: 'written'; kind: Kind; id: string }
  /** The store no longer has it. */
  | { how: 'removed'; kind: Kind; id: string }
  /** A session has ended; the store still lists it. */
  | { how: 'ended'; session: string }
  /** The store no longer has a session of this person. */
  | { how: 'ended-of'; person: string }
  /** People of whom no id is known; `listed` if they are named in the body of the answer. */
  | { how: 'unknown'; listed: boolean };

const KINDS: Record<string, Kind> = { identity: 'people', session: 'sessions', client: 'clients' };
const OF_STORE = /^\/api\/([^/]+)\/(?:admin\/)?(identities|sessions|clients)(\/[^/]+)?(\/sessions)?$/i;

/**
 * @param store whose people are in the index: there may be another one
 * @returns undefined if nothing of the index is changed
 */
export function changeOf(
  { action, target, subject, details }: WriteRecord,
  store: UpstreamName,
): IndexChange | undefined {
  if (action !== 'proxy_write' || target === null) return undefined;
  const { method, status } = details;
  // Refused, so that nothing has changed; a 404 says that it is gone. Without a status nobody knows.
  if (typeof status === 'number' && status >= 400 && status < 500 && status !== 404) return undefined;
  const isDone = typeof status === 'number' && status < 300;
  const [, api, list, one, sessions] = OF_STORE.exec(target) ?? [];

  const [type = '', ...rest] = subject?.split(':') ?? [];
  const kind = KINDS[type];
  const id = rest.join(':');
  if (target.split('/')[2] !== (kind === 'clients' ? 'oauth-admin' : store)) return undefined;
  if (kind === undefined) {
    const isBatch = api === store && list === 'identities' && one === undefined;
    return isBatch ? { how: 'unknown', listed: isDone && method === 'PATCH' } : undefined;
  }
  if (method === 'DELETE' && kind === 'people' && sessions !== undefined && (isDone || status === 404))
    return { how: 'ended-of', person: id };
  if (method === 'DELETE' && isDone && list !== undefined && sessions === undefined)
    return kind === 'sessions' ? { how: 'ended', session: id } : { how: 'removed', kind, id };
  return { how: 'written', kind, id };
}
