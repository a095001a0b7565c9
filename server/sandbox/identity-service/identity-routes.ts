import { isUuid, NIL_UUID, parseInteger } from '../go.ts';
import { type Answer, type Call, empty, json, type Route, route } from '../http.ts';
import { keysetLink, pageHeaders, pageRequest } from '../paging.ts';
import { patchIdentity, replaceIdentity } from './change-identity.ts';
import { composeIdentity, createBatch, draftIdentity, newIdentity, parseCreateBody } from './create-identity.ts';
import { withoutCredential } from './credentials.ts';
import {
  IdentityConflict,
  type IdentityDocument,
  type IdentityFilter,
  type IdentityStore,
  identityAnswer,
} from './identity-store.ts';
import type { IdentitySchemas } from './schemas.ts';
import { conflict, conflictOnCreate, malformed, notFound, requiredBody } from './validation.ts';

const PATH = '/admin/identities';
const DEFAULT_SIZE = 250;
const MAX_SIZE = 500;
const MAX_IDS = 500;
const LEGACY_MAX = 1000;

const CREDENTIAL_TYPES = [
  'password',
  'oidc',
  'saml',
  'totp',
  'lookup_secret',
  'webauthn',
  'code',
  'link_recovery',
  'code_recovery',
  'deviceauthn',
  'passkey',
];

/**
 * `GET /admin/identities`: keyset pagination with `page_size` and `page_token`, numbered pages with `page` and
 * `per_page`.
 */
export function listIdentities({ query }: Call, identities: IdentityStore, publicUrl: string): Answer {
  const includeConfig = includedCredentials(query);
  const filter = filterOf(query);
  const credentials = includeConfig.length > 0 || filter?.by === 'identifier' || filter?.by === 'similar';
  const view = { publicUrl, credentials, includeConfig };
  if (query.has('page') && !query.has('page_size') && !query.has('page_token')) {
    const requested = pageRequest(query, { defaultSize: DEFAULT_SIZE, maxSize: MAX_SIZE });
    if (requested.page * requested.size > LEGACY_MAX)
      throw malformed(
        'Legacy pagination is not supported for enumerating over 1000 items. Please switch to using page_token and page_size.',
      );
    const rows = identities.pageByNumber(requested.page, requested.size);
    const headers = pageHeaders(PATH, query, requested, identities.count(), false);
    return json(
      200,
      rows.map((row) => identityAnswer(row, view)),
      headers,
    );
  }
  const linked = new URLSearchParams(query);
  if (!query.has('page_size') && query.has('per_page')) {
    linked.set('page_size', query.get('per_page') ?? '');
    linked.delete('per_page');
  }
  const size = pageSize(linked.get('page_size') ?? '');
  const token = query.get('page_token') || NIL_UUID;
  if (!isUuid(token)) throw malformed('The page token is invalid, do not craft your own page tokens');
  const rows = identities.page(token.toLowerCase(), size + 1, filter);
  const shown = rows.slice(0, size);
  const next = rows.length > size ? shown.at(-1)?.id : undefined;
  return json(
    200,
    shown.map((row) => identityAnswer(row, view)),
    { Link: keysetLink(PATH, linked, size, NIL_UUID, next) },
  );
}

function pageSize(text: string): number {
  if (text === '') return DEFAULT_SIZE;
  const size = parseInteger(text);
  if ('problem' in size) throw malformed(size.problem);
  return size.value <= 0 ? DEFAULT_SIZE : Math.min(size.value, MAX_SIZE);
}

/** @throws IdentityServiceError 400 for an unknown type */
export function includedCredentials(query: URLSearchParams): string[] {
  const types = query.getAll('include_credential');
  for (const type of types)
    if (!CREDENTIAL_TYPES.includes(type))
      throw malformed(`Invalid value \`${type}\` for parameter \`include_credential\`.`);
  return types;
}

function filterOf(query: URLSearchParams): IdentityFilter | undefined {
  const filters: IdentityFilter[] = [];
  const ids = query.getAll('ids');
  if (ids.length > MAX_IDS) throw malformed(`The number of ids to filter must not exceed ${MAX_IDS}.`);
  for (const id of ids) checkUuid('ids', id);
  if (ids.length > 0) filters.push({ by: 'ids', ids });
  const identifier = query.get('credentials_identifier');
  if (identifier) filters.push({ by: 'identifier', identifier });
  const prefix = query.get('preview_credentials_identifier_similar');
  if (prefix) filters.push({ by: 'similar', prefix });
  const organizationId = query.get('organization_id');
  if (organizationId) {
    checkUuid('organization_id', organizationId);
    filters.push({ by: 'organization', organizationId });
  }
  if (filters.length > 1) throw malformed('You cannot combine multiple filters in this API');
  return filters[0];
}

function checkUuid(name: string, value: string): void {
  if (!isUuid(value)) throw malformed(`Invalid UUID value \`${value}\` for parameter \`${name}\`.`);
}

export interface IdentityRoutesOptions {
  identities: IdentityStore;
  schemas: IdentitySchemas;
  /** Base URLs of the two ports, without trailing slash. */
  publicUrl: string;
  adminUrl: string;
  /** The current time, ISO 8601. */
  timestamp: () => string;
}

/** `/admin/identities` and below, except sessions. */
export function identityRoutes({
  identities,
  schemas,
  publicUrl,
  adminUrl,
  timestamp,
}: IdentityRoutesOptions): Route[] {
  const requested = ({ params }: Call): IdentityDocument => {
    const identity = identities.find(params.id?.toLowerCase() ?? '');
    if (identity === undefined) throw notFound();
    return identity;
  };
  const replace = (identity: IdentityDocument) => refusingConflicts(() => identities.replace(identity), conflict);
  const one = (call: Call, identity: IdentityDocument) =>
    json(200, identityAnswer(identity, { publicUrl, credentials: true, includeConfig: includedOne(call.query) }));

  return [
    route('GET', '/admin/identities', (call) => listIdentities(call, identities, publicUrl)),
    route('POST', '/admin/identities', async ({ body }) => {
      const input = parseCreateBody(body);
      const at = timestamp();
      const identity = newIdentity(await draftIdentity(input, at), schemas, at);
      refusingConflicts(() => identities.insert(identity), conflictOnCreate);
      const fresh = Object.keys(identity.credentials);
      const view = { publicUrl, credentials: true, fresh, adminMetadata: input.metadata_admin !== undefined };
      return json(201, identityAnswer(identity, view), { Location: `${adminUrl}/identities/${identity.id}` });
    }),
    route('PATCH', '/admin/identities', ({ body }) => createBatch(body, identities, schemas, timestamp())),
    route('GET', '/admin/identities/by/external/:externalId', (call) => {
      const identity = identities.findByExternalId(call.params.externalId ?? '');
      if (identity === undefined) throw notFound();
      return one(call, identity);
    }),
    route('GET', '/admin/identities/:id', (call) => one(call, requested(call))),
    route('PUT', '/admin/identities/:id', async (call) => {
      const body = requiredBody(call);
      const { identity, fresh } = await replaceIdentity(requested(call), body, schemas, timestamp());
      replace(identity);
      const adminMetadata = body.metadata_admin !== undefined;
      return json(200, identityAnswer(identity, { publicUrl, credentials: true, fresh, adminMetadata }));
    }),
    route('PATCH', '/admin/identities/:id', (call) => {
      const { identity, schemaUrl } = patchIdentity(requested(call), call.body, schemas, timestamp());
      replace(identity);
      const answer = identityAnswer(identity, { publicUrl, credentials: true });
      return json(200, schemaUrl === undefined ? answer : { ...answer, schema_url: schemaUrl });
    }),
    route('DELETE', '/admin/identities/:id', ({ params }) => {
      if (!identities.remove(params.id?.toLowerCase() ?? '')) throw notFound();
      return empty(204);
    }),
    route('DELETE', '/admin/identities/:id/credentials/:type', (call) => {
      const identity = requested(call);
      const credentials = withoutCredential(identity, call.params.type ?? '', call.query.get('identifier'));
      replace(composeIdentity({ ...identity, credentials }, schemas.ofIdentity(identity.schema_id), timestamp()));
      return empty(204);
    }),
  ];
}

/** Like the list's parameter, except that the message does not include the value. */
function includedOne(query: URLSearchParams): string[] {
  try {
    return includedCredentials(query);
  } catch {
    throw malformed('Invalid value `[]` for parameter `include_credential`.');
  }
}

function refusingConflicts(write: () => void, refusal: () => Error): void {
  try {
    write();
  } catch (error) {
    throw error instanceof IdentityConflict ? refusal() : error;
  }
}
