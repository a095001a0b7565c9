import type { IncomingMessage } from 'node:http';
import { isUuid, membersOf } from '../../../shared/json.ts';
import { type UpstreamName, upstreamPrefix } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import { ApiError } from '../../http/errors.ts';
import { jsonAhead } from '../../http/read-ahead.ts';
import { segmentsRead, uuidDigits } from './paths.ts';
import { foldCase, type NamedTarget } from './record-write.ts';

/** Where a write names an identity, by UUID, or a client. */
type Place = { body: string } | { identity: readonly string[]; client: string } | { aboutClient: string };

/**
 * The writes of both admin APIs (v26.2) that name whom they concern neither in the path nor in the `Location` of the
 * response. Not among them: a batch concerns many; introspection, challenges and signing keys nobody.
 */
const PLACES: Record<string, Place> = {
  'POST recovery/code': { body: 'identity_id' },
  'POST recovery/link': { body: 'identity_id' },
  'POST trust/grants/jwt-bearer/issuers': { body: 'subject' },
  'PUT oauth2/auth/requests/login/accept': { body: 'subject' },
  // For a consent that is revoked by its id, the caller may name the person as `identity`, which Hydra ignores.
  'DELETE oauth2/auth/sessions/consent': { identity: ['subject', 'identity'], client: 'client' },
  // Hydra ignores the subject if there is a `sid`, which concerns nobody that is named.
  'DELETE oauth2/auth/sessions/login': { identity: ['sid', 'subject'], client: 'client' },
  'DELETE oauth2/tokens': { aboutClient: 'client_id' },
};

/**
 * Whom a write concerns, for its record. A body is read only if it says so, and then forwarded unchanged.
 * @returns undefined if the path says it in the usual spelling, or if it concerns nobody
 * @throws ApiError 400 if servers could disagree on whom it names, and as `jsonAhead` does
 */
export async function namedTarget(
  upstream: Upstream,
  ownStore: UpstreamName,
  req: IncomingMessage & { url: string },
  timeoutMs: number,
): Promise<NamedTarget | undefined> {
  const segments = segmentsRead(req.url) ?? [];
  if (segments[0] === 'admin') segments.shift();
  const store = upstream.holdsIdentities ? upstream.name : ownStore;
  const [kind, id = ''] = segments;
  if (kind === 'identities' && upstream.holdsIdentities) return isUuid(id) ? undefined : aboutIdentity(store, id);
  const place = PLACES[`${req.method} ${segments.join('/')}`];
  if (place === undefined) return undefined;
  if ('body' in place) return aboutIdentity(store, onlyMember(membersOf(await jsonAhead(req, timeoutMs)), place.body));
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  if ('aboutClient' in place) return aboutClient(onlyParameter(query, place.aboutClient));
  const target = aboutIdentity(store, place.identity.map((name) => onlyParameter(query, name)).find(Boolean) ?? '');
  const client = onlyParameter(query, place.client).slice(0, 200);
  return target.location === undefined || client === '' ? target : { ...target, client };
}

/** Of several members Go takes the last that is not null, in any spelling. */
function onlyMember(body: Record<string, unknown>, name: string): string {
  const [value = '', ...others] = Object.entries(body).flatMap(([member, one]) =>
    foldCase(member) === name ? [one] : [],
  );
  if (typeof value === 'string' && others.length === 0 && (value === '' || name in body)) return value;
  throw new ApiError('bad_request', { message: `Name the member "${name}" once, in lower case, as a string.` });
}

function onlyParameter(query: URLSearchParams, name: string): string {
  const [value = '', ...others] = query.getAll(name);
  if (others.length === 0) return value;
  throw new ApiError('bad_request', { message: `Name the parameter "${name}" once.` });
}

/** A subject that is not a UUID could be an email address, and is not recorded. */
function aboutIdentity(store: UpstreamName, id: string): NamedTarget {
  const digits = /^\{?(?:urn:uuid:)?[0-9a-f-]+\}?$/i.test(id) ? uuidDigits(id) : '';
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(uuid) ? { location: `${upstreamPrefix(store)}/admin/identities/${uuid}` } : {};
}

function aboutClient(id: string): NamedTarget {
  const location = `${upstreamPrefix('oauth-admin')}/admin/clients/${encodeURIComponent(id)}`;
  return id === '' || location.length > 1_024 ? {} : { location };
}
