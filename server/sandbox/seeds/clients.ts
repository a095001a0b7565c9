import { type ClientInput, composeClient } from '../oauth-service/client-input.ts';
import type { StoredClient } from '../oauth-service/clients.ts';
import { hashPassword } from '../passwords.ts';
import { DAY_MS } from './people.ts';
import type { Random } from './random.ts';

type Demo = ClientInput & { client_id: string };
type Kind = (id: string, name: string, owner: string, more?: ClientInput) => Demo;

const kind =
  (usual: ClientInput): Kind =>
  (client_id, client_name, owner, more) => ({ client_id, client_name, owner, ...usual, ...more });
const CODES = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };

const web = kind({ ...CODES, scope: 'openid offline_access profile email' });
const singlePage = kind({
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: 'openid profile email',
});
const native = kind({
  ...CODES,
  token_endpoint_auth_method: 'none',
  scope: 'openid offline_access profile',
  refresh_token_grant_refresh_token_lifespan: '720h0m0s',
});
const machine = kind({ grant_types: ['client_credentials'] });
const device = kind({
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
  scope: 'openid offline_access',
});

/** Clients of every kind; the dashboard itself is added separately. */
const CLIENTS: readonly Demo[] = [
  web('web-shop', 'Web shop', 'commerce', {
    redirect_uris: ['https://shop.example.com/oauth/callback'],
    post_logout_redirect_uris: ['https://shop.example.com/'],
    client_uri: 'https://shop.example.com',
    policy_uri: 'https://shop.example.com/privacy',
    tos_uri: 'https://shop.example.com/terms',
    contacts: ['shop@example.com'],
    metadata: { team: 'commerce', tier: 1 },
  }),
  web('support-desk', 'Support desk', 'support', {
    redirect_uris: ['https://support.example.com/sso'],
    scope: 'openid profile email tickets:read',
    logo_uri: 'https://support.example.com/logo.svg',
    backchannel_logout_uri: 'https://support.example.com/backchannel-logout',
    backchannel_logout_session_required: true,
  }),
  web('wiki', 'Wiki', 'platform', {
    redirect_uris: ['https://wiki.example.com/auth/oidc/callback'],
    frontchannel_logout_uri: 'https://wiki.example.com/logout',
    frontchannel_logout_session_required: true,
    skip_consent: true,
  }),
  web('loyalty-club', 'Loyalty club', 'commerce', { redirect_uris: ['https://club.example.com/callback'] }),
  web('partner-portal', 'Partner portal', 'partners', {
    redirect_uris: [
      'https://partners.example.net/login/callback',
      'https://partners-staging.example.net/login/callback',
    ],
    token_endpoint_auth_method: 'client_secret_post',
  }),
  web('events', 'Events and tickets', 'marketing', {
    redirect_uris: ['https://events.example.org/auth/callback'],
    scope: 'openid profile email',
  }),
  web('analytics-sandbox', 'Analytics (trial)', 'data', {
    grant_types: ['authorization_code', 'client_credentials'],
    redirect_uris: ['https://analytics.example.org/callback'],
    scope: 'openid email events:read',
    access_token_strategy: 'jwt',
    userinfo_signed_response_alg: 'RS256',
  }),
  singlePage('account-portal', 'Account portal', 'platform', {
    redirect_uris: ['https://account.example.com/callback', 'http://localhost:8080/callback'],
    allowed_cors_origins: ['https://account.example.com'],
    skip_consent: true,
  }),
  singlePage('store-locator', 'Store locator', 'commerce', { redirect_uris: ['https://stores.example.com/callback'] }),
  singlePage('help-center', 'Help center', 'support', {
    redirect_uris: ['https://help.example.com/callback'],
    allowed_cors_origins: ['https://help.example.com', 'https://help.example.org'],
  }),
  singlePage('survey-builder', 'Survey builder', 'marketing', {
    redirect_uris: ['https://surveys.example.org/signed-in'],
  }),
  native('mobile-ios', 'Mobile app for iOS', 'mobile', { redirect_uris: ['com.example.app:/oauth/callback'] }),
  native('mobile-android', 'Mobile app for Android', 'mobile', { redirect_uris: ['com.example.android:/callback'] }),
  native('desktop-sync', 'Desktop sync', 'mobile', { redirect_uris: ['http://127.0.0.1/callback'] }),
  native('command-line', 'Command line tools', 'platform', { redirect_uris: ['http://127.0.0.1:8976/callback'] }),
  machine('billing-worker', 'Billing worker', 'finance', {
    scope: 'invoices:read invoices:write',
    audience: ['https://api.example.com/billing'],
    metadata: { team: 'finance', runbook: 'https://wiki.example.com/billing' },
    client_credentials_grant_access_token_lifespan: '15m0s',
  }),
  machine('report-exporter', 'Report exporter', 'finance', {
    token_endpoint_auth_method: 'client_secret_post',
    scope: 'reports:read',
  }),
  machine('inventory-sync', 'Inventory sync', 'commerce', { scope: 'inventory:read inventory:write' }),
  machine('fraud-scoring', 'Fraud scoring', 'data', { scope: 'events:read scores:write' }),
  machine('partner-gateway', 'Partner gateway', 'partners', {
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://partners.example.net/.well-known/jwks.json',
    scope: 'partners:read',
    contacts: ['integration@example.net', 'oncall@example.net'],
  }),
  machine('partner-webhooks', 'Partner webhooks', 'partners', { scope: 'webhooks:write' }),
  machine('5f0c7a52-9a4e-4a53-8a6f-2f6f0a3f4b11', '', '', { scope: 'offline_access offline openid' }),
  device('tv-app', 'Television app', 'mobile', { device_authorization_grant_access_token_lifespan: '1h0m0s' }),
  device('meeting-room', 'Meeting room display', 'platform'),
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
];

export const demoClients = (random: Random, now: number): StoredClient[] =>
  CLIENTS.map((input) => {
    const created = new Date(now - (30 + random.below(500)) * DAY_MS).toISOString();
    const [salt, secret] = [random.bytes(16), random.bytes(24)];
    const hasSecret = (input.token_endpoint_auth_method ?? 'client_secret_basic').startsWith('client_secret');
    const secretHash = hasSecret ? hashPassword(secret.toString('base64url'), salt) : null;
    return { document: composeClient(input.client_id, input, created, created), secretHash };
  });
