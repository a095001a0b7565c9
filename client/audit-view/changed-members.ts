import type { AuditRecord } from '../../shared/audit.ts';
import { keysOf } from '../lib/json-pointer.ts';

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
