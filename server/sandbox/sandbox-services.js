import { text } from './http/answer.js';
import { respondWith } from './http/respond.js';
import { route } from './http/router.js';
import { adminService } from './identity-service/admin-service.js';
import { courierOn } from './identity-service/courier.js';
import { flowStore } from './identity-service/flow-store.js';
import { identityErrorAnswer } from './identity-service/identity-errors.js';
import { identitySchemas } from './identity-service/identity-schemas.js';
import { identityStore } from './identity-service/identity-store.js';
import { mailCode } from './identity-service/mail-flows.js';
import { passwordSignIn } from './identity-service/password-sign-in.js';
import { publicService } from './identity-service/public-service.js';
import { sessionStore } from './identity-service/session-store.js';
import { installationOf } from './installation.js';
import { oauthAdminService } from './oauth-service/admin-service.js';
import { oauthErrorAnswer } from './oauth-service/client-errors.js';
import { clientStore } from './oauth-service/client-store.js';
import { openidClient } from './oauth-service/openid-client.js';
import { oauthPublicService } from './oauth-service/public-service.js';
import { openidAdapter } from './openid-adapter.js';
import { createOpenidProvider } from './openid-provider.js';
import { STYLESHEET_PATH } from './pages/page.js';
import { startAgainPage } from './pages/sign-in-page.js';
import { stylesheet } from './pages/stylesheet.js';
import { sealedTokens } from './paging/sealed-token.js';
import { recoveryPages } from './recovery.js';
import { signInHandler } from './sign-in.js';
/** Builds what answers on the four ports of one deployment's sandbox. */
export async function sandboxServices(options) {
  const { deployment, database, urls, dashboardUrl, apiKeys, hints, now } = options;
  const installation = installationOf(database);
  const identities = identityStore(database);
  const sessions = sessionStore(database, now);
  const courier = courierOn(database, now);
  const flows = flowStore(database, now);
  const clients = clientStore(database);
  const schemas = identitySchemas(options.schemas);
  const tokens = sealedTokens(installation.pageTokenSecret, now);
  const signIn = passwordSignIn(identities, sessions, now);
  const timestamp = () => new Date(now()).toISOString();
  const loginUrl = `${dashboardUrl}/api/auth/login`;
  const provider = await createOpenidProvider({
    issuer: urls.oauthPublic,
    installation,
    adapter: openidAdapter(
      database,
      (id) => {
        const client = clients.find(id);
        return client && openidClient(client);
      },
      now,
    ),
    identities,
    accessTokenTtlSeconds: options.accessTokenTtlSeconds,
    errorPage: (problem) => startAgainPage(deployment, loginUrl, problem),
  });
  const addresses = { publicUrl: urls.identityPublic, adminUrl: urls.identityAdmin, pagesUrl: urls.oauthPublic };
  const identity = { ...addresses, identities, sessions, schemas, courier, flows, tokens, timestamp, now };
  const sheet = text(200, stylesheet(deployment), { 'Content-Type': 'text/css; charset=utf-8' });
  const mail = mailCode(flows, identities, courier);
  return {
    identityPublic: respondWith(publicService({ ...identity, signIn }), identityErrorAnswer),
    identityAdmin: respondWith(adminService({ ...identity, apiKey: apiKeys.identityAdmin }), identityErrorAnswer),
    oauthPublic: oauthPublicService({
      pages: [
        route('GET', STYLESHEET_PATH, () => sheet),
        ...recoveryPages({ deployment, flows, identities, mail, loginUrl, now }),
      ],
      signIn: signInHandler({ deployment, provider, signIn, loginUrl, hints }),
      provider: provider.callback(),
    }),
    oauthAdmin: respondWith(
      oauthAdminService({ clients, tokens, publicUrl: urls.oauthPublic, timestamp, apiKey: apiKeys.oauthAdmin }),
      oauthErrorAnswer,
    ),
  };
}
