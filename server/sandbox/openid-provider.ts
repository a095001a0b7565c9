import { type JsonWebKey, randomUUID } from 'node:crypto';
import type { Adapter, AdapterFactory, AdapterPayload, JWK, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { ClientDocument } from './oauth-service/client-input.ts';
import type { ClientStore } from './oauth-service/clients.ts';
import { identityClaims } from './oauth-service/tokens.ts';
import type { SandboxParts } from './parts.ts';
import { documentQuery, type SandboxDatabase } from './sandbox-database.ts';
import { startAgainPage } from './sign-in.ts';

/** The scopes that the provider supports; any other would make the client invalid. */
const KNOWN_SCOPES = ['openid', 'offline_access', 'offline', 'email', 'profile'];

/**
 * A registered client in the OpenID provider's format, for authorization only; undefined if it does not use codes. The
 * provider requires a secret, but never compares it.
 */
function openidClient(document: ClientDocument): AdapterPayload | undefined {
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method: method } = document;
  if (!document.grant_types.includes('authorization_code')) return undefined;
  const scope = document.scope
    .split(' ')
    .filter((name) => KNOWN_SCOPES.includes(name))
    .join(' ');
  return {
    client_id,
    client_name: client_name || client_id,
    ...(method === 'none' ? {} : { client_secret: 'compared elsewhere' }),
    application_type: redirect_uris.some((uri) => !/^https?:/.test(uri)) ? 'native' : 'web',
    token_endpoint_auth_method: method === 'none' ? 'none' : 'client_secret_basic',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris,
    ...(scope === '' ? {} : { scope }),
  };
}

function openidAdapter(database: SandboxDatabase, clients: ClientStore, now: () => number): AdapterFactory {
  const seconds = () => Math.floor(now() / 1000);
  const byId = documentQuery<AdapterPayload>(
    database,
    'SELECT payload FROM openid WHERE model = ? AND id = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const insert = database.prepare(
    'INSERT OR REPLACE INTO openid (model, id, grant_id, uid, payload, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const consume = database.prepare(
    "UPDATE openid SET payload = json_set(payload, '$.consumed', ?) WHERE model = ? AND id = ?",
  );
  const remove = database.prepare('DELETE FROM openid WHERE model = ? AND id = ?');
  // Interactions also have a grant id and must outlive the grant.
  const revoke = database.prepare("DELETE FROM openid WHERE grant_id = ? AND model = 'AuthorizationCode'");
  const sweep = database.prepare('DELETE FROM openid WHERE expires_at <= ?');

  return (model): Adapter => ({
    async upsert(id, payload, expiresIn) {
      // No single sign-on: every sign-in shows the form, like an OAuth server that does not remember logins.
      if (model === 'Session') return;
      sweep.run(seconds());
      const expiresAt = expiresIn === undefined ? null : seconds() + expiresIn;
      insert.run(model, id, payload.grantId ?? null, payload.uid ?? null, JSON.stringify(payload), expiresAt);
    },
    async find(id) {
      if (model !== 'Client') return byId.get(model, id, seconds());
      const client = clients.find(id)?.document;
      return client && openidClient(client);
    },
    // Only sessions are looked up by this.
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async consume(id) {
      consume.run(seconds(), model, id);
    },
    async destroy(id) {
      remove.run(model, id);
    },
    async revokeByGrantId(grantId) {
      revoke.run(grantId);
    },
  });
}

/**
 * Authorization on Hydra's paths: codes, with PKCE (S256 only) for public clients, no single sign-on. The routes that
 * use the code are in oauth-service/. Each sign-in creates a consent, whose id is the code's grant id.
 */
export async function createOpenidProvider(parts: SandboxParts): Promise<Provider> {
  const { issuer, secrets, database, identities, clients, consents, timestamp, now } = parts;
  const OpenidProvider = await withoutRuntimeWarning(async () => (await import('oidc-provider')).default);
  const provider = new OpenidProvider(issuer, {
    adapter: openidAdapter(database, clients, now),
    jwks: { keys: [secrets.signingKey as JsonWebKey & JWK] },
    cookies: {
      keys: [secrets.cookieSecret],
      names: { session: 'op_session', interaction: 'op_interaction', resume: 'op_resume' },
    },
    clientAuthMethods: ['none', 'client_secret_basic'],
    responseTypes: ['code'],
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    allowOmittingSingleRegisteredRedirectUri: false,
    scopes: ['openid', 'offline_access', 'offline'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'role', 'traits'] },
    routes: { authorization: '/oauth2/auth' },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    ttl: { AuthorizationCode: 60, Interaction: 600, Session: 28_800, Grant: 600 },
    expiresWithSession: async () => false,
    // The provider drops scopes that Hydra grants, so the requested ones are stored with the request.
    extraParams: {
      requested_at: (ctx) => remember(ctx, 'requested_at', timestamp()),
      request_url: (ctx) => remember(ctx, 'request_url', issuer + ctx.originalUrl),
    },
    interactions: { url: (_ctx, interaction) => `/login/${interaction.uid}` },
    findAccount: async (_ctx, sub) =>
      identities.find(sub)?.state === 'active' ? { accountId: sub, claims: async () => ({ sub }) } : undefined,
    // Every client belongs to this installation, so requested scopes are granted without a consent page.
    loadExistingGrant: async (ctx) => {
      const { client, account, params, amr, acr, entities } = ctx.oidc;
      const identity = account && identities.find(account.accountId);
      if (client === undefined || identity === undefined) return undefined;
      const requestUrl = String(params?.request_url);
      const requested = new URL(requestUrl).searchParams.get('scope') ?? '';
      const grant = new provider.Grant({ clientId: client.clientId, accountId: identity.id });
      grant.addOIDCScope(requested);
      const allowed = clients.find(client.clientId)?.document.scope.split(' ');
      const scopes = requested.split(' ').filter((scope) => allowed?.includes(scope));
      consents.insert({
        id: await grant.save(),
        subject: identity.id,
        clientId: client.clientId,
        loginSessionId: randomUUID(),
        scopes,
        claims: identityClaims(identity, scopes),
        acr,
        amr,
        requestedAt: String(params?.requested_at),
        handledAt: timestamp(),
        requestUrl,
        loginChallenge: entities.Interaction?.uid ?? '',
      });
      return grant;
    },
    renderError: async (ctx, out) => {
      const { headers, body } = startAgainPage(parts.deployment, parts.loginUrl, out.error_description ?? out.error);
      ctx.set(headers);
      ctx.body = body;
    },
  });
  provider.on('server_error', (_ctx, error) => process.emitWarning(error));
  provider.use(async (ctx, next) => {
    await next();
    const location = ctx.response.get('Location');
    const consent = consents.find(ctx.oidc?.entities.AuthorizationCode?.grantId ?? '');
    if (URL.canParse(location)) ctx.set('Location', redirectOf(location, consent?.scopes));
  });
  return provider;
}

/** The redirect to a client as Hydra writes it: without the issuer, with the granted scopes. */
function redirectOf(location: string, scopes: readonly string[] | undefined): string {
  const target = new URL(location);
  const { searchParams: query } = target;
  const state = query.get('state');
  query.delete('iss');
  query.delete('state');
  if (scopes !== undefined) query.set('scope', scopes.join(' '));
  if (state !== null) query.set('state', state);
  return target.href;
}

/** Stores a value with the authorization request, overriding a parameter of the same name. */
function remember({ oidc }: KoaContextWithOIDC, name: string, value: string): void {
  if (oidc.params !== undefined) oidc.params[name] = value;
}

/** Suppresses the warning of oidc-provider about releases of Node that are not LTS releases yet, on which it works. */
async function withoutRuntimeWarning<T>(load: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes('Unsupported runtime')) warn(...words);
  };
  try {
    return await load();
  } finally {
    console.warn = warn;
  }
}
