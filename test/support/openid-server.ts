import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { type AdapterFactory, type AdapterPayload, Provider } from 'oidc-provider';
import type { JsonObject } from '../../shared/json.ts';
import { CookieJar, followToDashboard, visit } from './http-sign-in.ts';
import { listenOnLoopback } from './loopback.ts';
import { CLIENT_ID, CLIENT_SECRET } from './openid-double.ts';

export const CONFIDENTIAL_ID = 'confidential';

/** A real OpenID provider (oidc-provider), which signs in whoever the test says, without a form. */
export async function startOpenidServer() {
  /** The claims of each account by its subject. */
  const accounts: Record<string, JsonObject> = {};
  const paths: string[] = [];
  let provider: Provider | undefined;
  let current = '';
  const server = createServer((req, res) => {
    paths.push(req.url?.split('?', 1)[0] ?? '');
    if (!req.url?.startsWith('/interaction/')) provider?.callback()(req, res);
    else void provider?.interactionFinished(req, res, { login: { accountId: current } });
  });
  const { url, close } = await listenOnLoopback(server);

  const rows = new Map<string, AdapterPayload>();
  const adapter: AdapterFactory = (model) => ({
    upsert: async (id, payload) => void rows.set(model + id, payload),
    find: async (id) => rows.get(model + id),
    findByUid: async (uid) => [...rows.values()].find((row) => row.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(rows.get(model + id) ?? {}, { consumed: 1 }),
    destroy: async (id) => void rows.delete(model + id),
    revokeByGrantId: async () => {},
  });

  /** Serves the clients of a dashboard, with a new key. */
  function serve(baseUrl: string): void {
    const client = { redirect_uris: [`${baseUrl}/api/auth/callback`], grant_types: ['authorization_code'] };
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const current = new Provider(url, {
      adapter,
      clients: [
        { ...client, client_id: CLIENT_ID, token_endpoint_auth_method: 'none' },
        { ...client, client_id: CONFIDENTIAL_ID, client_secret: CLIENT_SECRET },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig' }] },
      cookies: { keys: ['key-of-the-tests'] },
      claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      ttl: { AccessToken: () => own.seconds, IdToken: 3600, Interaction: 600, Session: 600, Grant: 600 },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, ...accounts[sub] }) }),
      async loadExistingGrant({ oidc: { client, account } }) {
        const grant = new current.Grant({ clientId: client?.clientId ?? '', accountId: account?.accountId ?? '' });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
    provider = current;
  }

  /** Signs an account in. @returns the authorization request, and where the dashboard sends the browser at the end */
  async function signIn(
    { url: at, baseUrl }: { url: string; baseUrl: string },
    sub: string,
    jar = new CookieJar(),
    before = async () => {},
  ) {
    current = sub;
    const login = await visit(`${at}/api/auth/login`, jar);
    const callback = await followToDashboard(login, baseUrl, new CookieJar(), baseUrl);
    await before();
    const { headers } = await visit(callback.replace(baseUrl, at), jar);
    return { authorization: new URL(login.headers.get('location') ?? ''), location: headers.get('location') };
  }
  /** `seconds`: the lifetime of an access token. */
  const own = { url, close, accounts, paths, serve, signIn, seconds: 3600 };
  return own;
}
