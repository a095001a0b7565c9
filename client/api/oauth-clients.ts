import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject } from '../../shared/json.ts';
import type { ClientUsagePage } from '../../shared/sign-ins.ts';
import { exactBody } from '../lib/json.ts';
import {
  oauthAdmin,
  type PatchOperation,
  RequestError,
  request,
  send,
  unreadableResponse,
  withQuery,
} from './request.ts';

/** A client as the OAuth server returns it. Members vary with the server's version; a secret is never included. */
export interface OauthClient extends JsonObject {
  client_id: string;
}

/** @throws RequestError 404 for an id that would vanish from the path (`..`): the request would reach the list */
export function clientPath(id: string): string {
  if (id === '' || id === '.' || id === '..')
    throw new RequestError({ status: 404, code: 'not_found', message: 'This client ID cannot be part of a URL.' });
  return oauthAdmin(`/clients/${encodeURIComponent(id)}`);
}

export const readClient = async (id: string, signal?: AbortSignal): Promise<OauthClient> =>
  asClient(await exactBody(await send(clientPath(id), { signal })));

export const clientQuery = (id: string) =>
  queryOptions({
    queryKey: ['oauth-client', id],
    queryFn: ({ signal }) => readClient(id, signal),
    retry: false,
    // Structural sharing copies members and would break the exact representation of long numbers.
    structuralSharing: false,
  });

export const clientUsageQuery = (id: string) =>
  queryOptions({
    queryKey: ['oauth-clients', 'usage', id],
    queryFn: ({ signal }) =>
      request<ClientUsagePage>(withQuery('/api/oauth-clients/usage', { client_id: id }), { signal }),
  });

/** Changes only the members in the patch. The OAuth server gives no reason when it cannot apply a patch. */
export const patchClient = async (
  id: string,
  operations: readonly PatchOperation[],
  reason?: string,
): Promise<OauthClient> =>
  asClient(await exactBody(await send(clientPath(id), { method: 'PATCH', body: operations, reason })));

/** Proxied responses are untrusted; secrets in them are dropped. */
export function asClient(body: unknown): OauthClient {
  if (!isObject(body) || typeof body.client_id !== 'string') throw unreadableResponse('OAuth server', 'a client');
  const { client_secret: _secret, registration_access_token: _token, registration_client_uri: _uri, ...client } = body;
  return client as OauthClient;
}
