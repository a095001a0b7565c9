import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject } from '../../shared/json.ts';
import type { PatchOperation } from './json-patch.ts';
import { oauthAdmin } from './oauth-prefix.ts';
import { request, send } from './request.ts';
import { RequestError, unreadableAnswer } from './request-error.ts';

/** A client as the OAuth server gives it, whatever members its version has; never with a secret. */
export interface OauthClient extends JsonObject {
  client_id: string;
}

/** @throws RequestError 404 for an id that no path can name: browsers drop such a segment, and would ask for the list */
function pathOf(id: string): string {
  if (id === '' || id === '.' || id === '..')
    throw new RequestError({ status: 404, code: 'not_found', message: 'No address can name this client id.' });
  return oauthAdmin(`/clients/${encodeURIComponent(id)}`);
}

/** Past the cache: what is stored now. */
export const readClient = async (id: string, signal?: AbortSignal): Promise<OauthClient> =>
  asClient(await request<unknown>(pathOf(id), signal === undefined ? {} : { signal }));

export const clientQuery = (id: string) =>
  queryOptions({
    queryKey: ['oauth-client', id],
    queryFn: ({ signal }) => readClient(id, signal),
    retry: false,
  });

/** @returns also the secret that the server made, which nobody is told again; undefined for a client without one */
export async function createClient(members: JsonObject): Promise<{ client: OauthClient; secret: string | undefined }> {
  const body = await request<unknown>(oauthAdmin('/clients'), { method: 'POST', body: members });
  const secret = isObject(body) && typeof body.client_secret === 'string' ? body.client_secret : '';
  return { client: asClient(body), secret: secret || undefined };
}

/** Changes the named members only. A patch that does not apply is answered with an error that does not say why. */
export const patchClient = async (id: string, operations: readonly PatchOperation[]): Promise<OauthClient> =>
  asClient(await request<unknown>(pathOf(id), { method: 'PATCH', body: operations }));

export async function deleteClient(id: string): Promise<void> {
  await send(pathOf(id), { method: 'DELETE' });
}

/** What comes through the proxy is the upstream's word. Secrets that it echoes go no further. */
function asClient(body: unknown): OauthClient {
  if (!isObject(body) || typeof body.client_id !== 'string') throw unreadableAnswer('OAuth server', 'a client');
  const { client_secret: _secret, registration_access_token: _token, registration_client_uri: _uri, ...client } = body;
  return client as OauthClient;
}
