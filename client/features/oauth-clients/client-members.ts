import { text, texts } from '../../../shared/json.ts';
import type { OauthClient } from '../../api/oauth-client-record.ts';

const AUTH_METHODS: Record<string, string> = {
  client_secret_basic: 'Secret, in a header',
  client_secret_post: 'Secret, in the form',
  private_key_jwt: 'Private key JWT',
  none: 'None: a public client',
};

/** If unset, the OAuth server assumes `client_secret_basic`. */
export const formatAuthMethod = (method: string): string =>
  AUTH_METHODS[method] ?? (method === '' ? 'unknown' : method);

/** Name of a client in running text. */
export const clientName = (client: OauthClient): string => textMember(client, 'client_name') || client.client_id;

export const textMember = (client: OauthClient, name: string): string => text(client[name]);

export const listMember = (client: OauthClient, name: string): string[] => texts(client[name]);

/** Whether it authenticates with a secret; with other methods a secret is useless. */
export const usesSecret = (method: unknown): boolean =>
  method === 'client_secret_basic' || method === 'client_secret_post' || method === '' || method === undefined;

/** Whether this dashboard itself signs operators in with this client. */
export const isOwnClient = (redirectUris: readonly string[], origin: string = location.origin): boolean =>
  redirectUris.includes(`${origin}/api/auth/callback`);
