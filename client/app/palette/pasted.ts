import { bareIdentifier } from '../../../shared/text.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { addressIn } from '../../lib/session-labels.ts';
import { isOwnPage } from '../../lib/sign-in.ts';

/** What a pasted text is, by its shape alone: nothing has left the browser yet. */
export type Pasted =
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
  ['a JSON Web Token', /(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}))(?:eyJ)[\w.~-]*/],
  // Without a prefix, as other services issue them.
  ['a token', /(?<=\bbearer\s+|token=)[\w.~+/=-]{16,}/i],
];

/** Anywhere in the text, also where it is part of an address or percent-encoded. */
function tokenIn(pasted: string): Pasted | undefined {
  const text = pasted.replace(/\p{Cf}+/gu, '').replace(/%(?:25)*5f/gi, '_');
  for (const [what, pattern] of TOKENS) {
    const token = pattern.exec(text)?.[0];
    if (token !== undefined) return { kind: 'token', token, what };
  }
  return undefined;
}

/** The address of a page here, or of another site. Of the latter, only an id or an e-mail address is searched. */
function addressOf(text: string, isRoute: (path: string) => boolean, here: URL): Pasted | undefined {
  const bare = text.replace(/^[<("'`[]+|[>)"'`\].,;]+$/g, '');
  const own = bare.startsWith(`${here.host}/`) ? `${here.protocol}//${bare}` : undefined;
  const found = own ?? /https?:\/\/[^\s"'`<>]+/i.exec(bare)?.[0] ?? (/^\/[^/\s]/.test(bare) ? bare : undefined);
  if (found === undefined || !URL.canParse(found, here)) return undefined;
  const url = new URL(found, here);
  const path = url.pathname + url.search + url.hash;
  if (url.host === here.host && isOwnPage(path) && isRoute(url.pathname)) return { kind: 'page', path };
  if (found === bare && bare.startsWith('/')) return undefined;
  const inside = bareIdentifier(text);
  if (url.username !== '' || url.password !== '') return search('');
  if (inside !== text && /^[^/\s]+@[^/\s]+$/.test(inside)) return search(inside);
  // The id of a client may be a URL.
  return idIn(text) ?? search(found === bare && url.search + url.hash === '' ? text : '');
}

/** An IP address, alone or with a label such as `client ip:`. */
function ipIn(text: string): Pasted | undefined {
  const words = text.split(/[\s="'`()<>|,;]+/).filter((word) => word !== '');
  const addresses = words.filter((word) => /[.:].*[.:]/.test(word)).flatMap((word) => addressIn(bareIp(word)) ?? []);
  const isLabelled =
    words.length <= 3 && words.filter((word) => /^[\p{L}_.-]+:?$/u.test(word)).length === words.length - 1;
  const [ip] = addresses;
  if (ip === undefined || addresses.length > 1 || !isLabelled) return undefined;
  return { kind: 'ip', ip: ip.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '') };
}

/** Without a label in front and signs behind: `ip:203.0.113.7.`, `[2001:db8::1]`. */
const bareIp = (word: string): string => word.replace(/^\p{L}+:(?=\d+\.|\[)/u, '').replace(/(?<=[^.:])[.:]$/, '');

/** Kratos also takes a UUID without hyphens. */
function idIn(text: string): Pasted | undefined {
  const as = bareIdentifier(text);
  const id =
    identityIdIn(text) ??
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(as)?.slice(1).join('-');
  return id === undefined ? undefined : { kind: 'id', id: id.toLowerCase(), as };
}
