import type { AuditRecord } from '../../../../shared/audit.ts';
import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';
import type { LockedAccount } from '../../../../shared/security.ts';
import type { Identity } from '../../../api/identities-record.ts';
import type { IdentitySession } from '../../../api/identity-session.ts';
import type { ListedMessage } from '../../../api/messages.ts';
import type { ProviderState } from './provider-states.ts';

/** What a source said; undefined: it could not be asked, or did not answer. */
export interface Evidence {
  identity: Identity;
  credentials: readonly IdentityCredential[] | undefined;
  sessions: readonly IdentitySession[] | undefined;
  /** Of the identifiers this person signs in with. */
  locks: readonly LockedAccount[] | undefined;
  /** To the addresses of this person, newest first. */
  messages: readonly ListedMessage[] | undefined;
  /** Why the newest message was abandoned, in the courier's words. */
  courierReason: string | undefined;
  /** Of the providers this person signs in with. */
  providers: ReadonlyMap<string, ProviderState> | undefined;
  /** The latest record of this trail that set the identity's state; null if there is none. */
  stateRecord: AuditRecord | null | undefined;
}

/** The sources that said nothing, as an operator would call them. */
export function unknownSources(evidence: Evidence): string[] {
  const { identity, credentials, sessions, locks, messages, providers, stateRecord } = evidence;
  const sources: [unknown, string][] = [
    [credentials, 'their credentials'],
    [locks, 'locks of their accounts'],
    [sessions, 'their sessions'],
    [messages, 'messages sent to them'],
    [credentials === undefined ? null : providers, 'the sign-in providers'],
    [identity.state === 'active' ? null : stateRecord, 'the audit trail'],
  ];
  return sources.flatMap(([answer, name]) => (answer === undefined ? [name] : []));
}

/** The session that was signed in to last, ended ones included; undefined if none is known. */
export const lastSignIn = (sessions: readonly IdentitySession[]): IdentitySession | undefined =>
  sessions.reduce<IdentitySession | undefined>(
    (latest, session) =>
      latest === undefined || Date.parse(session.authenticated_at) > Date.parse(latest.authenticated_at)
        ? session
        : latest,
    undefined,
  );
