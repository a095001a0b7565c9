import type { AuditRecord } from '../../shared/audit.ts';
import { keysOf } from '../lib/json.ts';

/** Wording of a change made through an admin API. The name of its subject follows, if there is one. */
export interface ProxiedAct {
  /** "deleted" */
  past: string;
  /** "delete": for a change that was not made. */
  infinitive: string;
  /** "and set a password": what follows the subject's name, in either wording. */
  also?: string | undefined;
  /** "there was none": for a deletion that found nothing to delete. */
  absent?: string | undefined;
}

type Told = Pick<AuditRecord, 'target' | 'details'>;

/** `absent`: what a 404 means where there was nothing to delete, which is not an error. */
type Rule = readonly [method: string, path: string, past: string, infinitive: string, absent?: string];

/** Matched by method and path below the prefix; `*` is one segment. The first match counts. */
const RULES: readonly Rule[] = [
  ['POST', 'identities', 'created', 'create'],
  ['PATCH', 'identities', 'created or changed several identities', 'create or change several identities'],
  ['PUT', 'identities/*', 'replaced', 'replace'],
  ['PATCH', 'identities/*', 'changed', 'change'],
  ['DELETE', 'identities/*', 'deleted', 'delete', 'it did not exist'],
  ['DELETE', 'identities/*/sessions', 'ended all sessions of', 'end all sessions of', 'there were none'],
  [
    'DELETE',
    'identities/*/credentials/totp',
    'removed the authenticator app of',
    'remove the authenticator app of',
    'there was none',
  ],
  [
    'DELETE',
    'identities/*/credentials/lookup_secret',
    'removed the backup codes of',
    'remove the backup codes of',
    'there were none',
  ],
  [
    'DELETE',
    'identities/*/credentials/webauthn',
    'removed the security keys of',
    'remove the security keys of',
    'there were none',
  ],
  [
    'DELETE',
    'identities/*/credentials/passkey',
    'removed the passkeys of',
    'remove the passkeys of',
    'there were none',
  ],
  [
    'DELETE',
    'identities/*/credentials/oidc',
    'removed a social sign-in of',
    'remove a social sign-in of',
    'there was none',
  ],
  ['DELETE', 'identities/*/credentials/*', 'deleted a credential of', 'delete a credential of', 'there was none'],
  ['POST', 'recovery/code', 'gave a recovery code', 'give a recovery code'],
  ['POST', 'recovery/link', 'gave a recovery link', 'give a recovery link'],
  ['DELETE', 'sessions/*', 'ended', 'end', 'it did not exist'],
  ['PATCH', 'sessions/*/extend', 'extended', 'extend'],
  ['POST', 'clients', 'created', 'create'],
  ['PUT', 'clients/*', 'replaced', 'replace'],
  ['PATCH', 'clients/*', 'changed', 'change'],
  ['DELETE', 'clients/*', 'deleted', 'delete', 'it did not exist'],
  ['PUT', 'clients/*/lifespans', 'changed the token lifespans of', 'change the token lifespans of'],
  ['DELETE', 'oauth2/auth/sessions/consent', 'revoked consents', 'revoke consents'],
  ['DELETE', 'oauth2/auth/sessions/login', 'ended sign-ins', 'end sign-ins'],
  ['PUT', 'oauth2/auth/requests/*/accept', 'accepted an OAuth 2.0 request', 'accept an OAuth 2.0 request'],
  ['PUT', 'oauth2/auth/requests/*/reject', 'rejected an OAuth 2.0 request', 'reject an OAuth 2.0 request'],
  ['DELETE', 'oauth2/tokens', 'deleted the tokens of a client', 'delete the tokens of a client'],
  ['POST', 'oauth2/introspect', 'introspected a token', 'introspect a token'],
];

const SEARCHED = RULES.map(([method, path, past, infinitive, absent]) => ({
  method,
  path: new RegExp(`^/api/[^/]+-admin/(?:admin/)?${path.replaceAll('*', '[^/]+')}/?$`),
  act: { past, infinitive, absent },
}));

/** An unknown request is told by its API alone; the record's details have the rest. */
export function proxiedAct(record: Told): ProxiedAct {
  const { target, details } = record;
  const found = SEARCHED.find(({ method, path }) => method === details.method && path.test(target ?? ''));
  if (found === undefined) return unknownAct(target ?? '');
  if (found.act.past === 'changed') return memberAct(record);
  const isPerson = /\/identities(?:\/|$)/.test(target ?? '');
  const { method, location, client } = details;
  // Older records do not tell whose they were.
  if (method === 'DELETE' && location !== undefined) {
    const also = typeof client === 'string' ? `at the client ${client}` : undefined;
    return { past: `${found.act.past} of`, infinitive: `${found.act.infinitive} of`, also };
  }
  const sets = isPerson && changedMembers(record).some((pointer) => pointer.startsWith('/credentials/password'));
  return { ...found.act, also: sets ? 'and set a password' : undefined };
}

const STATES: Record<string, [past: string, infinitive: string]> = {
  active: ['activated', 'activate'],
  inactive: ['deactivated', 'deactivate'],
};
const PASSWORD = '/credentials/password';

/** Of a patch: what it changed, as far as the record says. */
function memberAct(record: Told): ProxiedAct {
  const pointers = changedMembers(record);
  const { state } = record.details;
  const switched = typeof state === 'string' ? STATES[state] : undefined;
  const others = switched === undefined ? pointers : pointers.filter((pointer) => pointer !== '/state');
  const words = joined(memberWords(others), 3);
  const isPassword = others.length > 0 && others.every((pointer) => pointer === PASSWORD);
  const said = (index: 0 | 1, change: string): string => {
    const changed = isPassword ? 'set a password for' : words === '' ? change : `${change} ${words} of`;
    if (switched === undefined) return changed;
    return words === '' ? switched[index] : `${switched[index]} and ${changed}`;
  };
  return { past: said(0, 'changed'), infinitive: said(1, 'change') };
}

function unknownAct(target: string): ProxiedAct {
  // One that is no upstream is named by its variable.
  const where = /^(?:\/api\/oauth-admin|AUTH_ADMIN_URL)\//.test(target)
    ? 'at the OAuth 2.0 server'
    : 'at the identity service';
  return { past: `changed something ${where}`, infinitive: `change something ${where}` };
}

/** The outcome of a request that changed nothing; the status may be the upstream's or the service's own. */
export function outcomeOf({ details }: Pick<AuditRecord, 'details'>): string | undefined {
  const { status } = details;
  if (status === null) return 'the outcome is unknown';
  if (typeof status !== 'number' || status < 400) return undefined;
  return `it ${status < 500 ? 'was refused' : 'failed'} with status ${status}`;
}

/** The server records no more names than these. */
const MOST = 20;

/** Members by their name at the top, or with the one below it; whatever is deeper belongs to it. */
const WORDS: Record<string, string> = {
  '/schema_id': 'the schema',
  '/state': 'the state',
  '/traits': 'the traits',
  '/traits/*': 'a trait',
  '/credentials': 'the credentials',
  '/credentials/password': 'the password',
  '/credentials/oidc': 'the social sign-ins',
  '/metadata_public': 'the public metadata',
  '/metadata_admin': 'the admin metadata',
  '/metadata': 'the metadata',
  '/jwks': 'the keys',
  '/jwks_uri': 'the address of the keys',
  '/client_name': 'the name',
  '/client_secret': 'the secret',
  '/client_uri': 'the home page',
  '/logo_uri': 'the logo',
  '/policy_uri': 'the privacy policy',
  '/tos_uri': 'the terms of service',
  '/redirect_uris': 'the redirect addresses',
  '/post_logout_redirect_uris': 'the addresses after sign-out',
  '/token_endpoint_auth_method': 'the authentication',
  '/scope': 'the scopes',
  '/audience': 'the audiences',
  '/*': 'another member',
};

/** The pointers of the members that a write set or removed; none if the record does not say. */
export function changedMembers({ details }: Pick<AuditRecord, 'details'>): string[] {
  const { changed } = details;
  return Array.isArray(changed) ? changed.filter((pointer) => typeof pointer === 'string').slice(0, MOST) : [];
}

/** Whether there may be more of them than the record names. */
export const mayBeMore = (pointers: readonly string[]): boolean => pointers.length === MOST;

/** `name.first`, `the redirect addresses`: each member once. */
export const memberWords = (pointers: readonly string[]): string[] => [...new Set(pointers.map(wordsOf))];

function wordsOf(pointer: string): string {
  const [top = '', second, ...below] = keysOf(pointer).map((key) => (key === '*' ? '…' : key));
  const known = WORDS[pointer] ?? WORDS[`/${top}/${second}`] ?? (top === 'traits' ? undefined : WORDS[`/${top}`]);
  if (known !== undefined) return known;
  if (top === 'traits') return [second, ...below].join('.');
  // A list's own places, such as `contacts.0`, say nothing.
  return second === undefined || /^(?:\d+|-)$/.test(second)
    ? `the ${top.replaceAll('_', ' ')}`
    : [top, second, ...below].join('.');
}

/** `a`, `a and b`, `a, b and 3 more` */
export function joined(words: readonly string[], most: number): string {
  const shown = words.length > most + 1 ? [...words.slice(0, most), `${words.length - most} more`] : words;
  return [shown.slice(0, -1).join(', '), shown.at(-1)].filter(Boolean).join(' and ');
}
