import { bareIdentifier } from '../../../shared/text.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { addressIn } from '../../lib/session-labels.ts';
import { isOwnPage } from '../../lib/sign-in.ts';

/** What a pasted text is, by its shape alone: nothing has left the browser yet. */
export type Pasted =
  /** `token` is empty for what cannot be introspected. */
  | { kind: 'token'; token: string; what: string }
  /** `as` is the text without signs around it, since ids of clients have upper and lower case. */
  | { kind: 'id'; id: string; as: string }
  | { kind: 'ip'; ip: string }
  | { kind: 'page'; path: string }
  /** A search; empty for an address of another site, which may contain secrets. */
  | { kind: 'text'; text: string };

/** @param isRoute whether the app has a page at a path */
export function whatIs(pasted: string, isRoute: (path: string) => boolean, here: URL): Pasted {
  const token = tokenIn(pasted);
  if (token !== undefined || pasted.length > PASTED_MAX) return token ?? search('');
  const visible = pasted.replace(/[\p{Cf}\p{Cc}]+/gu, ' ').trim();
  return addressOf(visible, isRoute, here) ?? ipIn(visible) ?? idIn(visible) ?? search(pasted);
}

/** Longer texts are no identifier, and are not searched. */
const PASTED_MAX = 2_000;

const search = (text: string): Pasted => ({ kind: 'text', text });

const TOKENS: readonly [what: string, pattern: RegExp][] = [
  ['an access token', /ory_at_[\w.~-]*/i],
  ['a refresh token', /ory_rt_[\w.~-]*/i],
  ['an authorization code', /ory_ac_[\w.~-]*/i],
  ['a session token', /ory_st_[\w.~-]*/i],
  ['a JSON Web Token', /(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}|\\[nrt]|\\u[0-9a-f]{4}))(?:eyJ)[\w.~-]*/],
  // Of devices, sign-outs and API keys; and without a prefix, as other services issue them.
  ['a token', /ory_[a-z]{2,3}_[\w.~-]{16,}|(?<=\bbearer\s{1,9}|token["']?(?:[=:]|%3d)\s{0,9}["']?)[\w.~+/=-]{16,}/i],
  // Not for introspection, so without their text. Logs contain ids of sessions as well.
  ['a session cookie', /(?<=session(?:_(?!id)\w{1,99})?=)(?![\da-f]{8}-)(?=[\w.~+/=%|-]{16})/i],
  [
    'a password',
    /(?<=\bauthorization["']?:\s{0,9}["']?basic\s{1,9}|(?:secret|password)["']?[=:]\s{0,9}["']?)(?=[^\s"'&,;]{8})/i,
  ],
];

/** Anywhere in the text, also where it is part of an address or percent-encoded. */
function tokenIn(pasted: string): Pasted | undefined {
  const text = pasted.replace(/\p{Cf}+/gu, '').replace(/%(?:25)*5f|\\_/gi, '_');
  for (const [what, pattern] of TOKENS) {
    const token = pattern.exec(text)?.[0];
    if (token !== undefined) return { kind: 'token', token, what };
  }
  return undefined;
}

const SIGNS_AROUND = /^[<("'`]+|[>)"'`.,;]+$/g;

/** The address of a page here, or of another site. Of the latter, only an id is searched, or all if it has no secrets. */
function addressOf(text: string, isRoute: (path: string) => boolean, here: URL): Pasted | undefined {
  const bare = text.replace(SIGNS_AROUND, '');
  const own = bare.startsWith(`${here.host}/`) ? `${here.protocol}//${bare}` : undefined;
  const found =
    own ?? /\b[a-z][\w+.-]*:\/\/[^\s"'`<>]+/i.exec(bare)?.[0] ?? (/^\/[^/\s]/.test(bare) ? bare : undefined);
  if (found === undefined || !URL.canParse(found, here)) return undefined;
  const { host, pathname, username, password, search: query, hash } = new URL(found, here);
  const path = pathname + query + hash;
  if (host === here.host && isOwnPage(path) && isRoute(pathname)) return { kind: 'page', path };
  if (found === bare && bare.startsWith('/')) return undefined;
  // The id of a client may be a URL.
  const hasSecrets = found !== bare || query + hash + username + password !== '';
  return idIn(text) ?? search(hasSecrets ? '' : text);
}

/** `client ip: `, but not the beginning of an IPv6 address. */
const LABEL = /^[\p{L}_ .-]+(?:=|:\s+|:(?=["'`[]|\d+\.))/u;

/** An IP address, perhaps with a label. */
function ipIn(text: string): Pasted | undefined {
  const ip = addressIn(text.replace(LABEL, '').replace(SIGNS_AROUND, ''));
  return ip === undefined ? undefined : { kind: 'ip', ip: ip.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '') };
}

/** Kratos also takes a UUID without hyphens. */
function idIn(text: string): Pasted | undefined {
  const as = bareIdentifier(text);
  const id =
    identityIdIn(text) ??
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(as)?.slice(1).join('-');
  return id === undefined ? undefined : { kind: 'id', id: id.toLowerCase(), as };
}
