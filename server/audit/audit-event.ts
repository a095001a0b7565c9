import type { AuditAction, AuditDetails } from '../../shared/audit.ts';

/** An `identity_search` record has exactly these members and its time (docs/api.md#identities). */
export interface IdentitySearchEvent {
  action: 'identity_search';
  adminId: string;
  searchFilter: string | null;
}

/** Any other audited act. `details` never holds a secret value, a token or a body. */
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
export type Timed<Event extends AuditEvent> = Event & { timestamp: string };
