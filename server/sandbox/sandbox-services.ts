import type { RequestListener } from 'node:http';
import type { Deployment } from '../../shared/deployment.ts';
import type { Ports } from './deployment-settings.ts';
import { STYLESHEET_PATH } from './html/page.ts';
import { startAgainPage } from './html/sign-in-page.ts';
import { stylesheet } from './html/stylesheet.ts';
import { text } from './http/answer.ts';
import { respondWith } from './http/respond.ts';
import { route } from './http/router.ts';
import { adminService } from './identity-service/admin-service.ts';
import { courierOn } from './identity-service/courier/courier.ts';
import { flowStore } from './identity-service/flows/flow-store.ts';
import { mailCode } from './identity-service/flows/mail-flows.ts';
import { passwordSignIn } from './identity-service/flows/password-sign-in.ts';
import { identityErrorAnswer } from './identity-service/identities/identity-errors.ts';
import { identitySchemas } from './identity-service/identities/identity-schemas.ts';
import { identityStore } from './identity-service/identities/identity-store.ts';
import type { IdentitySchema } from './identity-service/identities/schema-extension.ts';
import { publicService } from './identity-service/public-service.ts';
import { sessionStore } from './identity-service/sessions/session-store.ts';
import { type LockTable, lockingSignIn } from './locking-sign-in.ts';
import { oauthAdminService } from './oauth-service/admin-service.ts';
import { authorizationCodes } from './oauth-service/authorization-codes.ts';
import { clientStore } from './oauth-service/client-store.ts';
import { consentStore } from './oauth-service/consent-store.ts';
import { idTokens } from './oauth-service/id-token.ts';
import { issuedTokens } from './oauth-service/issued-tokens.ts';
import { oauthErrorAnswer } from './oauth-service/oauth-errors.ts';
import { openidClient } from './oauth-service/openid-client.ts';
import { oauthPublicService } from './oauth-service/public-service.ts';
import { openidAdapter } from './openid-adapter.ts';
import { createOpenidProvider } from './openid-provider.ts';
import { sealedTokens } from './paging/sealed-token.ts';
import { recoveryPages } from './recovery.ts';
import type { SandboxDatabase } from './sandbox-database.ts';
import { sandboxSecrets } from './sandbox-secrets.ts';
import { signInHandler } from './sign-in.ts';

export interface SandboxServicesOptions {
  deployment: Deployment;
  database: SandboxDatabase;
  /** The first is the default for new identities. */
  schemas: readonly [IdentitySchema, ...IdentitySchema[]];
  /** Base URL of each port, without trailing slash. */
  urls: Record<keyof Ports, string>;
  dashboardUrl: string;
  apiKeys: { identityAdmin?: string; oauthAdmin?: string };
  accessTokenTtlSeconds: number;
  /** Redacts message subjects and bodies, as Kratos does outside of development. */
  redactMessages: boolean;
  /** If false, the readiness checks of both services fail. */
  ready: () => boolean;
  /** Addresses suggested on the sign-in page. */
  hints: readonly string[];
  /** If absent, no account is ever locked. */
  locks?: LockTable;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export async function sandboxServices(options: SandboxServicesOptions): Promise<Record<keyof Ports, RequestListener>> {
  const {
    deployment,
    database,
    urls,
    dashboardUrl,
    apiKeys,
    accessTokenTtlSeconds,
    redactMessages,
    ready,
    hints,
    now,
  } = options;
  const secrets = sandboxSecrets(database);
  const identities = identityStore(database);
  const sessions = sessionStore(database, now);
  const courier = courierOn(database, now);
  const flows = flowStore(database, now);
  const clients = clientStore(database);
  const consents = consentStore(database);
  const issued = issuedTokens(database, now);
  const schemas = identitySchemas(options.schemas);
  const tokens = sealedTokens(secrets.pageTokenSecret, now);
  const signIn = passwordSignIn(identities, sessions, now);
  const timestamp = () => new Date(now()).toISOString();
  const loginUrl = `${dashboardUrl}/api/auth/login`;
  const messagesUrl = `${dashboardUrl}/messages`;

  const provider = await createOpenidProvider({
    issuer: urls.oauthPublic,
    secrets,
    adapter: openidAdapter(
      database,
      (id) => {
        const client = clients.find(id);
        return client && openidClient(client.document);
      },
      now,
    ),
    identities,
    clients,
    consents,
    timestamp,
    errorPage: (problem) => startAgainPage(deployment, loginUrl, problem),
  });
  const addresses = { publicUrl: urls.identityPublic, adminUrl: urls.identityAdmin, pagesUrl: urls.oauthPublic };
  const identity = { ...addresses, identities, sessions, schemas, courier, flows, tokens, timestamp, ready, now };
  const issuer = urls.oauthPublic;
  const sheet = text(200, stylesheet(deployment), { 'Content-Type': 'text/css; charset=utf-8' });
  const mail = mailCode(flows, identities, courier);

  return {
    identityPublic: respondWith(publicService({ ...identity, signIn }), identityErrorAnswer),
    identityAdmin: respondWith(
      adminService({ ...identity, redactMessages, apiKey: apiKeys.identityAdmin }),
      identityErrorAnswer,
    ),
    oauthPublic: oauthPublicService({
      pages: [
        route('GET', STYLESHEET_PATH, () => sheet),
        ...recoveryPages({ deployment, flows, identities, mail, loginUrl, messagesUrl, now }),
      ],
      signIn: signInHandler({
        deployment,
        provider,
        signIn: lockingSignIn(signIn, options.locks, now),
        loginUrl,
        hints,
      }),
      provider: provider.callback(),
      issuer,
      identities,
      clients,
      consents,
      issued,
      codes: authorizationCodes(database, now),
      idTokens: idTokens(issuer, secrets.signingKey),
      signingKey: secrets.signingKey,
      accessTokenTtlSeconds,
      ready,
    }),
    oauthAdmin: respondWith(
      oauthAdminService({
        clients,
        consents,
        issued,
        tokens,
        publicUrl: issuer,
        timestamp,
        ready,
        apiKey: apiKeys.oauthAdmin,
      }),
      oauthErrorAnswer,
    ),
  };
}
