import { randomBytes, randomUUID } from 'node:crypto';
import type { Router } from 'express';
import { applyPatch, parsePatch } from '../formats.ts';
import { bodyOf, queryOf } from '../http.ts';
import { cursorPage } from '../paging.ts';
import { hashPassword } from '../passwords.ts';
import { documentQuery, type SandboxDatabase } from '../sandbox-database.ts';
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

export type ClientStore = ReturnType<typeof clientStore>;

export function clientStore(database: SandboxDatabase) {
  const byId = database.prepare<[string], { document: string; secret_hash: string | null }>(
    'SELECT document, secret_hash FROM clients WHERE id = ?',
  );
  const page = documentQuery<ClientDocument>(
    database,
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
    find: (id: string): StoredClient | undefined => {
      const row = byId.get(id);
      return row && { document: JSON.parse(row.document) as ClientDocument, secretHash: row.secret_hash };
    },
    /** At most `limit` clients after `after`, by id. */
    page: (after: string, limit: number, name: string | null, owner: string | null) =>
      page.all({ after, limit, name, owner }),
    write: ({ document, secretHash }: StoredClient): void => {
      write.run(document.client_id, document.client_name, document.owner, secretHash, JSON.stringify(document));
    },
    /** Returns false if it did not exist. Also deletes its consents and tokens. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
  };
}

const LIST = {
  path: '/admin/clients',
  defaultSize: 100,
  maxSize: 500,
  start: '',
  refused: (problem: string) => malformedRequest(unreadablePage(problem)),
};

/**
 * `/admin/clients`. A secret is returned only by the request that generated or set it; a public client's not even then.
 * It survives changes of the authentication method, and a new one replaces it immediately.
 * @param publicUrl the OAuth server's base URL, without trailing slash
 */
export function addClientRoutes(
  router: Router,
  clients: ClientStore,
  publicUrl: string,
  timestamp: () => string,
): void {
  const requested = (id: string): StoredClient => {
    const client = clients.find(id);
    if (client === undefined) throw clientNotFound();
    return client;
  };
  /** @param secret a new one; undefined keeps that of before */
  const replace = (
    { document: { client_id, created_at }, secretHash }: StoredClient,
    input: ClientInput,
    secret?: string,
  ) => {
    checkClient({ ...input, client_secret: secret });
    const document = composeClient(client_id, input, created_at, timestamp());
    clients.write({ document, secretHash: secret === undefined ? secretHash : hashPassword(secret) });
    return { ...document, client_secret: shownSecret(document, secret) };
  };

  router.get(['/clients', '/clients/'], (req, res) => {
    const query = queryOf(req);
    const [name, owner] = [query.get('client_name') || null, query.get('owner') || null];
    const rowsAfter = (after: string, limit: number) => clients.page(after, limit, name, owner);
    const { rows, link } = cursorPage(query, LIST, rowsAfter, ({ client_id }) => client_id);
    res.set('Link', link).json(rows);
  });
  router.post('/clients', (req, res) => {
    const input = parseClient(bodyOf(req));
    checkClient(input);
    const id = input.client_id || randomUUID();
    if (clients.find(id) !== undefined) throw clientExists();
    const isPublic = input.token_endpoint_auth_method === 'none';
    const secret = input.client_secret || (isPublic ? undefined : randomBytes(20).toString('base64url'));
    const document = composeClient(id, input, timestamp(), timestamp());
    clients.write({ document, secretHash: secret === undefined ? null : hashPassword(secret) });
    res.status(201).set('Location', `/admin/clients/${encodeURIComponent(id)}`);
    res.json({
      ...document,
      ...absentLists(input),
      client_secret: shownSecret(document, secret),
      registration_access_token: `ory_rt_${randomBytes(24).toString('base64url')}`,
      registration_client_uri: `${publicUrl}/oauth2/register${input.client_id ? `/${id}` : ''}`,
    });
  });
  router.get('/clients/:id', ({ params }, res) => {
    res.json(requested(params.id).document);
  });
  router.put('/clients/:id', (req, res) => {
    const input = parseClient(bodyOf(req));
    res.json({ ...replace(requested(req.params.id), input, input.client_secret || undefined), ...absentLists(input) });
  });
  router.patch('/clients/:id', (req, res) => {
    const before = requested(req.params.id);
    // A patch is applied to the hash; leaving, removing or emptying it does not set a new secret.
    const hash = before.secretHash ?? '';
    const whole = applyPatch({ ...before.document, client_secret: hash }, parsePatch(bodyOf(req)));
    const { client_secret, ...patched } = typedClient(whole);
    if (patched.client_id !== before.document.client_id) throw clientNotFound();
    res.json(replace(before, patched, client_secret === hash ? undefined : client_secret || undefined));
  });
  router.delete('/clients/:id', ({ params }, res) => {
    if (!clients.remove(params.id)) throw clientNotFound();
    res.status(204).end();
  });
}

const shownSecret = (document: ClientDocument, secret: string | undefined): string | undefined =>
  document.token_endpoint_auth_method === 'none' ? undefined : secret;

const absentLists = (input: ClientInput): Record<string, null> =>
  Object.fromEntries(NULLABLE_LISTS.filter((name) => input[name] === undefined).map((name) => [name, null]));
