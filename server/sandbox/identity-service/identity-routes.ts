import { setTimeout as sleep } from 'node:timers/promises';
import type { Router } from 'express';
import { isUuid } from '../../../shared/json.ts';
import { NIL_UUID, parseJson } from '../formats.ts';
import { bodyOf, queryOf } from '../http.ts';
import { cursorPage, pageHeaders, pageRequest } from '../paging.ts';
import type { SandboxParts } from '../parts.ts';
import { recordEvent } from '../telemetry.ts';
import { withoutCredential } from './credentials.ts';
import { conflictOnCreate, malformed, notFound } from './errors.ts';
import { type IdentityDocument, type IdentityFilter, identityBody } from './identities.ts';
import { schemaOf } from './schemas.ts';
import {
  asCreateBody,
  composeIdentity,
  createBatch,
  draftIdentity,
  newIdentity,
  patchIdentity,
} from './write-identity.ts';

const PATH = '/admin/identities';
const MAX_SIZE = 500;
const MAX_IDS = 500;
const LEGACY_MAX = 1000;
/** How long a PATCH takes from the read to the write. */
const PATCH_MS = 10;

const CREDENTIAL_TYPE =
  /^(?:password|oidc|saml|totp|lookup_secret|webauthn|code|link_recovery|code_recovery|deviceauthn|passkey)$/;

const CURSOR_LIST = {
  path: PATH,
  defaultSize: 250,
  maxSize: MAX_SIZE,
  start: NIL_UUID,
  refused: (problem: string) => malformed(problem),
  encode: (id: string) => id,
  decode: (token: string) => (isUuid(token) ? token.toLowerCase() : undefined),
};

/** `/admin/identities` and below, except sessions. */
export function addIdentityRoutes(router: Router, parts: SandboxParts): void {
  const { identities, schemas, publicUrl, adminUrl, timestamp } = parts;
  const requested = (id: string): IdentityDocument => {
    const identity = identities.find(id.toLowerCase());
    if (identity === undefined) throw notFound();
    return identity;
  };
  const whole = (identity: IdentityDocument, query: URLSearchParams) =>
    identityBody(identity, { publicUrl, credentials: true, includeConfig: includedCredentials(query, '[]') });

  // The list uses cursors with `page_size` and `page_token`, or numbered pages with `page` and `per_page`.
  router.get('/identities', (req, res) => {
    const query = queryOf(req);
    const includeConfig = includedCredentials(query);
    const filter = filterOf(query);
    const credentials = includeConfig.length > 0 || (filter !== undefined && filter.by !== 'ids');
    const body = (row: IdentityDocument) => identityBody(row, { publicUrl, credentials, includeConfig });
    if (query.has('page') && !query.has('page_size') && !query.has('page_token')) {
      const page = pageRequest(query, MAX_SIZE);
      if (page.page * page.size > LEGACY_MAX)
        throw malformed(
          'Legacy pagination is not supported for enumerating over 1000 items. Please switch to using page_token and page_size.',
        );
      res.set(pageHeaders(PATH, query, page, identities.count(), false));
      res.json(identities.pageByNumber(page.page, page.size).map(body));
      return;
    }
    if (!query.has('page_size') && query.has('per_page')) {
      query.set('page_size', query.get('per_page') ?? '');
      query.delete('per_page');
    }
    const rowsAfter = (after: string, limit: number) => identities.page(after, limit, filter);
    const { rows, link } = cursorPage(query, CURSOR_LIST, rowsAfter, ({ id }) => id);
    res.set('Link', link).json(rows.map(body));
  });
  router.post('/identities', (req, res) => {
    const input = asCreateBody(parseJson(bodyOf(req)));
    const at = timestamp();
    const identity = newIdentity(draftIdentity(input, at), schemas, at);
    identities.insert(identity, conflictOnCreate);
    const fresh = Object.keys(identity.credentials);
    const adminMetadata = input.metadata_admin !== undefined;
    res.status(201).set('Location', `${adminUrl}/identities/${identity.id}`);
    res.json(identityBody(identity, { publicUrl, credentials: true, fresh, adminMetadata }));
  });
  router.patch('/identities', (req, res) => {
    res.json(createBatch(bodyOf(req), identities, schemas, timestamp()));
  });
  router.get('/identities/by/external/:externalId', (req, res) => {
    const identity = identities.findByExternalId(req.params.externalId);
    if (identity === undefined) throw notFound();
    res.json(whole(identity, queryOf(req)));
  });
  router.get('/identities/:id', (req, res) => {
    res.json(whole(requested(req.params.id), queryOf(req)));
  });
  router.patch('/identities/:id', async (req, res) => {
    const identity = patchIdentity(requested(req.params.id), bodyOf(req), schemas, timestamp());
    // Kratos rewrites the whole identity without a lock: of writes at the same time, the last one wins.
    await sleep(PATCH_MS);
    requested(req.params.id);
    identities.replace(identity);
    res.json(identityBody(identity, { publicUrl, credentials: true }));
  });
  router.delete('/identities/:id', ({ params }, res) => {
    if (!identities.remove(params.id.toLowerCase())) throw notFound();
    recordEvent('IdentityDeleted', { IdentityID: params.id.toLowerCase() });
    res.status(204).end();
  });
  router.delete('/identities/:id/credentials/:type', (req, res) => {
    const identity = requested(req.params.id);
    const credentials = withoutCredential(identity, req.params.type, queryOf(req).get('identifier'));
    const schema = schemaOf(schemas, identity.schema_id);
    identities.replace(composeIdentity({ ...identity, credentials }, schema, timestamp()));
    res.status(204).end();
  });
}

/**
 * @param shown replaces the name of an unknown type in the error
 * @throws IdentityServiceError 400 for an unknown type
 */
function includedCredentials(query: URLSearchParams, shown?: string): string[] {
  const types = query.getAll('include_credential');
  for (const type of types)
    if (!CREDENTIAL_TYPE.test(type))
      throw malformed(`Invalid value \`${shown ?? type}\` for parameter \`include_credential\`.`);
  return types;
}

function filterOf(query: URLSearchParams): IdentityFilter | undefined {
  const filters: IdentityFilter[] = [];
  const ids = query.getAll('ids');
  if (ids.length > MAX_IDS) throw malformed(`The number of ids to filter must not exceed ${MAX_IDS}.`);
  for (const id of ids) if (!isUuid(id)) throw malformed(`Invalid UUID value \`${id}\` for parameter \`ids\`.`);
  if (ids.length > 0) filters.push({ by: 'ids', value: JSON.stringify(ids).toLowerCase() });
  const identifier = query.get('credentials_identifier');
  if (identifier) filters.push({ by: 'identifier', value: identifier });
  const prefix = query.get('preview_credentials_identifier_similar');
  if (prefix) filters.push({ by: 'prefix', value: prefix });
  if (filters.length > 1) throw malformed('You cannot combine multiple filters in this API');
  return filters[0];
}
