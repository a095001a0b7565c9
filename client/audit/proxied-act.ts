import type { AuditRecord } from '../../shared/audit.ts';
import { keysOf } from '../../shared/json.ts';
import { UPSTREAMS, upstreamPrefix } from '../../shared/upstreams.ts';
import { visibleText } from '../lib/visible-text.ts';

/** Words for a change through an admin API, before the subject's name, if there is one. */
interface ProxiedAct {
  /** "delete": for a change that failed. */
  infinitive: string;
  /** "deleted" */
  past: string;
  /** "and set a password": follows the subject's name. */
  also?: string | undefined;
  /** "there was none": for a deletion that found nothing to delete. */
  absent?: string | undefined;
}

type Proxied = Pick<AuditRecord, 'target' | 'details'>;

/** `absent` says what a 404 means for a deletion: not an error, but that there was nothing to delete. */
type Rule = readonly [method: string, path: string, infinitive: string, absent?: string];

/** Method, and path below the prefix, in which `*` is one segment. The first match applies. */
const RULES: readonly Rule[] = [
  ['POST', 'identities', 'create'],
  ['PATCH', 'identities', 'send a batch of identities'],
  ['PUT', 'identities/*', 'replace'],
  ['PATCH', 'identities/*', 'change'],
  ['DELETE', 'identities/*', 'delete', 'it did not exist'],
  ['DELETE', 'identities/*/sessions', 'end all sessions of', 'there were none'],
  ['DELETE', 'identities/*/credentials/totp', 'delete the authenticator app of', 'there was none'],
  ['DELETE', 'identities/*/credentials/lookup_secret', 'delete the backup codes of', 'there were none'],
  ['DELETE', 'identities/*/credentials/webauthn', 'delete the security keys of', 'there were none'],
  ['DELETE', 'identities/*/credentials/passkey', 'delete the passkeys of', 'there were none'],
  ['DELETE', 'identities/*/credentials/oidc', 'delete a social sign-in of', 'there was none'],
  ['DELETE', 'identities/*/credentials/*', 'delete a credential of', 'there was none'],
  ['POST', 'recovery/code', 'create a recovery code'],
  ['POST', 'recovery/link', 'create a recovery link'],
  ['DELETE', 'sessions/*', 'end', 'it did not exist'],
  ['PATCH', 'sessions/*/extend', 'extend'],
  ['POST', 'clients', 'create'],
  ['PUT', 'clients/*', 'replace'],
  ['PATCH', 'clients/*', 'change'],
  ['DELETE', 'clients/*', 'delete', 'it did not exist'],
  ['PUT', 'clients/*/lifespans', 'change the token lifespans of'],
  ['DELETE', 'oauth2/auth/sessions/consent', 'revoke consents'],
  ['DELETE', 'oauth2/auth/sessions/login', 'end login sessions'],
  ['PUT', 'oauth2/auth/requests/*/accept', 'accept an OAuth 2.0 request'],
  ['PUT', 'oauth2/auth/requests/*/reject', 'reject an OAuth 2.0 request'],
  ['DELETE', 'oauth2/tokens', 'end all access tokens'],
  ['POST', 'oauth2/introspect', 'introspect a token'],
];

const PATTERNS = RULES.map(([method, path, infinitive, absent]) => ({
  method,
  path: new RegExp(`^/api/[^/]+-admin/(?:admin/)?${path.replaceAll('*', '[^/]+')}/?$`),
  infinitive,
  absent,
}));

const IRREGULAR: Record<string, string> = { set: 'set', make: 'made', send: 'sent' };

/** "changed a trait of" from "change a trait of", "created or changed" from "create or change". */
const pastOf = (infinitive: string): string =>
  infinitive.replace(/(^| or )(\w+)/g, (_, before, verb) => `${before}${IRREGULAR[verb] ?? verb.replace(/e?$/, 'ed')}`);

/** For an unknown request, only names the API; the record's details have the rest. */
export function proxiedAct(record: Proxied): ProxiedAct {
  const { target, details } = record;
  const rule = PATTERNS.find(({ method, path }) => method === details.method && path.test(target ?? ''));
  if (rule === undefined) return actOf(unknownRequest(target ?? ''));
  const { infinitive, absent } = rule;
  const file = importedFile(record);
  // Names may contain any words, so they are not put into the past.
  if (file !== undefined) return { infinitive: `import ${file}`, past: `imported ${file}` };
  if (infinitive === 'change') return actOf(...memberChange(record));
  const { method, location, client } = details;
  // `location` is the identity or client that the body or query named. That of a created one needs no preposition.
  if (location !== undefined && /\/(?:recovery|oauth2)\//.test(target ?? '')) {
    const also = typeof client === 'string' ? `at the client ${client}` : undefined;
    return { ...actOf(`${infinitive} ${method === 'DELETE' ? 'of' : 'for'}`), also };
  }
  const isIdentity = /\/identities(?:\/|$)/.test(target ?? '');
  const sets = isIdentity && changedMembers(record).some((pointer) => pointer.startsWith(PASSWORD));
  return { ...actOf(infinitive), absent, also: sets ? 'and set a password' : undefined };
}

/** “identities from people.csv”: the reason of a batch is the name of its file. */
export const importedFile = ({ target, details: { method, reason } }: Proxied): string | undefined =>
  method === 'PATCH' && /\/identities\/?$/.test(target ?? '') && typeof reason === 'string'
    ? `identities from ${visibleText(reason)}`
    : undefined;

const actOf = (...infinitives: string[]): ProxiedAct => ({
  infinitive: infinitives.join(' and '),
  past: infinitives.map(pastOf).join(' and '),
});

const STATES: Record<string, string> = { active: 'activate', inactive: 'deactivate' };
const PASSWORD = '/credentials/password';

/** The changes in a patch as infinitives, as far as the record has them. */
function memberChange(record: Proxied): string[] {
  const pointers = changedMembers(record);
  const { state } = record.details;
  const change = typeof state === 'string' ? STATES[state] : undefined;
  const others = change === undefined ? pointers : pointers.filter((pointer) => pointer !== '/state');
  const words = joined(memberWords(others), 3);
  const isOnly = (one: string) => others.length > 0 && others.every((pointer) => pointer === one);
  const other = isOnly(PASSWORD)
    ? 'set a password for'
    : isOnly('/client_secret')
      ? 'rotate the secret of'
      : words === ''
        ? 'change'
        : `change ${words} of`;
  if (change === undefined) return [other];
  return words === '' ? [change] : [change, other];
}

// The target of a service that is not an upstream starts with the name of its variable.
function unknownRequest(target: string): string {
  if (/^(?:\/api\/oauth-admin|AUTH_ADMIN_URL)\//.test(target)) return 'make a change at the OAuth 2.0 server';
  const upstream = UPSTREAMS.find(({ name }) => target.startsWith(`${upstreamPrefix(name)}/`));
  return upstream?.holdsIdentities === false
    ? `make a change through ${upstreamPrefix(upstream.name)}`
    : 'make a change at the identity service';
}

/** How a request failed. The status may come from the upstream or from the service. */
export function outcomeOf({ details }: Pick<AuditRecord, 'details'>): string | undefined {
  const { status } = details;
  if (status === null) return 'the outcome is unknown';
  if (typeof status !== 'number' || status < 400) return undefined;
  return `it ${status < 500 ? 'was refused' : 'failed'} with status ${status}`;
}

/** The server records at most this many members. */
const MOST = 20;

/** Words for members of the first and second level; a deeper member gets the words of its parent. */
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
  '/jwks': 'the public keys',
  '/jwks_uri': 'the address of the public keys',
  '/client_name': 'the name',
  '/client_secret': 'the secret',
  '/client_uri': 'the home page',
  '/logo_uri': 'the logo',
  '/policy_uri': 'the privacy policy',
  '/tos_uri': 'the terms of service',
  '/redirect_uris': 'the redirect addresses',
  '/post_logout_redirect_uris': 'the addresses after logout',
  '/token_endpoint_auth_method': 'the authentication method',
  '/scope': 'the scopes',
  '/audience': 'the audiences',
  '/*': 'another field',
};

/** Pointers of the members that a write set or removed; empty if the record has none. */
export function changedMembers({ details }: Pick<AuditRecord, 'details'>): string[] {
  const { changed } = details;
  return Array.isArray(changed) ? changed.filter((pointer) => typeof pointer === 'string').slice(0, MOST) : [];
}

/** Whether the list may be incomplete, since the server limits it. */
export const mayBeMore = (pointers: readonly string[]): boolean => pointers.length === MOST;

/** `name.first`, `the redirect addresses`: each member only once. */
export const memberWords = (pointers: readonly string[]): string[] => [...new Set(pointers.map(wordsOf))];

function wordsOf(pointer: string): string {
  const [top = '', second, ...below] = keysOf(pointer).map((key) => (key === '*' ? '…' : key));
  const words = WORDS[pointer] ?? WORDS[`/${top}/${second}`] ?? (top === 'traits' ? undefined : WORDS[`/${top}`]);
  if (words !== undefined) return words;
  if (top === 'traits') return [second, ...below].join('.');
  // The position in a list, as in `contacts.0`, tells readers nothing.
  return second === undefined || /^(?:\d+|-)$/.test(second)
    ? `the ${top.replaceAll('_', ' ')}`
    : [top, second, ...below].join('.');
}

/** `a`, `a and b`, `a, b and 3 more` */
export function joined(words: readonly string[], most: number): string {
  const items = words.length > most + 1 ? [...words.slice(0, most), `${words.length - most} more`] : words;
  return [items.slice(0, -1).join(', '), items.at(-1)].filter(Boolean).join(' and ');
}
