import { identityService, type UpstreamName } from '../../shared/upstreams.ts';
import type { Config, OperatorsApi } from '../config/config.ts';
import type { MemoryBudgets } from '../process/memory.ts';
import { type AdminClient, type AdminClientOptions, adminClient } from '../upstream/admin-client.ts';
import { answerRoom } from '../upstream/answer-room.ts';
import { type Authorization, operatorsAuthorization } from '../upstream/credentials.ts';
import { type IdentityStore, identityStore } from '../upstream/identity-store.ts';
import type { ObserveUpstream } from '../upstream/upstream-outcome.ts';

/** Clients of the admin APIs that the dashboard itself asks. */
export interface Platform {
  /** The operators' store, and the OAuth server that they sign in at. */
  operatorsApi: AdminClientOptions;
  signInApi: AdminClientOptions;
  /** Undefined if no store is configured. */
  operators: IdentityStore | undefined;
  /** The deployment's own identities. */
  identities: IdentityStore;
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
  const { store, oauthAdmin } = config.auth;
  const own = identityService(config.deployment).adminApi;
  const timeoutMs = config.proxyTimeoutMs;
  const room = memory.answerBytes === undefined ? undefined : answerRoom(memory.answerBytes);
  const apiOf = (name: UpstreamName): AdminClientOptions => ({
    url: config.upstreams.find((upstream) => upstream.name === name)?.url,
    timeoutMs,
    room,
    authorization: () => authorization(name),
    observe: observe && ((outcome, seconds) => observe(name, 'dashboard', outcome, seconds)),
  });
  const publicApi = (url: string | undefined): AdminClientOptions => {
    const upstream = config.upstreams.find((candidate) => candidate.url === url);
    return upstream === undefined ? { ...apiOf(own), url, authorization: async () => undefined } : apiOf(upstream.name);
  };
  const operatorsOf = (api: OperatorsApi, counted: UpstreamName): AdminClientOptions => ({
    ...apiOf(api.upstream ?? counted),
    url: api.url,
    authorization: operatorsAuthorization(api, authorization),
  });
  const operatorsApi = operatorsOf(store, own);
  return {
    operatorsApi,
    signInApi: operatorsOf(oauthAdmin, 'oauth-admin'),
    operators: store.url === undefined ? undefined : identityStore(operatorsApi, publicApi(store.publicUrl)),
    identities: identityStore(apiOf(own), apiOf(identityService(config.deployment).publicApi)),
    oauthAdmin: adminClient(apiOf('oauth-admin')),
    address: `${apiOf(own).url} ${apiOf('oauth-admin').url}`,
  };
}
