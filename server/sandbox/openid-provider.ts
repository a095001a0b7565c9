import type { JsonWebKey } from 'node:crypto';
import type { AdapterFactory, JWK, Provider } from 'oidc-provider';
import type { IdentityStore } from './identity-service/identity-store.ts';
import { verifyPassword } from './passwords.ts';
import type { SandboxSecrets } from './sandbox-secrets.ts';

export interface OpenidProviderOptions {
  /** The base address browsers and servers reach it by. */
  issuer: string;
  secrets: SandboxSecrets;
  adapter: AdapterFactory;
  identities: IdentityStore;
  accessTokenTtlSeconds: number;
  /** The page that a browser gets when an authorization cannot go on. */
  errorPage: (problem: string) => { headers: Record<string, string>; body: string };
}

/** An OAuth 2.0 and OpenID server on Hydra's paths: codes with PKCE, S256 alone, and no single sign-on. */
export async function createOpenidProvider(options: OpenidProviderOptions): Promise<Provider> {
  const { issuer, secrets, identities, accessTokenTtlSeconds, errorPage } = options;
  const OpenidProvider = await quietly(async () => (await import('oidc-provider')).default);
  const provider = new OpenidProvider(issuer, {
    adapter: options.adapter,
    jwks: { keys: [secrets.signingKey as JsonWebKey & JWK] },
    cookies: {
      keys: [secrets.cookieSecret],
      names: { session: 'op_session', interaction: 'op_interaction', resume: 'op_resume' },
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'role', 'traits'] },
    routes: {
      authorization: '/oauth2/auth',
      token: '/oauth2/token',
      userinfo: '/oauth2/userinfo',
      jwks: '/.well-known/jwks.json',
      revocation: '/oauth2/revoke',
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => client.clientId === token.clientId },
    },
    ttl: {
      AccessToken: accessTokenTtlSeconds,
      ClientCredentials: accessTokenTtlSeconds,
      AuthorizationCode: 60,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 30 * 86_400,
      Session: 28_800,
      Grant: 30 * 86_400,
    },
    expiresWithSession: async () => false,
    interactions: { url: (_ctx, interaction) => `/login/${interaction.uid}` },
    findAccount: async (_ctx, sub) => {
      const identity = identities.find(sub);
      if (identity?.state !== 'active') return undefined;
      const { traits, verifiable_addresses } = identity;
      return {
        accountId: sub,
        claims: async () => ({
          sub,
          email: traits.email,
          email_verified: verifiable_addresses.some(({ verified }) => verified),
          name: fullName(traits.name),
          role: traits.role,
          traits,
        }),
      };
    },
    // Every client here is the installation's own: what it asks for is granted without a consent page.
    loadExistingGrant: async (ctx) => {
      const { client, account, params } = ctx.oidc;
      if (client === undefined || account === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
      grant.addOIDCScope(String(params?.scope ?? ''));
      await grant.save();
      return grant;
    },
    renderError: async (ctx, out) => {
      const { headers, body } = errorPage(out.error_description ?? out.error);
      ctx.set(headers);
      ctx.body = body;
    },
  });
  provider.on('server_error', (_ctx, error) => process.emitWarning(error));
  // Secrets are kept as hashes; the provider would compare them as they are.
  Object.assign(provider.Client.prototype, {
    compareClientSecret(this: { clientSecret: string }, given: string) {
      return verifyPassword(given, this.clientSecret);
    },
  });
  return provider;
}

const fullName = (name: unknown): string | undefined => {
  if (typeof name === 'string') return name;
  if (typeof name !== 'object' || name === null) return undefined;
  return Object.values(name).join(' ') || undefined;
};

/** oidc-provider greets Node 20, on which it runs, with a warning; that one line is left out. */
async function quietly<T>(load: () => Promise<T>): Promise<T> {
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
