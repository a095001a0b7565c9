import { membersOf } from '../../../shared/json.ts';
import { type ClientInput, composeClient } from '../oauth-service/client-input.ts';
import type { StoredClient } from '../oauth-service/clients.ts';
import { hashPassword } from '../passwords.ts';
import data from './demo-data.json' with { type: 'json' };
import { DAY_MS } from './people.ts';
import type { Random } from './random.ts';

/** Clients of every kind; the dashboard itself is added separately. Each has what is usual for its kind, then its own. */
const CLIENTS = data.clients.map(({ kind, client_id, ...own }) => {
  const usual: ClientInput = membersOf(membersOf(data.clientKinds)[kind ?? '']);
  return { client_id, ...usual, ...own };
});

export const demoClients = (random: Random, now: number): StoredClient[] =>
  CLIENTS.map((input) => {
    const created = new Date(now - (30 + random.below(500)) * DAY_MS).toISOString();
    const [salt, secret] = [random.bytes(16), random.bytes(24)];
    const hasSecret = (input.token_endpoint_auth_method ?? 'client_secret_basic').startsWith('client_secret');
    const secretHash = hasSecret ? hashPassword(secret.toString('base64url'), salt) : null;
    return { document: composeClient(input.client_id, input, created, created), secretHash };
  });
