import { ROLE_SOURCES } from '../../shared/capabilities.ts';
import { type Deployment, isBearerKey } from '../../shared/upstreams.ts';
import type { Config, OperatorsApi, Upstream } from './config.ts';
import type { Variable, VariableReader } from './variables.ts';

/** Where operators sign in, and who is one. */
export function readAuth(
  reader: VariableReader,
  upstreams: readonly Upstream[],
  deployment: Deployment,
): Config['auth'] {
  const { text, list, oneOf, address, refuse } = reader;
  for (const name of ['AUTH_IDENTITY_ADMIN_KEY', 'AUTH_ADMIN_KEY'] as const)
    if (!isBearerKey(text(name) ?? 'none'))
      refuse(name, 'must be printable ASCII without spaces, since it is sent in a header');
  const url = address('AUTH_URL') ?? '';
  const internalUrl = address('AUTH_INTERNAL_URL') ?? url;
  const { store, oauthAdmin } = operatorsApis(reader, upstreams, deployment, [url, internalUrl]);
  if (text('AUTH_URL') === undefined) refuse('AUTH_URL', 'is required');
  const clientId = text('OAUTH_CLIENT_ID') ?? '';
  if (clientId === '') refuse('OAUTH_CLIENT_ID', 'is required');
  const operatorSchemaIds = text('OPERATOR_SCHEMA_IDS') === 'any' ? 'any' : list('OPERATOR_SCHEMA_IDS');
  const roleFrom = oneOf('OPERATOR_ROLE_FROM', ROLE_SOURCES, 'traits.role');
  const needStore = 'needs an identity store (AUTH_IDENTITY_ADMIN_URL or the deployment’s admin URL)';
  if (store.url === undefined && Array.isArray(operatorSchemaIds)) refuse('OPERATOR_SCHEMA_IDS', needStore);
  if (store.url === undefined && roleFrom !== 'traits.role') refuse('OPERATOR_ROLE_FROM', needStore);
  return { url, internalUrl, clientId, store, oauthAdmin, roleFrom, operatorSchemaIds };
}

/**
 * The admin APIs of the services through which operators sign in. They default to those of the upstreams, whose stored
 * keys are not used at any other origin: a key of the customers' store must not reach the operators'.
 * @param authUrls the addresses of the OAuth 2.0 server where operators sign in
 */
function operatorsApis(
  { text, address }: VariableReader,
  upstreams: readonly Upstream[],
  deployment: Deployment,
  authUrls: readonly string[],
): Pick<Config['auth'], 'store' | 'oauthAdmin'> {
  const named = (name: Upstream['name']): Upstream | undefined => upstreams.find((upstream) => upstream.name === name);

  const stores = upstreams
    .filter(({ holdsIdentities }) => holdsIdentities)
    .sort((a, b) => Number(b.deployment === deployment) - Number(a.deployment === deployment));
  const store = api('AUTH_IDENTITY_ADMIN_URL', 'AUTH_IDENTITY_ADMIN_KEY', stores[0], stores);
  const publicUrl = address('AUTH_IDENTITY_URL');
  const facts = stores.find(({ name }) => name === store.upstream);
  const counterpart = facts?.counterpart && named(facts.counterpart);

  const oauthAdmin = upstreams.filter(({ name }) => name === 'oauth-admin');
  const isUpstream = authUrls.some((url) => sameOrigin(url, named('oauth')?.url));

  function api(
    urlVariable: Variable,
    keyVariable: OperatorsApi['keyVariable'],
    byDefault: Upstream | undefined,
    candidates: readonly Upstream[],
  ): OperatorsApi {
    const given = address(urlVariable);
    const url = given ?? byDefault?.url;
    const at = (fits: (other: string) => boolean) => candidates.find((one) => one.url !== undefined && fits(one.url));
    return {
      url,
      urlVariable: given === undefined && byDefault !== undefined ? byDefault.urlVariable : urlVariable,
      key: text(keyVariable),
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
