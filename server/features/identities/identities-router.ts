import type { Request, Response } from 'express';
import type { CredentialKey, IdentityCredential, IdentityCredentials } from '../../../shared/identity-credentials.ts';
import { membersOf, texts } from '../../../shared/json.ts';
import type { Route } from '../../app.ts';
import type { Context } from '../../context.ts';
import { ApiError } from '../../http/errors.ts';
import { pathRoutes, sendJsonText } from '../../http/response.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import { routeError } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import type { IdentityDirectory } from './identity-directory.ts';
import {
  type IdentityQuery,
  identitySearch,
  parseIdentityQuery,
  parseSearchQuery,
  type SearchQuery,
} from './identity-search.ts';
import { recoveryHandler } from './recovery.ts';

/** Credentials that are read in full: Kratos lists them for everyone whose schema has them, even if not set up. */
const READ_WHOLE = ['password', 'webauthn', 'passkey'];
/** Credentials that consist of named keys. */
const OF_KEYS = ['webauthn', 'passkey'];
/** Credentials that have no identifier other than the identity's id. */
const WITHOUT_IDENTIFIERS = ['totp', 'lookup_secret'];
/** The credentials that Kratos can delete; not `code` or `passkey`, for example. */
const DELETABLE = ['totp', 'lookup_secret', 'webauthn', 'password', 'oidc', 'saml'];

/**
 * The credentials of an identity. The store's response contains hashes and keys, so only the fields listed here are
 * returned.
 * @throws 404 for an unknown identity, 502 and 504 if the store fails
 */
async function identityCredentials(store: IdentityStore, id: string): Promise<IdentityCredential[]> {
  const identity = await store.identity(id, READ_WHOLE).catch((error) => Promise.reject(routeError(error)));
  if (identity === undefined) throw new ApiError('not_found');
  return Object.keys(identity.credentials)
    .sort()
    .map((type) => described(type, membersOf(identity.credentials[type])));
}

function described(type: string, credential: Record<string, unknown>): IdentityCredential {
  const identifiers = texts(credential['identifiers']).sort();
  const config = membersOf(credential['config']);
  const set = isSet(type, identifiers, config);
  return {
    type,
    set,
    identifiers: WITHOUT_IDENTIFIERS.includes(type) ? [] : identifiers,
    deletable: set && DELETABLE.includes(type),
    ...(set && OF_KEYS.includes(type) ? { keys: keysOf(config['credentials']) } : {}),
    created_at: time(credential['created_at']),
    updated_at: time(credential['updated_at']),
  };
}

function isSet(type: string, identifiers: string[], config: Record<string, unknown>): boolean {
  switch (type) {
    case 'password':
      return typeof config['hashed_password'] === 'string' && config['hashed_password'] !== '';
    case 'webauthn':
    case 'passkey':
      return Array.isArray(config['credentials']) && config['credentials'].length > 0;
    case 'totp':
    case 'lookup_secret':
      return true;
    default:
      // Kratos leaves an empty credential behind when the last social sign-in is removed.
      return identifiers.length > 0;
  }
}

const keysOf = (value: unknown): CredentialKey[] =>
  Array.isArray(value)
    ? value.map(membersOf).map((key) => ({ name: nameOf(key['display_name']), added_at: time(key['added_at']) }))
    : [];

const nameOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

/** Kratos returns the year 1 for a credential it has just written. */
const time = (value: unknown): string | null =>
  typeof value === 'string' && Date.parse(value) > 0 ? new Date(value).toISOString() : null;

/**
 * `GET /api/identities` (docs/api.md#identities) and `GET /api/identities/search`, with an audit record for each
 * request that names people; `GET /api/identities/total`; `GET /api/identities/:id/credentials`, and `POST …/recovery`.
 */
export function identitiesRoutes(context: Context, directory: IdentityDirectory): Route[] {
  const { index, identities: store, audit } = context;
  const search = identitySearch(index, store);
  const record = (res: Response, searchFilter: string | null): Promise<void> =>
    audit.record({ action: 'identity_search', adminId: sessionOf(res).identityId, searchFilter });
  /** Records the search only if the index can be searched: if not, the page lists the store, which is recorded. */
  async function parseAndRecord(req: Request, res: Response): Promise<SearchQuery> {
    const query = parseSearchQuery(req.query);
    await search.ready();
    await record(res, query.canonical);
    return query;
  }

  const router = pathRoutes({
    'GET /': async (req, res) => {
      const query = parseIdentityQuery(req.query);
      await record(res, searchFilterOf(query));
      sendJsonText(res, await directory.list(query));
    },
    'GET /search': async (req, res) => {
      const query = await parseAndRecord(req, res);
      sendJsonText(res, await search.page(sessionOf(res).sessionId, query));
    },
    'GET /search/ids': async (req, res) => {
      const query = await parseAndRecord(req, res);
      res.json(await search.ids(sessionOf(res).sessionId, query));
    },
    'GET /search/count': async (req, res) =>
      void res.json(await search.count(sessionOf(res).sessionId, parseSearchQuery(req.query))),
    'GET /total': async (_req, res) => void res.json(await directory.total()),
    'GET /:id/credentials': async (req, res) => {
      const credentials = await identityCredentials(store, req.params['id'] ?? '');
      res.json({ credentials } satisfies IdentityCredentials);
    },
    'POST /:id/recovery': recoveryHandler(context),
  });
  return [['/api/identities', { read: 'identities.read', write: 'identities.recover' }, router]];
}

/** The search as the audit record contains it: the identifier, `prefix:ada*` for a prefix, or null for neither. */
const searchFilterOf = ({ credentialsIdentifier, credentialsIdentifierPrefix }: IdentityQuery): string | null =>
  credentialsIdentifier ??
  (credentialsIdentifierPrefix === undefined ? null : `prefix:${credentialsIdentifierPrefix}*`);
