import type { Config } from '../../../config/config.ts';
import {
  coversEverything,
  isFronted,
  isLoopbackAddress,
  isLoopbackHost,
  isPrivateHost,
  PRIVATE_NETWORKS,
} from '../../../networks.ts';
import { type Check, type Finding, fail, gravest, pass, warn } from './check.ts';

const CERTIFICATE = 'Put a reverse proxy with a certificate in front of it';

/** How traffic between browsers, this service and the OAuth server is protected. */
export const addressChecks = (config: Pick<Config, 'baseUrl' | 'secureCookies' | 'auth'>): Check[] => [
  {
    id: 'cookie_secure',
    title: 'Session cookie',
    why: 'Without “Secure”, a browser also sends the session over plain http, where anyone on the network can read it.',
    look: async () => {
      if (config.secureCookies) return pass('The cookie is Secure, HttpOnly and SameSite=Strict.');
      const action = 'Set BASE_URL to an https address.';
      return isLoopbackHost(new URL(config.baseUrl).hostname)
        ? warn('The cookie is not Secure; the dashboard is available on this machine only.', action)
        : fail('The cookie is not Secure.', action);
    },
  },
  {
    id: 'base_url',
    title: 'The dashboard’s own address',
    why: 'Over plain http, sign-ins and sessions can be read and changed in transit.',
    look: async () => overTls(config.baseUrl, 'BASE_URL', `${CERTIFICATE}, and set BASE_URL to its https address.`),
  },
  {
    id: 'auth_url',
    title: 'The OAuth server’s address',
    why: 'Operators type their passwords there, and the code that becomes a session travels through it.',
    look: async () => {
      const { url, internalUrl } = config.auth;
      const action = `${CERTIFICATE}, and set AUTH_URL to its https address.`;
      return gravest([overTls(url, 'AUTH_URL', action), internally(internalUrl)], pass('AUTH_URL uses https.'));
    },
  },
];

function overTls(url: string, name: string, action: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return pass(`${name} uses https.`);
  return isLoopbackHost(hostname)
    ? warn(`${name} uses plain http on this machine, which is fine for trials.`, action)
    : fail(`${name} uses plain http.`, action);
}

/** Plain http is usual behind the firewall; across the internet, tokens would travel unencrypted. */
function internally(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isPrivateHost(hostname))
    return pass('Tokens do not leave the private network unencrypted.');
  return warn(
    'AUTH_INTERNAL_URL uses plain http to a public host name.',
    'Use https, or an address inside the network.',
  );
}

type NetworkConfig = Pick<
  Config,
  'production' | 'deployment' | 'host' | 'baseUrl' | 'upstreams' | 'trustProxy' | 'allowedNetworks'
>;
/** The gate's decision about a caller of the admin prefixes. */
type Judge = (peer: string, headers: Record<string, string>) => { open: boolean };

/** Who can reach this port, and what is open to them. */
export const networkChecks = (config: NetworkConfig, judge: Judge): Check[] => [
  {
    id: 'admin_proxies',
    title: 'Who may use the admin APIs',
    why: 'Anyone admitted to /api/…-admin can read and change every identity and every OAuth client.',
    look: async () => adminProxies(config, judge),
  },
  {
    id: 'allowed_networks',
    title: 'Who may connect',
    why: 'An address that cannot connect cannot attack. The proxy routes rely on this.',
    look: async () => allowedNetworks(config),
  },
  {
    id: 'trusted_proxies',
    title: 'Who is trusted to name client addresses',
    why: 'A caller who can claim any address can pass as internal, and appears in the audit trail under that address.',
    look: async () => trustedProxies(config),
  },
];

const STRANGER = '203.0.113.9';
/** One address of each private range. */
const NEIGHBOURS = PRIVATE_NETWORKS.map(firstOf);
const HERE = ['127.0.0.1', '::1'];

/**
 * Applies the gate's own rule to each kind of caller this deployment may have, instead of interpreting the
 * configuration.
 */
function adminProxies(config: NetworkConfig, judge: Judge): Finding {
  const { upstreams, trustProxy } = config;
  if (!upstreams.some(({ admin, url }) => admin && url !== undefined)) return pass('No admin API is configured.');
  const action =
    'Set PROXY_REQUIRE_SESSION=true, unless scripts in your network need the admin APIs through this port.';
  const here = isLoopbackAddress(config.host);
  const fronted = isFronted(config);
  const proxies = [
    ...HERE,
    ...(here ? [] : NEIGHBOURS),
    ...(typeof trustProxy === 'object' ? trustProxy.map(firstOf) : []),
  ];
  const inner = `, ${HERE[0]}`.repeat(typeof trustProxy === 'number' ? trustProxy - 1 : 0);
  const isOpenTo = (peers: readonly string[]): boolean => peers.some((peer) => judge(peer, {}).open);
  const isOpenThrough = (callers: readonly string[]): boolean =>
    proxies.some((peer) =>
      callers.some((caller) =>
        ['', inner].some((others) => judge(peer, { 'x-forwarded-for': `${caller}${others}` }).open),
      ),
    );
  // A caller may invent addresses; the proxy appends the real one.
  const strangers = [STRANGER, ...NEIGHBOURS.map((invented) => `${invented}, ${STRANGER}`)];

  if (isOpenTo([STRANGER]))
    return here && !fronted && !config.production
      ? warn('They are open without a session to anyone who can reach this port, which is this machine only.', action)
      : fail('They are open without a session to anyone who can reach this port.', action);
  if (fronted && isOpenThrough(strangers))
    return fail('They are open without a session to anyone coming through the reverse proxy.', action);
  if (fronted && isOpenTo(proxies))
    return fail(
      'They are open without a session to anyone coming through a reverse proxy that does not name the client.',
      'Set PROXY_REQUIRE_SESSION=true, or have the reverse proxy send X-Forwarded-For and name it in TRUST_PROXY.',
    );
  if ((fronted && isOpenThrough(NEIGHBOURS)) || (!here && isOpenTo(NEIGHBOURS)))
    return warn('They are open without a session to private addresses.', action);
  return isOpenTo(HERE)
    ? pass('They are open without a session from this machine only.')
    : pass('Every caller needs an admin session.');
}

function allowedNetworks({ deployment, host, allowedNetworks: ranges }: NetworkConfig): Finding {
  const action = 'Set ALLOWED_NETWORKS to the ranges your operators and your reverse proxy connect from.';
  if (ranges !== undefined && !coversEverything(ranges)) return pass('Only the configured ranges may connect.');
  if (isLoopbackAddress(host)) return pass('The port is reachable from this machine only.');
  const detail = 'Any address may connect.';
  return deployment === 'workforce' ? fail(detail, action) : warn(detail, action);
}

function trustedProxies({ baseUrl, trustProxy }: NetworkConfig): Finding {
  const action = 'Set TRUST_PROXY to the CIDR ranges of your reverse proxies.';
  if (trustProxy === undefined)
    // The service itself does not terminate TLS.
    return isFronted({ baseUrl, trustProxy }) && baseUrl.startsWith('https:')
      ? warn(
          'Nobody: everyone coming through the reverse proxy appears under its address, in the audit trail as well.',
          action,
        )
      : pass('Nobody: the address of the connection counts.');
  if (typeof trustProxy === 'number')
    return warn(
      'A number of hops is trusted, whoever connects: anyone who can reach this port directly can claim any address.',
      action,
    );
  return coversEverything(trustProxy)
    ? fail('Every address is trusted to name client addresses.', action)
    : pass('Only the configured proxies are.');
}

/** The first address of a range. */
function firstOf(range: string): string {
  return range.split('/')[0] ?? range;
}
