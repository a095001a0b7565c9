import type { AuditAction, AuditRecord, AuditSubject } from '../../shared/audit.ts';
import { CLAIMS_OPERATOR, isOperatorId } from '../../shared/security.ts';
import type { SignInFailure } from '../../shared/session.ts';
import { counted } from '../lib/format-count.ts';
import { importedFile, outcomeOf, proxiedAct } from './proxied-act.ts';

export type RecordedAct = Pick<AuditRecord, 'action' | 'actor' | 'target' | 'subject' | 'details'>;

/** A part of a sentence, with the thing that it names, if any. */
export interface SentencePart {
  text: string;
  names?: NamedThing;
}

/** The name of an operator, an identity or a client; undefined when unknown. */
export type NameOf = (thing: NamedThing) => string | undefined;

export interface NamedThing {
  kind: 'operator' | 'identity' | 'setting' | 'client' | 'session';
  /** The full id; the sentence may contain a short id. */
  id: string;
}

/** Shortens the ids of identities, sessions and operators to eight digits, after `oidc:` if there is no identity. */
export const shortId = (id: string): string => (isOperatorId(id) ? id.slice(0, id.indexOf(':') + 9) : id);

/**
 * @param self the signed-in operator's identity id, worded as "You"
 * @param nameOf names of other operators, identities and clients; a shortened id replaces an unknown name
 */
export function recordSentence(record: RecordedAct, self?: string, nameOf: NameOf = () => undefined): SentencePart[] {
  const act = ACTS[record.action]?.(record, nameOf) ?? [{ text: record.action }];
  return [
    actorPart(record, self, nameOf),
    ...act.map((part) => ({ ...part, text: part.text.startsWith(': ') ? part.text : ` ${part.text}` })),
  ];
}

/** A sentence as plain text: `1f0c2a9b deleted the identity 5f3e0a11`. */
export const formatRecord = (record: RecordedAct, self?: string, nameOf?: NameOf): string =>
  recordSentence(record, self, nameOf)
    .map(({ text }) => text)
    .join('');

/** The operator's reason, unless the sentence contains it. */
export function reasonIn(record: RecordedAct): string | undefined {
  const { action, details } = record;
  // The reasons of a refusal, and in records of 0.2.0 of a lock, are nobody's words.
  if (action === 'login_refused' || (action === 'account_unlock' && details.lock_reason === undefined))
    return undefined;
  return typeof details.reason === 'string' && importedFile(record) === undefined ? details.reason : undefined;
}

export function actorPart(
  { action, actor }: RecordedAct,
  self: string | undefined,
  nameOf: NameOf = () => undefined,
): SentencePart {
  if (actor === 'anonymous') return { text: action === 'login_refused' ? 'Somebody' : 'A caller without a session' };
  if (actor === 'command-line') return { text: 'The command line' };
  if (actor === 'service') return { text: 'The service' };
  const names = { kind: 'operator', id: actor } as const;
  return { text: actor === self ? 'You' : (nameOf(names) ?? shortId(actor)), names };
}

const ACTS: Record<AuditAction, (record: RecordedAct, nameOf: NameOf) => SentencePart[]> = {
  login: ({ details }) => [plain(typeof details.role === 'string' ? `signed in as ${details.role}` : 'signed in')],
  login_refused: ({ details }) => [plain(formatRefusal(details))],
  logout: () => [plain('signed out')],
  setting_write: ({ target, details }) => [plain(`${settingVerb(details)} the setting`), ...named('setting', target)],
  setting_delete: ({ target }) => [plain('deleted the setting'), ...named('setting', target)],
  setting_decrypt: ({ target, details: { opened, version } }) => [
    plain(
      `${opened === false ? 'tried to reveal' : 'revealed'} ${version === undefined ? '' : 'an earlier version of '}the setting`,
    ),
    ...named('setting', target),
    ...(opened === false ? [plain('– it could not be decrypted')] : []),
  ],
  setting_restore: ({ target }) => [plain('restored an earlier version of the setting'), ...named('setting', target)],
  setting_forget: ({ target }) => [plain('removed the earlier versions of the setting'), ...named('setting', target)],
  value_encrypt: ({ target }) =>
    target === null ? [plain('encrypted a value')] : [plain('encrypted a value for'), ...named('setting', target)],
  session_revoke: ({ target }, nameOf) => [
    plain('ended the dashboard sessions of'),
    // Operators may be in another identity store, or have no identity.
    ...named(target?.startsWith(CLAIMS_OPERATOR) ? 'operator' : 'identity', target, ({ id }) =>
      nameOf({ kind: 'operator', id }),
    ),
  ],
  recovery_start: ({ target }, nameOf) => [plain('started the recovery of'), ...named('identity', target, nameOf)],
  note_write: ({ target }, nameOf) => [plain('wrote a note on'), ...named('identity', target, nameOf)],
  note_delete: ({ target }, nameOf) => [plain('deleted a note on'), ...named('identity', target, nameOf)],
  account_unlock: ({ target }) => [plain(`unlocked the account ${target ?? ''}`.trimEnd())],
  identity_search: ({ target }) => [
    plain(target === null || target === '' ? 'listed identities' : `searched identities for ${searchWords(target)}`),
  ],
  proxy_write: (record, nameOf) => {
    const { past, infinitive, also, absent } = proxiedAct(record);
    const things = [...subjectPart(record.subject, nameOf), ...(also === undefined ? [] : [plain(also)])];
    // A deletion that found nothing has reached its aim.
    if (absent !== undefined && record.details.status === 404) return [plain(past), ...things, plain(`: ${absent}`)];
    const outcome = outcomeOf(record);
    return outcome === undefined
      ? [plain(past), ...things]
      : [plain(`tried to ${infinitive}`), ...things, plain(`– ${outcome}`)];
  },
  audit_anchor: ({ details }) => [
    plain(
      typeof details.up_to === 'number'
        ? `sealed the records up to ${details.up_to} after the signing key changed`
        : 'sealed all earlier records',
    ),
  ],
  audit_prune: ({ details }) => [plain(`pruned the trail up to record ${details.after}`)],
};

function settingVerb({ created, rekeyed, versions }: RecordedAct['details']): string {
  if (rekeyed === true) return versions === undefined ? 're-encrypted' : 're-encrypted earlier versions of';
  if (typeof created !== 'boolean') return 'saved';
  return created ? 'created' : 'changed';
}

/** Words before an id, which alone would not say what it identifies. */
const KINDS: Partial<Record<NamedThing['kind'], string>> = {
  identity: 'the identity',
  client: 'the client',
  session: 'the session',
};

const plain = (text: string): SentencePart => ({ text });

function named(kind: NamedThing['kind'], id: string | null, nameOf?: NameOf): SentencePart[] {
  if (id === null || id === '') return [];
  const names = { kind, id };
  const name = nameOf?.(names);
  if (name !== undefined) return [{ text: name, names }];
  const short = { text: shortId(id), names };
  return KINDS[kind] === undefined ? [short] : [plain(KINDS[kind]), short];
}

function subjectPart(subject: AuditSubject | null, nameOf: NameOf): SentencePart[] {
  const thing = subject === null ? undefined : thingOf(subject);
  return thing === undefined ? [] : named(thing.kind, thing.id, nameOf);
}

/** Undefined for an unknown kind or an invalid subject. */
export function thingOf(subject: string): NamedThing | undefined {
  const [, kind, id] = /^(identity|setting|client|session):(.+)$/s.exec(subject) ?? [];
  return id === undefined ? undefined : { kind: kind as NamedThing['kind'], id };
}

const REASONS: Record<string, string> = {
  no_role: 'no role for this dashboard',
  no_identity: 'no single identity matches the account',
  no_email: 'no e-mail address',
  email_unverified: 'the e-mail address is not verified',
  groups_overage: 'in more groups than the sign-in service sends',
  denied: 'the request was declined',
  provider_refused: 'the sign-in service rejected it',
  provider_unreachable: 'the sign-in service was unavailable',
  store_key: 'the identity store rejected the dashboard’s key',
  inactive: 'the account is not active',
  cookies: 'the browser did not store the cookies',
} satisfies Record<SignInFailure, string>;

/** The server may combine the refusals of one minute into one record with a count. */
function formatRefusal({ reason, count, claim, values }: RecordedAct['details']): string {
  const times = typeof count === 'number' && count > 1 ? ` ${count} times` : '';
  const why = typeof reason === 'string' ? `: ${REASONS[reason] ?? reason}` : '';
  const had = typeof claim === 'string' ? `: ${claim} had ${counted(Number(values), 'value', 'values')}` : '';
  return `was refused sign-in${times}${why}${had}`;
}

const PARAMETERS =
  /^(?:q|state|schema_id|verified|(?:created|updated|session)_(?:from|to)|no_session|sort|order|place|device|lat|lng|unknown|days|active)$/;
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z$/;

/**
 * Puts the query of an index search into words. Any other text is returned as typed.
 * @param filter `searchFilter` of the record
 */
function searchWords(filter: string): string {
  const [, sessions, query = ''] = /^(sessions:)?(.*)$/s.exec(filter) ?? [];
  const parameters = [...new URLSearchParams(query)];
  if (!query.includes('=') || !parameters.every(([name]) => PARAMETERS.test(name))) return filter;
  const words = parameters.map(([name, value]) => {
    if (name === 'q') return `“${value}”`;
    const text = value === 'true' ? '' : ` ${value.replace(TIME, '$1 $2 UTC')}`;
    return `${name.replaceAll('_', ' ')}${text}`;
  });
  return `${words.join(', ')}${sessions === undefined ? '' : ', by their sessions'}`;
}
