import type { IncomingMessage } from 'node:http';
import { isUuid, membersOf, text } from '../../../shared/json.ts';
import { type UpstreamName, upstreamPrefix } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import { ApiError } from '../../http/errors.ts';
import { jsonAhead } from './body.ts';
import { segmentsRead, uuidDigits } from './paths.ts';
import { folded, type NamedTarget } from './record-write.ts';

/** Where a write names a person, by UUID, or a client. */
type Place = { body: string } | { person: readonly string[]; client: string } | { aboutClient: string };

// For a consent that is revoked by its id, the caller may name the person as `identity`, which Hydra ignores.
const GRANTS: Place = { person: ['subject', 'identity'], client: 'client' };

/**
 * The writes of both admin APIs (v26.2) that do not name whom they concern in the path, nor in the `Location` of the
 * response. Not among them: a batch concerns many; introspection, challenges, signing keys and trusted issuers nobody.
 */
const PLACES: Record<string, Place> = {
  'POST recovery/code': { body: 'identity_id' },
  'POST recovery/link': { body: 'identity_id' },
  'PUT oauth2/auth/requests/login/accept': { body: 'subject' },
  'DELETE oauth2/auth/sessions/consent': GRANTS,
  'DELETE oauth2/auth/sessions/login': GRANTS,
  'DELETE oauth2/tokens': { aboutClient: 'client_id' },
};

/**
 * Whom a write concerns, for its record. A promise only if the body has to be read; it is then forwarded unchanged.
 * @returns undefined if the path says it, or if it concerns nobody
 * @throws ApiError 400 if servers could disagree on whom it names, and as `jsonAhead` does
 */
export function namedTarget(
  upstream: Upstream,
  ownStore: UpstreamName,
  req: IncomingMessage & { url: string },
  timeoutMs: number,
): NamedTarget | Promise<NamedTarget> | undefined {
  const segments = segmentsRead(req.url) ?? [];
  const place = PLACES[`${req.method} ${(segments[0] === 'admin' ? segments.slice(1) : segments).join('/')}`];
  if (place === undefined) return undefined;
  const store = upstream.holdsIdentities ? upstream.name : ownStore;
  if ('body' in place)
    return jsonAhead(req, timeoutMs).then((body) => person(store, onlyMember(membersOf(body), place.body)));
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  if ('aboutClient' in place) return aboutClient(onlyParameter(query, place.aboutClient));
  const client = onlyParameter(query, place.client).slice(0, 200);
  const named = place.person.map((name) => query.has(name) && onlyParameter(query, name)).find((id) => id !== false);
  const target = person(store, named ?? '');
  return target.location === undefined || client === '' ? target : { ...target, client };
}

/** Go takes any spelling of a member, and the first of several parameters. */
function onlyMember(body: Record<string, unknown>, name: string): string {
  if (Object.keys(body).some((member) => member !== name && folded(member) === name))
    throw new ApiError('bad_request', { message: `Name the member "${name}" once, in lower case.` });
  return text(body[name]);
}

function onlyParameter(query: URLSearchParams, name: string): string {
  const [value = '', ...others] = query.getAll(name);
  if (others.length === 0) return value;
  throw new ApiError('bad_request', { message: `Name the parameter "${name}" once.` });
}

/** A subject that is not a UUID could be an email address, and is not recorded. */
function person(store: UpstreamName, id: string): NamedTarget {
  const digits = /^\{?(?:urn:uuid:)?[0-9a-f-]+\}?$/i.test(id) ? uuidDigits(id) : '';
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(uuid) ? { location: `${upstreamPrefix(store)}/admin/identities/${uuid}` } : {};
}

function aboutClient(id: string): NamedTarget {
  const location = `${upstreamPrefix('oauth-admin')}/admin/clients/${encodeURIComponent(id)}`;
  return id === '' || location.length > 1_024 ? {} : { location };
}
