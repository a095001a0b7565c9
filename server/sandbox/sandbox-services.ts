import type { RequestListener } from 'node:http';
import type { Deployment } from '../../shared/upstreams.ts';
import type { Ports } from './deployment-settings.ts';
import { respondWith, route, text } from './http.ts';
import { courierOn } from './identity-service/courier.ts';
import { adminService, publicService } from './identity-service/identity-service.ts';
import { identityStore } from './identity-service/identity-store.ts';
import { passwordSignIn } from './identity-service/login-flow.ts';
import { flowStore, mailCode } from './identity-service/recovery-flow.ts';
import { identitySchemas } from './identity-service/schemas.ts';
import { sessionStore } from './identity-service/session-store.ts';
import type { IdentitySchema } from './identity-service/validation.ts';
import { identityErrorAnswer } from './identity-service/validation.ts';
import { clientStore } from './oauth-service/clients.ts';
import { consentStore } from './oauth-service/consents.ts';
import { openidClient } from './oauth-service/discovery.ts';
import { oauthErrorAnswer } from './oauth-service/oauth-errors.ts';
import { oauthAdminService, oauthPublicService } from './oauth-service/oauth-service.ts';
import { authorizationCodes, idTokens, issuedTokens } from './oauth-service/tokens.ts';
import { createOpenidProvider, openidAdapter } from './openid-provider.ts';
import { STYLESHEET_PATH, stylesheet } from './page.ts';
import { sealedTokens } from './paging.ts';
import { recoveryPages } from './recovery.ts';
import type { SandboxDatabase } from './sandbox-database.ts';
import { sandboxSecrets } from './sandbox-database.ts';
import { type LockTable, lockingSignIn, signInHandler, startAgainPage } from './sign-in.ts';

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
