import { EXTRA_ROLES, isExtraRole, ROLE_SOURCES, type Role, rolesWith } from '../../shared/capabilities.ts';
import { attempt } from '../../shared/json.ts';
import { type Deployment, isBearerKey } from '../../shared/upstreams.ts';
import { safeUrl } from '../networks.ts';
import { type Config, EMAIL_CLAIM, type OperatorSource, type OperatorsApi, type Upstream } from './config.ts';
import type { Variable, VariableReader } from './variables.ts';

/** Where operators sign in, and who is one. */
export function readAuth(
  reader: VariableReader,
  upstreams: readonly Upstream[],
  deployment: Deployment,
): Config['auth'] {
  const { text, list, oneOf, refuse } = reader;
  for (const name of ['AUTH_IDENTITY_ADMIN_KEY', 'AUTH_ADMIN_KEY'] as const)
    if (!isBearerKey(text(name) ?? 'none'))
      refuse(name, 'must be printable ASCII without spaces, since it is sent in a header');
  const provider = readProvider(reader);
  const roles = readRoles(reader);
  const operators = readOperatorSource(reader, provider, roles);
  refuseUnused(reader, { provider, operators });
  const authUrls = provider.kind === 'oauth2' ? [provider.url, provider.internalUrl] : [];
  const apis = operatorsApis(reader, upstreams, deployment, authUrls);
  // Operators by claims have no identity, so that none may be looked up or protected as theirs.
  const store = operators.from === 'claims' ? { ...apis.store, url: undefined, publicUrl: undefined } : apis.store;
  const clientId = text('OAUTH_CLIENT_ID') ?? '';
  if (clientId === '') refuse('OAUTH_CLIENT_ID', 'is required');
  const operatorSchemaIds = text('OPERATOR_SCHEMA_IDS') === 'any' ? 'any' : list('OPERATOR_SCHEMA_IDS');
  const roleFrom = oneOf('OPERATOR_ROLE_FROM', ROLE_SOURCES, 'traits.role');
  const needStore = 'needs an identity store (AUTH_IDENTITY_ADMIN_URL or the deployment’s admin URL)';
  if (store.url === undefined && operators.from !== 'claims') {
    if (Array.isArray(operatorSchemaIds)) refuse('OPERATOR_SCHEMA_IDS', needStore);
    if (roleFrom !== 'traits.role') refuse('OPERATOR_ROLE_FROM', needStore);
    if (provider.kind === 'openid') refuse('OPERATORS_FROM', needStore);
  }
  if (operators.from === 'email' && roleFrom === 'traits.role' && !Array.isArray(operatorSchemaIds))
    refuse(
      'OPERATORS_FROM',
      'is email, which needs OPERATOR_ROLE_FROM=metadata_admin.role or the operators’ schemas in OPERATOR_SCHEMA_IDS: otherwise anyone who can register with their own address could become an operator',
    );
  return { provider, clientId, store, oauthAdmin: apis.oauthAdmin, operators, roleFrom, roles, operatorSchemaIds };
}

/** The roles of this installation. */
function readRoles({ list, refuse }: VariableReader): readonly Role[] {
  const extra = list('EXTRA_ROLES') ?? [];
  if (!extra.every(isExtraRole))
    refuse('EXTRA_ROLES', `must be a comma-separated list of ${EXTRA_ROLES.join(' and ')}`);
  return rolesWith(extra);
}

function readProvider(reader: VariableReader): Config['auth']['provider'] {
  const { text, address, oneOf, refuse } = reader;
  if (text('AUTH_ISSUER') === undefined) {
    if (text('AUTH_URL') === undefined) refuse('AUTH_URL', 'is required, or AUTH_ISSUER');
    const url = address('AUTH_URL') ?? '';
    return { kind: 'oauth2', url, internalUrl: address('AUTH_INTERNAL_URL') ?? url };
  }
  if (text('AUTH_URL') !== undefined) refuse('AUTH_ISSUER', 'must not be set as well as AUTH_URL');
  const scope = text('OAUTH_SCOPE') ?? 'openid profile email';
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope) || !scope.split(' ').includes('openid'))
    refuse('OAUTH_SCOPE', 'must be scopes separated by spaces, among them openid');
  return {
    kind: 'openid',
    issuer: readIssuer(reader),
    clientSecret: text('OAUTH_CLIENT_SECRET'),
    scope,
    signsOut: oneOf('OAUTH_SIGN_OUT', ['local', 'provider'], 'local') === 'provider',
  };
}

/** The issuers at which everyone with a Microsoft account could sign in; the id is that of personal accounts. */
const MICROSOFT = /(^|\.)(microsoftonline\.[a-z]+|(sts|login)\.windows\.net)$/;
const ANY_TENANT = /^\/*(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(?:\/|$)/i;

/** Compared byte for byte with the provider's own, so that it stays as written. */
function readIssuer({ text, refuse }: VariableReader): string {
  const value = text('AUTH_ISSUER') ?? '';
  const url = safeUrl(value);
  if (url === undefined || /[?#]|.{256}/.test(value))
    refuse('AUTH_ISSUER', 'must be an https URL (or http on loopback) without credentials, query and fragment');
  else if (MICROSOFT.test(url.hostname) && ANY_TENANT.test(url.pathname))
    refuse('AUTH_ISSUER', 'must name one tenant: at this address, everyone with a Microsoft account could sign in');
  return value;
}

function readOperatorSource(
  reader: VariableReader,
  { kind }: Config['auth']['provider'],
  roles: readonly Role[],
): OperatorSource {
  const { text, oneOf, refuse } = reader;
  const from = oneOf('OPERATORS_FROM', ['identity', 'email', 'claims'], 'identity');
  if (kind === 'openid' && text('OPERATORS_FROM') === undefined)
    refuse('OPERATORS_FROM', 'is required with AUTH_ISSUER: identity, email or claims');
  if (kind === 'oauth2' && from !== 'identity') refuse('OPERATORS_FROM', 'must be identity with AUTH_URL');
  const emailVerifiedAssumed = oneOf('OPERATOR_EMAIL_VERIFIED', ['claimed', 'assumed'], 'claimed') === 'assumed';
  if (from !== 'claims') return { from, emailVerifiedAssumed };
  const roleClaim = text('OPERATOR_ROLE_CLAIM') ?? '';
  if (!/^(?:\/(?:[^~/]|~[01])+)+$/.test(roleClaim))
    refuse('OPERATOR_ROLE_CLAIM', 'must be a JSON Pointer to a claim: /groups, /realm_access/roles');
  return { from, roleClaim, roleValues: readRoleValues(reader, roleClaim, roles), emailVerifiedAssumed };
}

/** Refuses variables that another provider, or another source of operators, would need. */
function refuseUnused(
  { text, refuse }: VariableReader,
  { provider, operators }: Pick<Config['auth'], 'provider' | 'operators'>,
): void {
  const isOpenid = provider.kind === 'openid';
  const { from } = operators;
  const readsAddress = from === 'email' || (from === 'claims' && operators.roleClaim === EMAIL_CLAIM);
  const stored = 'OPERATORS_FROM=identity or email';
  const rules: [isNeeded: boolean, needs: string, ...Variable[]][] = [
    [!isOpenid, 'AUTH_URL', 'AUTH_INTERNAL_URL', 'AUTH_ADMIN_URL', 'AUTH_ADMIN_KEY'],
    [isOpenid, 'AUTH_ISSUER', 'OAUTH_CLIENT_SECRET', 'OAUTH_SCOPE', 'OAUTH_SIGN_OUT'],
    [from !== 'claims', stored, 'AUTH_IDENTITY_ADMIN_URL', 'AUTH_IDENTITY_ADMIN_KEY', 'AUTH_IDENTITY_URL'],
    [from !== 'claims', stored, 'OPERATOR_ROLE_FROM', 'OPERATOR_SCHEMA_IDS'],
    [from === 'claims', 'OPERATORS_FROM=claims', 'OPERATOR_ROLE_CLAIM', 'OPERATOR_ROLE_VALUES'],
    [readsAddress, 'OPERATORS_FROM=email, or claims with OPERATOR_ROLE_CLAIM=/email', 'OPERATOR_EMAIL_VERIFIED'],
  ];
  for (const [isNeeded, needs, ...variables] of rules)
    for (const name of isNeeded ? [] : variables) if (text(name) !== undefined) refuse(name, `needs ${needs}`);
}

/** `admin=8f0c,platform-admins;viewer=helpdesk`, with `,` `;` `=` `%` in a value percent-encoded. */
function readRoleValues(
  { text, refuse }: VariableReader,
  roleClaim: string,
  roles: readonly Role[],
): ReadonlyMap<Role, readonly string[]> {
  const values = new Map<Role, readonly string[]>();
  const problem = (what: string) => refuse('OPERATOR_ROLE_VALUES', what);
  const given = text('OPERATOR_ROLE_VALUES');
  const parts = given?.split(';').filter((one) => one.trim() !== '') ?? [];
  if (parts.length === 0) problem('is required: role=value,value;role=value');
  for (const part of parts) {
    const [name = '', list, ...rest] = part.split('=');
    const role = roles.find((known) => known === name.trim());
    const decoded = list?.split(',').map((value) => attempt(() => decodeURIComponent(value.trim())) ?? '');
    if (role === undefined) problem(`must name roles among ${roles.join(', ')}`);
    else if (values.has(role)) problem(`names ${role} twice`);
    else if (rest.length > 0 || decoded === undefined || decoded.includes(''))
      problem('must be role=value,value;role=value, with , ; = % in a value percent-encoded');
    else values.set(role, roleClaim === EMAIL_CLAIM ? decoded.map((value) => value.toLowerCase()) : decoded);
  }
  return values;
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
