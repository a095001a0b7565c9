import { randomBytes, randomUUID } from 'node:crypto';
import { parseInteger } from '../go/integer.js';
import { applyPatch, parsePatch } from '../go/json-patch.js';
import { empty, json } from '../http/answer.js';
import { route } from '../http/router.js';
import { keysetLink } from '../paging/keyset-link.js';
import { PageTokenError } from '../paging/sealed-token.js';
import { hashPassword } from '../passwords.js';
import { NULLABLE_LISTS } from './client-document.js';
import { clientExists, clientNotFound, malformedRequest } from './client-errors.js';
import { checkClient, parseClient, typedClient } from './client-input.js';
import { composeClient } from './compose-client.js';

const DEFAULT_SIZE = 100;
const MAX_SIZE = 500;
/** `/admin/clients`. A secret is shown in the answer to the request that made or brought it, and never again. */
export function clientRoutes({ clients, tokens, publicUrl, timestamp }) {
  const asked = ({ params }) => {
    const client = clients.find(params.id ?? '');
    if (client === undefined) throw clientNotFound();
    return client;
  };
  const replaced = async (before, input) => {
    checkClient(input);
    const { client_id, created_at } = before.document;
    const document = composeClient(client_id, input, created_at, timestamp());
    const secret = input.client_secret || undefined;
    clients.write({ document, secretHash: secret === undefined ? before.secretHash : await hashPassword(secret) });
    return { ...document, client_secret: secret };
  };
  const list = ({ query }) => {
    const filter = { name: query.get('client_name') || undefined, owner: query.get('owner') || undefined };
    const size = pageSize(query.get('page_size') ?? '');
    const token = query.get('page_token');
    const rows = clients.page(token ? openedPosition(tokens, token) : '', size + 1, filter);
    const shown = rows.slice(0, size);
    const last = rows.length > size ? shown.at(-1)?.client_id : undefined;
    const link = keysetLink('/admin/clients', query, size, tokens.seal(''), last && tokens.seal(last));
    return json(200, shown, { Link: link });
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
        client_secret: secret,
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
      const patched = typedClient(applyPatch({ ...before.document }, parsePatch(call.body)));
      if (patched.client_id !== before.document.client_id) throw clientNotFound();
      return json(200, await replaced(before, patched));
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
const absentLists = (input) =>
  Object.fromEntries(NULLABLE_LISTS.filter((name) => input[name] === undefined).map((name) => [name, null]));
const unreadable = (reason) =>
  malformedRequest(`Unable to parse pagination parameters: ${reason.replaceAll('"', "'")}`);
function pageSize(text) {
  if (text === '') return DEFAULT_SIZE;
  const size = parseInteger(text);
  if ('problem' in size) throw unreadable(size.problem);
  return size.value <= 0 ? DEFAULT_SIZE : Math.min(size.value, MAX_SIZE);
}
function openedPosition(tokens, token) {
  try {
    return tokens.open(token);
  } catch (error) {
    throw error instanceof PageTokenError ? unreadable(error.message) : error;
  }
}
