import type { Capability } from '../../shared/capabilities.ts';

export const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
const PAGES = 'page_size page_token';

/** Routes, what they need, and the names of their queries that do not need `upstreams.write`. */
const route = (methods: string, paths: string, needs: Capability = 'upstreams.write', names = '') =>
  methods
    .split(' ')
    .flatMap((method) => paths.split(' ').map((path) => ({ method, path, needs, names: names.split(' ') })));

const PERSON = `/admin/identities/${ID}`;
const credentials = (types: string) => types.replaceAll(/\w+/g, `${PERSON}/credentials/$&`);
const SERVICE = '/health/alive /health/ready /version /metrics/prometheus /admin/version';
const FILTERS = 'ids credentials_identifier preview_credentials_identifier_similar organization_id consistency';

/** Every documented route of Kratos' admin API (v26.2). */
export const KRATOS_ROUTES = [
  route('GET', '/admin/identities', 'identities.read', `${PAGES} page per_page ${FILTERS}`),
  route('GET', `${PERSON} /admin/identities/by/external/crm-42`, 'identities.read'),
  route('POST PATCH', '/admin/identities'),
  route('PATCH', PERSON, 'identities.state'),
  route('PUT DELETE', PERSON),
  route('DELETE', credentials('totp lookup_secret webauthn'), 'second-factors.remove'),
  route('DELETE', credentials('password oidc saml code passkey deviceauthn')),
  route('GET', `${PERSON}/sessions`, 'sessions.read', `${PAGES} page per_page active`),
  route('GET', '/admin/sessions', 'sessions.read', `${PAGES} active expand`),
  route('GET', `/admin/sessions/${ID}`, 'sessions.read', 'expand'),
  route('DELETE', `${PERSON}/sessions /admin/sessions/${ID}`, 'sessions.end'),
  route('POST', '/admin/sessions /admin/recovery/code /admin/recovery/link'),
  route('PATCH', `/admin/sessions/${ID}/extend`),
  route('GET', `/admin/courier/messages /admin/courier/messages/${ID} /schemas /schemas/person ${SERVICE}`),
].flat();

const [FLOWS, SESSIONS] = ['/admin/oauth2/auth/requests', '/admin/oauth2/auth/sessions'];
const [CLIENT, ISSUERS] = ['/admin/clients/shop-1', '/admin/trust/grants/jwt-bearer/issuers'];

/** The same for Hydra's (v26.2). */
export const HYDRA_ROUTES = [
  route('GET', '/admin/clients', 'clients.read', `${PAGES} client_name owner`),
  route('GET', `${CLIENT} ${ISSUERS}/${ID}`, 'clients.read'),
  route('GET', ISSUERS, 'clients.read', `${PAGES} issuer`),
  route('POST', `/admin/clients ${ISSUERS} /admin/oauth2/introspect`),
  route('PUT PATCH DELETE', CLIENT),
  route('PUT POST DELETE', `${CLIENT}/lifespans ${CLIENT}/secrets/rotate`),
  route('DELETE', `${ISSUERS}/${ID} /admin/oauth2/tokens`),
  route('GET', `${FLOWS}/login ${FLOWS}/consent ${FLOWS}/logout`),
  ...['login', 'consent', 'logout', 'device'].map((kind) =>
    route('PUT', `${FLOWS}/${kind}/accept ${FLOWS}/${kind}/reject`),
  ),
  route('GET', `${SESSIONS}/consent?subject=${ID}`, 'consents.read', `${PAGES} login_session_id`),
  route('DELETE', `${SESSIONS}/consent?subject=${ID}`, 'consents.revoke', 'client all'),
  route('DELETE', `${SESSIONS}/login?subject=${ID}`, 'sessions.end'),
  route('GET POST PUT DELETE', '/admin/keys/hydra.openid.id-token /admin/keys/hydra.openid.id-token/one'),
  route('GET', SERVICE),
].flat();
