import type { Deployment } from '../../shared/deployment.ts';
import type { Config, OperatorsApi, Upstream } from './config.ts';
import type { Variable } from './variables.ts';

/**
 * The admin APIs of the services that operators sign in through. Those of the upstreams are the default, and their stored
 * keys are used at no other origin: a key of the customers' store must not reach the operators'.
 * @param read an address or a key; undefined if it is not set
 */
export function operatorsApis(options: {
  read: (name: Variable) => string | undefined;
  upstreams: readonly Upstream[];
  deployment: Deployment;
  /** Addresses of the OAuth 2.0 server that operators sign in at. */
  authUrls: readonly string[];
}): Pick<Config['auth'], 'store' | 'oauthAdmin'> {
  const { read, upstreams, deployment, authUrls } = options;
  const named = (name: Upstream['name']): Upstream | undefined => upstreams.find((upstream) => upstream.name === name);

  const stores = upstreams
    .filter(({ holdsIdentities }) => holdsIdentities)
    .sort((a, b) => Number(b.deployment === deployment) - Number(a.deployment === deployment));
  const store = api('AUTH_IDENTITY_ADMIN_URL', 'AUTH_IDENTITY_ADMIN_KEY', stores[0], stores);
  const publicUrl = read('AUTH_IDENTITY_URL');
  const facts = stores.find(({ name }) => name === store.upstream);
  const counterpart = facts && named(facts.counterpart);

  const oauthAdmin = upstreams.filter(({ name }) => name === 'oauth-admin');
  const isUpstream = authUrls.some((url) => sameOrigin(url, named('oauth')?.url));

  function api(
    urlVariable: Variable,
    keyVariable: OperatorsApi['keyVariable'],
    byDefault: Upstream | undefined,
    candidates: readonly Upstream[],
  ): OperatorsApi {
    const given = read(urlVariable);
    const url = given ?? byDefault?.url;
    const at = (fits: (other: string) => boolean) => candidates.find((one) => one.url !== undefined && fits(one.url));
    return {
      url,
      urlVariable: given === undefined && byDefault !== undefined ? byDefault.urlVariable : urlVariable,
      key: read(keyVariable),
      keyVariable,
      upstream: (at((other) => other === url) ?? at((other) => sameOrigin(other, url)))?.name,
    };
  }

  return {
    store: {
      ...store,
      publicUrl: publicUrl ?? counterpart?.url,
      publicUrlVariable: publicUrl === undefined && counterpart ? counterpart.urlVariable : 'AUTH_IDENTITY_URL',
    },
    oauthAdmin: api('AUTH_ADMIN_URL', 'AUTH_ADMIN_KEY', isUpstream ? oauthAdmin[0] : undefined, oauthAdmin),
  };
}

const sameOrigin = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
