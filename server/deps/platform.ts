import type { UpstreamName } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import type { MemoryBudgets } from '../process/memory.ts';
import { type AdminClient, type AdminClientOptions, adminClient } from '../upstream/admin-client.ts';
import { answerRoom } from '../upstream/answer-room.ts';
import type { Authorization } from '../upstream/credentials.ts';
import { type IdentityStore, identityStore } from '../upstream/identity-store.ts';
import type { ObserveUpstream } from '../upstream/upstream-outcome.ts';

/** Clients of the admin APIs that the dashboard itself asks. */
export interface Platform {
  /** The operators' store; its key may come from the environment. */
  operatorsApi: AdminClientOptions;
  /** Undefined if no store is configured. */
  operators: IdentityStore | undefined;
  /** The deployment's own identities. */
  identities: IdentityStore;
  oauthAdminApi: AdminClientOptions;
  oauthAdmin: AdminClient;
  /** Which store and which OAuth server these are, as one text. */
  address: string;
}

/**
 * @param authorization the stored keys
 * @param observe told how each request ended
 */
export function platformClients(
  config: Config,
  authorization: Authorization,
  memory: MemoryBudgets,
  observe?: ObserveUpstream,
): Platform {
  const { storeUrl, storeKey, storeKeyUpstream } = config.auth;
  const timeoutMs = config.proxyTimeoutMs;
  const room = memory.answerBytes === undefined ? undefined : answerRoom(memory.answerBytes);
  const apiOf = (name: UpstreamName): AdminClientOptions => ({
    url: config.upstreams.find((upstream) => upstream.name === name)?.url,
    timeoutMs,
    room,
    authorization: () => authorization(name),
    observe: observe && ((outcome, seconds) => observe(name, 'dashboard', outcome, seconds)),
  });
  const publicOf = (url: string | undefined): AdminClientOptions | undefined => {
    const store = config.upstreams.find((upstream) => upstream.holdsIdentities && upstream.url === url);
    return store && apiOf(store.counterpart);
  };
  const people = apiOf(storeKeyUpstream);
  const operatorsApi = {
    ...people,
    url: storeUrl,
    authorization: async () => (storeKey === undefined ? authorization(storeKeyUpstream) : `Bearer ${storeKey}`),
  };
  return {
    operatorsApi,
    operators: storeUrl === undefined ? undefined : identityStore(operatorsApi, publicOf(storeUrl)),
    identities: identityStore(people, publicOf(people.url)),
    oauthAdminApi: apiOf('oauth-admin'),
    oauthAdmin: adminClient(apiOf('oauth-admin')),
    address: `${people.url} ${apiOf('oauth-admin').url}`,
  };
}
