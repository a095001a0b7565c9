import { parseInteger } from '../../go/integer.ts';
import { isUuid, NIL_UUID } from '../../go/uuid.ts';
import { type Answer, json } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { keysetLink } from '../../paging/keyset-link.ts';
import { pageHeaders, pageRequest } from '../../paging/page-links.ts';
import { identityAnswer } from './identity-answer.ts';
import { malformed } from './identity-errors.ts';
import type { IdentityFilter, IdentityStore } from './identity-store.ts';

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
