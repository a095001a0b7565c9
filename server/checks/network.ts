import type { Config } from '../config/config.ts';
import {
  coversEverything,
  isFronted,
  isLoopbackAddress,
  isLoopbackHost,
  isPrivateHost,
  PRIVATE_NETWORKS,
} from '../networks.ts';
import { type CheckSources, type Checks, type Finding, fail, pass, warn, worst } from './check.ts';

/** Checks the encryption of traffic, who can reach this port, and what is open. */
export const networkChecks = ({ config, adminAccess }: Pick<CheckSources, 'config' | 'adminAccess'>) =>
  ({
    cookie_secure: {
      title: 'Session cookie',
      why: 'Without “Secure”, a browser also sends the session over plain http, where anyone on the network can read it.',
      look: () => {
        if (config.secureCookies) return pass('The cookie is Secure, HttpOnly and SameSite=Strict.');
        const action = 'Set BASE_URL to an https address.';
        return isLoopbackHost(new URL(config.baseUrl).hostname)
          ? warn('The cookie is not Secure; the dashboard is available on this machine only.', action)
          : fail('The cookie is not Secure.', action);
      },
    },
    base_url: {
      title: 'The dashboard’s own address',
      why: 'Over plain http, sign-ins and sessions can be read and changed in transit.',
      look: () => overTls('BASE_URL', config.baseUrl),
    },
    auth_url: {
      title: 'The OAuth server’s address',
      why: 'Operators type their passwords there, and the code that is exchanged for a session passes through it.',
      look: () =>
        worst(
          [overTls('AUTH_URL', config.auth.url), internally(config.auth.internalUrl)],
          pass('AUTH_URL uses https.'),
        ),
    },
    admin_proxies: {
      title: 'Who may use the admin APIs',
      why: 'Anyone admitted to /api/…-admin can read and change every identity and every OAuth client.',
      look: () => adminProxies(config, adminAccess),
    },
    allowed_networks: {
      title: 'Who may connect',
      why: 'An address that cannot connect cannot attack. The proxy routes rely on this.',
      look: () => allowedNetworks(config),
    },
    trusted_proxies: {
      title: 'Who is trusted to name client addresses',
      why: 'A caller who can claim any address can pass as internal, and appears in the audit trail under that address.',
      look: () => trustedProxies(config),
    },
  }) satisfies Checks;

function overTls(name: string, url: string): Finding {
  const action = `Put a reverse proxy with a certificate in front of it, and set ${name} to its https address.`;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return pass(`${name} uses https.`);
  return isLoopbackHost(hostname)
    ? warn(`${name} uses plain http on this machine, which is fine for trials.`, action)
    : fail(`${name} uses plain http.`, action);
}

/** Plain http is common inside a network; across the internet, tokens would travel unencrypted. */
function internally(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isPrivateHost(hostname))
    return pass('Tokens do not leave the private network unencrypted.');
  return warn(
    'AUTH_INTERNAL_URL uses plain http to a public host name.',
    'Use https, or an address inside the network.',
  );
}

const STRANGER = '203.0.113.9';
/** One address from each private range. */
const NEIGHBOURS = PRIVATE_NETWORKS.map(firstOf);
const HERE = ['127.0.0.1', '::1'];

/**
 * Applies the gate's own rule to each kind of caller, instead of interpreting the configuration a second time.
 */
function adminProxies(config: Config, adminAccess: CheckSources['adminAccess']): Finding {
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
  const isOpenTo = (peers: readonly string[]): boolean => peers.some((peer) => adminAccess(peer, {}).open);
  const isOpenThrough = (callers: readonly string[]): boolean =>
    proxies.some((peer) =>
      callers.some((caller) =>
        ['', inner].some((others) => adminAccess(peer, { 'x-forwarded-for': `${caller}${others}` }).open),
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

function allowedNetworks({ deployment, host, allowedNetworks: ranges }: Config): Finding {
  const action = 'Set ALLOWED_NETWORKS to the ranges your operators and your reverse proxy connect from.';
  if (ranges !== undefined && !coversEverything(ranges)) return pass('Only the configured ranges may connect.');
  if (isLoopbackAddress(host)) return pass('The port is reachable from this machine only.');
  const detail = 'Any address may connect.';
  return deployment === 'workforce' ? fail(detail, action) : warn(detail, action);
}

function trustedProxies({ baseUrl, trustProxy }: Config): Finding {
  const action = 'Set TRUST_PROXY to the CIDR ranges of your reverse proxies.';
  if (trustProxy === undefined)
    // With https there must be a reverse proxy: the service itself does not terminate TLS.
    return isFronted({ baseUrl, trustProxy }) && baseUrl.startsWith('https:')
      ? warn(
          'Nobody is: everyone who comes through the reverse proxy appears under its address, also in the audit trail.',
          action,
        )
      : pass('Nobody is: only the address of the connection counts.');
  if (typeof trustProxy === 'number')
    return warn(
      'Every caller is, because TRUST_PROXY is a number of hops: anyone who can reach this port can claim any address.',
      action,
    );
  return coversEverything(trustProxy)
    ? fail('Every address is trusted to name client addresses.', action)
    : pass('Only the configured proxies are.');
}

function firstOf(range: string): string {
  return range.split('/')[0] ?? range;
}
