import { randomBytes, randomUUID } from 'node:crypto';
import { type Call, empty, type Handler, json, type Route, route } from '../http.ts';
import { applyPatch, parsePatch } from '../json-patch.ts';
import { type SealedTokens, sealedPage } from '../paging.ts';
import { hashPassword } from '../passwords.ts';
import type { SandboxDatabase } from '../sandbox-database.ts';
import {
  type ClientDocument,
  type ClientInput,
  checkClient,
  composeClient,
  NULLABLE_LISTS,
  parseClient,
  typedClient,
} from './client-input.ts';
import { clientExists, clientNotFound, malformedRequest, unreadablePage } from './oauth-errors.ts';

export interface StoredClient {
  document: ClientDocument;
  /** Null if the client has none. */
  secretHash: string | null;
}

export interface ClientFilter {
  name: string | undefined;
  owner: string | undefined;
}

export interface ClientStore {
  find(id: string): StoredClient | undefined;
  /** At most `limit` clients after `after`, by id. */
  page(after: string, limit: number, filter: ClientFilter): ClientDocument[];
  write(client: StoredClient): void;
  /** Returns false if it did not exist. Also deletes its consents and tokens. */
  remove(id: string): boolean;
}

export function clientStore(database: SandboxDatabase): ClientStore {
  const byId = database.prepare<[string], { document: string; secret_hash: string | null }>(
    'SELECT document, secret_hash FROM clients WHERE id = ?',
  );
  const page = database.prepare<object, { document: string }>(
    `SELECT document FROM clients
     WHERE id > @after AND (@name IS NULL OR name = @name) AND (@owner IS NULL OR owner = @owner) ORDER BY id LIMIT @limit`,
  );
  const write = database.prepare(
    `INSERT INTO clients (id, name, owner, secret_hash, document) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, owner = excluded.owner,
       secret_hash = excluded.secret_hash, document = excluded.document`,
  );
  const remove = database.prepare('DELETE FROM clients WHERE id = ?');
  return {
    find: (id) => {
      const row = byId.get(id);
      return row && { document: JSON.parse(row.document) as ClientDocument, secretHash: row.secret_hash };
    },
    page: (after, limit, { name = null, owner = null }: { name?: string | null; owner?: string | null }) =>
      page.all({ after, limit, name, owner }).map(({ document }) => JSON.parse(document) as ClientDocument),
    write: ({ document, secretHash }) => {
      write.run(document.client_id, document.client_name, document.owner, secretHash, JSON.stringify(document));
    },
    remove: (id) => remove.run(id).changes > 0,
  };
}

export interface ClientRoutesOptions {
  clients: ClientStore;
  tokens: SealedTokens;
  /** The OAuth server's base URL, without trailing slash. */
  publicUrl: string;
  /** The current time, ISO 8601. */
  timestamp: () => string;
}

/**
 * `/admin/clients`. A secret is returned only by the request that generated or set it; a public client's not even then.
 * It survives changes of the authentication method, and a new one replaces it immediately.
 */
export function clientRoutes({ clients, tokens, publicUrl, timestamp }: ClientRoutesOptions): Route[] {
  const asked = ({ params }: Call): StoredClient => {
    const client = clients.find(params.id ?? '');
    if (client === undefined) throw clientNotFound();
    return client;
  };
  const replaced = async (before: StoredClient, input: ClientInput) => {
    checkClient(input);
    const { client_id, created_at } = before.document;
    const document = composeClient(client_id, input, created_at, timestamp());
    const secret = input.client_secret || undefined;
    clients.write({ document, secretHash: secret === undefined ? before.secretHash : await hashPassword(secret) });
    return { ...document, client_secret: shownSecret(document, secret) };
  };
  const sealed = {
    path: '/admin/clients',
    defaultSize: 100,
    maxSize: 500,
    start: '',
    tokens,
    refused: (problem: string) => malformedRequest(unreadablePage(problem)),
  };
  const list: Handler = ({ query }) => {
    const filter = { name: query.get('client_name') || undefined, owner: query.get('owner') || undefined };
    const page = (after: string, limit: number) => clients.page(after, limit, filter);
    const { rows, headers } = sealedPage(query, sealed, page, ({ client_id }) => client_id);
    return json(200, rows, headers);
  };

  return [
    route('GET', '/admin/clients', list),
    route('GET', '/admin/clients/', list),
    route('POST', '/admin/clients', async ({ body }) => {
      const input = parseClient(body);
      checkClient(input);
      const id = input.client_id || randomUUID();
      if (clients.find(id) !== undefined) throw clientExists();
      const isPublic = input.token_endpoint_auth_method === 'none';
      const secret = input.client_secret || (isPublic ? undefined : randomBytes(20).toString('base64url'));
      const document = composeClient(id, input, timestamp(), timestamp());
      clients.write({ document, secretHash: secret === undefined ? null : await hashPassword(secret) });
      const answer = {
        ...document,
        ...absentLists(input),
        client_secret: shownSecret(document, secret),
        registration_access_token: `ory_rt_${randomBytes(24).toString('base64url')}`,
        registration_client_uri: `${publicUrl}/oauth2/register${input.client_id ? `/${id}` : ''}`,
      };
      return json(201, answer, { Location: `/admin/clients/${encodeURIComponent(id)}` });
    }),
    route('GET', '/admin/clients/:id', (call) => json(200, asked(call).document)),
    route('PUT', '/admin/clients/:id', async (call) => {
      const input = parseClient(call.body);
      return json(200, { ...(await replaced(asked(call), input)), ...absentLists(input) });
    }),
    route('PATCH', '/admin/clients/:id', async (call) => {
      const before = asked(call);
      // A patch is applied to the hash; leaving, removing or emptying it does not set a new secret.
      const hash = before.secretHash ?? '';
      const whole = applyPatch({ ...before.document, client_secret: hash }, parsePatch(call.body));
      const { client_secret, ...patched } = typedClient(whole);
      if (patched.client_id !== before.document.client_id) throw clientNotFound();
      return json(200, await replaced(before, client_secret === hash ? patched : { ...patched, client_secret }));
    }),
    route('DELETE', '/admin/clients/:id', ({ params }) => {
      if (!clients.remove(params.id ?? '')) throw clientNotFound();
      return empty(204);
    }),
    route('PUT', '/admin/clients/:id/lifespans', (call) => {
      const input = parseClient(call.body);
      const { document, secretHash } = asked(call);
      const { client_id, created_at, updated_at: _before, ...rest } = document;
      const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.endsWith('_lifespan')));
      const lifespans = Object.fromEntries(Object.entries(input).filter(([name]) => name.endsWith('_lifespan')));
      const changed = composeClient(client_id, typedClient({ ...others, ...lifespans }), created_at, timestamp());
      clients.write({ document: changed, secretHash });
      return json(200, changed);
    }),
  ];
}

const shownSecret = (document: ClientDocument, secret: string | undefined): string | undefined =>
  document.token_endpoint_auth_method === 'none' ? undefined : secret;

const absentLists = (input: ClientInput): Record<string, null> =>
  Object.fromEntries(NULLABLE_LISTS.filter((name) => input[name] === undefined).map((name) => [name, null]));
