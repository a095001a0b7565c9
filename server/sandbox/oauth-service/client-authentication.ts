import type { Call } from '../http/call.ts';
import { verifyPassword } from '../passwords.ts';
import type { ClientDocument } from './client-document.ts';
import type { ClientStore } from './client-store.ts';
import { invalidClient, invalidRequest } from './oauth-errors.ts';

interface Given {
  id: string;
  secret: string | undefined;
  method: 'none' | 'client_secret_basic' | 'client_secret_post';
}

/**
 * Authenticates the client of an OAuth request (RFC 6749, section 2.3), which must use its registered method.
 * @param missing the error if the request names no client
 * @throws OauthServiceError 400 or 401
 */
export async function authenticatedClient(
  call: Call,
  form: URLSearchParams,
  clients: ClientStore,
  missing: string,
): Promise<ClientDocument> {
  const given = givenCredentials(call, form);
  if (given === undefined) throw invalidRequest(missing);
  const client = clients.find(given.id);
  if (client === undefined) throw invalidClient();
  const { token_endpoint_auth_method: method } = client.document;
  if (method !== given.method)
    throw invalidClient(
      `The OAuth 2.0 Client supports client authentication method '${method}', but method '${given.method}' was requested. You must configure the OAuth 2.0 client's 'token_endpoint_auth_method' value to accept '${given.method}'.`,
    );
  if (given.secret !== undefined && !(await verifyPassword(given.secret, client.secretHash ?? undefined)))
    throw invalidClient();
  return client.document;
}

/** Schemes other than Basic are ignored. */
function givenCredentials({ headers }: Call, form: URLSearchParams): Given | undefined {
  const basic = /^Basic +(.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (basic !== undefined) {
    const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
    return { id: decoded(id), secret: decoded(secret), method: 'client_secret_basic' };
  }
  const id = form.get('client_id');
  if (!id) return undefined;
  const secret = form.get('client_secret');
  return secret === null ? { id, secret: undefined, method: 'none' } : { id, secret, method: 'client_secret_post' };
}

/** Both halves are form-encoded (RFC 6749, section 2.3.1), so `%`, `:` and `+` in a secret are escaped. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidRequest(
      "The client credentials in the HTTP authorization header could not be decoded from 'application/x-www-form-urlencoded'.",
    );
  }
}
