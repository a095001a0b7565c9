import { composeClient } from '../oauth-service/compose-client.js';
import { hashPassword } from '../passwords.js';

/** Clients of every kind; the dashboard itself is the fourteenth. */
const CLIENTS = [
  {
    client_id: 'web-shop',
    client_name: 'Web shop',
    owner: 'commerce',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: ['https://shop.example.com/oauth/callback'],
    post_logout_redirect_uris: ['https://shop.example.com/'],
    scope: 'openid offline_access profile email',
    client_uri: 'https://shop.example.com',
    policy_uri: 'https://shop.example.com/privacy',
    tos_uri: 'https://shop.example.com/terms',
    contacts: ['shop@example.com'],
    metadata: { team: 'commerce', tier: 1 },
  },
  {
    client_id: 'account-portal',
    client_name: 'Account portal',
    owner: 'platform',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: ['https://account.example.com/callback', 'http://localhost:8080/callback'],
    allowed_cors_origins: ['https://account.example.com'],
    scope: 'openid profile email',
    skip_consent: true,
  },
  {
    client_id: 'mobile-ios',
    client_name: 'Mobile app for iOS',
    owner: 'mobile',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: ['com.example.app:/oauth/callback'],
    scope: 'openid offline_access profile',
    refresh_token_grant_refresh_token_lifespan: '720h0m0s',
  },
  {
    client_id: 'mobile-android',
    client_name: 'Mobile app for Android',
    owner: 'mobile',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: ['com.example.android:/oauth/callback'],
    scope: 'openid offline_access profile',
    refresh_token_grant_refresh_token_lifespan: '720h0m0s',
  },
  {
    client_id: 'billing-worker',
    client_name: 'Billing worker',
    owner: 'finance',
    grant_types: ['client_credentials'],
    scope: 'invoices:read invoices:write',
    audience: ['https://api.example.com/billing'],
    metadata: { team: 'finance', runbook: 'https://wiki.example.com/billing' },
    client_credentials_grant_access_token_lifespan: '15m0s',
  },
  {
    client_id: 'report-exporter',
    client_name: 'Report exporter',
    owner: 'finance',
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials'],
    scope: 'reports:read',
    audience: ['https://api.example.com/reports'],
  },
  {
    client_id: 'support-desk',
    client_name: 'Support desk',
    owner: 'support',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: ['https://support.example.com/sso'],
    scope: 'openid profile email tickets:read',
    logo_uri: 'https://support.example.com/logo.svg',
    backchannel_logout_uri: 'https://support.example.com/backchannel-logout',
    backchannel_logout_session_required: true,
  },
  {
    client_id: 'wiki',
    client_name: 'Wiki',
    owner: 'platform',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: ['https://wiki.example.com/auth/oidc/callback'],
    frontchannel_logout_uri: 'https://wiki.example.com/logout',
    frontchannel_logout_session_required: true,
    scope: 'openid profile email',
    skip_consent: true,
  },
  {
    client_id: 'tv-app',
    client_name: 'Television app',
    owner: 'mobile',
    token_endpoint_auth_method: 'none',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    scope: 'openid offline_access',
    device_authorization_grant_access_token_lifespan: '1h0m0s',
  },
  {
    client_id: 'partner-gateway',
    client_name: 'Partner gateway',
    owner: 'partners',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://partners.example.net/.well-known/jwks.json',
    grant_types: ['client_credentials'],
    scope: 'partners:read',
    contacts: ['integration@example.net', 'oncall@example.net'],
  },
  {
    client_id: 'legacy-intranet',
    client_name: 'Legacy intranet',
    owner: '',
    grant_types: ['implicit'],
    response_types: ['id_token', 'token'],
    redirect_uris: ['https://intranet.example.org/login'],
    scope: 'openid',
    metadata: { deprecated: true, sunset: '2027-03-31' },
  },
  {
    client_id: '5f0c7a52-9a4e-4a53-8a6f-2f6f0a3f4b11',
    client_name: '',
    grant_types: ['client_credentials'],
    scope: 'offline_access offline openid',
  },
  {
    client_id: 'analytics-sandbox',
    client_name: 'Analytics (trial)',
    owner: 'data',
    grant_types: ['authorization_code', 'client_credentials'],
    response_types: ['code'],
    redirect_uris: ['https://analytics.example.org/callback'],
    scope: 'openid email events:read',
    access_token_strategy: 'jwt',
    userinfo_signed_response_alg: 'RS256',
  },
];
const DAY_MS = 86_400_000;
/** @param now milliseconds since the epoch */
export function demoClients(random, now) {
  const drawn = CLIENTS.map((input) => ({
    input,
    age: (30 + random.below(500)) * DAY_MS,
    salt: random.bytes(16),
    secret: random.bytes(24),
  }));
  return Promise.all(
    drawn.map(async ({ input, age, salt, secret }) => {
      const created = new Date(now - age).toISOString();
      const hasSecret = (input.token_endpoint_auth_method ?? 'client_secret_basic').startsWith('client_secret');
      const secretHash = hasSecret ? await hashPassword(secret.toString('base64url'), salt) : null;
      return { document: composeClient(input.client_id, input, created, created), secretHash };
    }),
  );
}
