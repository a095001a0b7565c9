import type { JsonObject } from '../../../shared/json.ts';
import { type OauthClient, readClient } from '../../api/oauth-client-record.ts';
import { RequestError } from '../../api/request-error.ts';
import type { ReadPage } from '../../resource/export/export-run.ts';
import { saveFirst } from '../../resource/save-first/save-first.ts';

/** Made by the OAuth server; secrets are never among what is read. */
const SERVER_MADE: readonly string[] = ['created_at', 'updated_at', 'client_secret_expires_at'];
const AT_ONCE = 4;

/** A client as the form for a new one takes it. */
export const portableClient = (client: OauthClient): JsonObject =>
  Object.fromEntries(Object.entries(client).filter(([name, value]) => value !== null && !SERVER_MADE.includes(name)));

const pagesOf =
  (ids: readonly string[]): ReadPage<OauthClient> =>
  async (token, signal) => {
    const start = Number(token ?? 0);
    const asked = ids.slice(start, start + AT_ONCE);
    const read = await Promise.all(asked.map((id) => readClient(id, signal).catch(goneIsFine)));
    const end = start + AT_ONCE;
    return { rows: read.filter((client) => client !== undefined), next: end < ids.length ? String(end) : undefined };
  };

function goneIsFine(error: unknown): undefined {
  if (!(error instanceof RequestError && error.status === 404)) throw error;
}

/** Clients before their deletion. */
export const SAVE_CLIENTS = saveFirst({
  about:
    'One line of JSON for each client, which the form for a new client takes under “JSON”. Secrets are not in it: a client that is created again gets a new one. Tokens and consents are not in it either.',
  subject: 'oauth-clients',
  writer: { start: '', write: (client: OauthClient) => `${JSON.stringify(portableClient(client))}\n` },
  pagesOf,
});
