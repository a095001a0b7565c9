import type { AuditRecord } from '../../../shared/audit.ts';
import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import type { LockedAccount } from '../../../shared/security.ts';
import { type Setting, type SocialProvider, socialSetting } from '../../../shared/settings.ts';
import type { Identity, VerifiableAddress } from '../../api/identities.ts';
import type { ListedMessage } from '../../api/messages.ts';
import type { IdentitySession } from '../../api/sessions.ts';

/** The most serious first: it stops a sign-in, may stop one, is worth knowing. */
export const HOW_SERIOUS = ['blocks', 'may-block', 'note'] as const;
export type Weight = (typeof HOW_SERIOUS)[number];

/** A part of a sentence: text as it is, a time, an operator's id, why an account was locked. */
export type Piece = string | { at: string } | { actor: string } | { lock: LockedAccount };

/** Where an operator can do something about it. */
export type Help =
  | { act: 'activate' | 'recovery' | 'credentials' | 'edit' | 'connections' }
  | { act: 'unlock'; account: LockedAccount }
  | { act: 'verify'; address: VerifiableAddress }
  | { act: 'message'; id: string };

/** A reason why somebody may not get in, or what is worth knowing when they do not. */
export interface Finding {
  /** Unique in a diagnosis. */
  id: string;
  weight: Weight;
  title: string;
  /** When it began; a later sign-in shows that it stops none. Undefined if that is not known. */
  since?: string | undefined;
  /** How the platform knows: one sentence or two. */
  evidence: readonly Piece[];
  help?: Help;
}

/**
 * A provider on the platform's sign-in page: offered, switched off, without what it needs, or unknown to this
 * dashboard.
 */
export type ProviderState = 'offered' | 'disabled' | 'incomplete' | 'unknown';

/** Who provides a credential's identifier, `provider:subject`. */
export const providerOf = (identifier: string): string => identifier.slice(0, Math.max(identifier.indexOf(':'), 0));

/** @param settings of social sign-ins; needed only if one of the names is not offered */
export function providerStates(
  names: readonly string[],
  offered: readonly SocialProvider[],
  settings: readonly Setting[],
): ReadonlyMap<string, ProviderState> {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const has = (name: string, field: 'client_id' | 'client_secret'): boolean => {
    const setting = byKey.get(socialSetting(name, field));
    return setting !== undefined && (setting.encrypted || setting.value.trim() !== '');
  };
  const stateOf = (name: string): ProviderState => {
    const isOffered = offered.some(({ provider }) => provider === name);
    // Known by any of its settings; one that is offered without settings being asked for lacks nothing that is known.
    if (![...byKey.keys()].some((key) => key.startsWith(`social.${name}.`))) return isOffered ? 'offered' : 'unknown';
    if (!has(name, 'client_id') || !has(name, 'client_secret')) return 'incomplete';
    return isOffered ? 'offered' : 'disabled';
  };
  return new Map(names.map((name) => [name, stateOf(name)]));
}

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
