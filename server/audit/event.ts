import type { AuditAction, AuditDetails, AuditSubject } from '../../shared/audit.ts';
import { attempt, isUuid, UUID } from '../../shared/json.ts';
import { UPSTREAMS } from '../../shared/upstreams.ts';

/** An `identity_search` record has exactly these members and its time (docs/api.md#identities). */
interface IdentitySearchEvent {
  action: 'identity_search';
  adminId: string;
  searchFilter: string | null;
}

/** Any other audited act. `details` never contains a secret value, a token or a body. */
export interface ActEvent {
  action: Exclude<AuditAction, 'identity_search'>;
  /** The operator's identity id, `anonymous`, `command-line`, or `service` for what the service does by itself. */
  actor: string;
  /** What was acted on: a setting's key, an identity's id, a path. */
  target: string | null;
  details?: AuditDetails;
}

export type AuditEvent = IdentitySearchEvent | ActEvent;

/** An event with the time at which it happened: ISO 8601, UTC, with milliseconds. */
export type WithTimestamp<Event extends AuditEvent> = Event & { timestamp: string };

/** The details of a record, with the operator's reason if there is one. */
export const withReason = (reason: string | undefined, details?: AuditDetails): Pick<ActEvent, 'details'> =>
  reason === undefined ? { ...(details && { details }) } : { details: { ...details, reason } };

const IDENTITY_APIS = UPSTREAMS.filter(({ holdsIdentities }) => holdsIdentities).map(({ name }) => name);
/** Kratos accepts these paths with and without the `/admin` prefix. */
const OF_IDENTITIES = `^/api/(?:${IDENTITY_APIS.join('|')})/(?:admin/)?`;
const IDENTITY_PATH = new RegExp(`${OF_IDENTITIES}identities/(${UUID})(?:/|$)`, 'i');
const SESSION_PATH = new RegExp(`${OF_IDENTITIES}sessions/(${UUID})(?:/|$)`, 'i');
const CLIENT_PATH = /^\/api\/oauth-admin\/(?:admin\/)?clients\/([^/]+)/;
/** The width of the `subject` column. */
const SUBJECT_MAX_BYTES = 1040;

/**
 * The subject of a record; null if it has no history page. Derived from the record alone and stable across releases,
 * since the stored column is verified against it.
 */
export function subjectOf(event: AuditEvent): AuditSubject | null {
  const subject = derived(event);
  return subject !== null && Buffer.byteLength(subject) <= SUBJECT_MAX_BYTES ? subject : null;
}

function derived(event: AuditEvent): AuditSubject | null {
  switch (event.action) {
    case 'login':
    case 'logout':
      return ofUuid('session', event.target);
    case 'session_revoke':
    case 'recovery_start':
    case 'note_write':
    case 'note_delete':
      return ofUuid('identity', event.target);
    case 'setting_write':
    case 'setting_delete':
    case 'setting_decrypt':
    case 'setting_restore':
    case 'setting_forget':
    case 'value_encrypt':
      return event.target === null ? null : `setting:${event.target}`;
    case 'proxy_write':
      // A created resource is named only in the response's `Location`.
      return ofPath(event.target) ?? ofPath(event.details?.location);
    case 'login_refused':
    case 'identity_search':
    case 'account_unlock':
    case 'audit_anchor':
    case 'audit_prune':
      return null;
    // Recorded by a later release: an event of this release without a case does not compile.
    default:
      event satisfies never;
      return null;
  }
}

const ofUuid = (kind: 'session' | 'identity', id: string | null): AuditSubject | null =>
  id !== null && isUuid(id) ? `${kind}:${id.toLowerCase()}` : null;

function ofPath(path: unknown): AuditSubject | null {
  if (typeof path !== 'string') return null;
  const identity = IDENTITY_PATH.exec(path)?.[1];
  if (identity !== undefined) return `identity:${identity.toLowerCase()}`;
  const session = SESSION_PATH.exec(path)?.[1];
  if (session !== undefined) return `session:${session.toLowerCase()}`;
  const client = CLIENT_PATH.exec(path)?.[1];
  return client === undefined ? null : ofClient(client);
}

/** A client id may be any text, so it is percent-encoded in a path. */
const ofClient = (escaped: string): AuditSubject | null =>
  attempt((): AuditSubject => `client:${decodeURIComponent(escaped)}`) ?? null;
