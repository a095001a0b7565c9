import { isExtraRole } from '../../shared/capabilities.ts';
import type { Config } from '../config/config.ts';
import { accessFor } from '../gate/access.ts';
import {
  coversEverything,
  isFronted,
  isLoopbackAddress,
  isLoopbackHost,
  isPrivateHost,
  PRIVATE_NETWORKS,
} from '../networks.ts';
import { type CheckSources, type Checks, critical, type Finding, fail, pass, unknown, warn, worst } from './check.ts';
import { jsonIn, type Reply, responseFrom, unusable } from './upstreams.ts';

/**
 * Checks the encryption of traffic, who can reach this port, and what is open.
 * @param sources.from the public origin of a running service, to test it from this machine
 */
export const networkChecks = ({ config, from = '' }: Pick<CheckSources, 'config' | 'from'>) =>
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
      title: config.auth.provider.kind === 'oauth2' ? 'The OAuth server’s address' : 'The OpenID provider’s address',
      why: 'Operators type their passwords there, and the code that is exchanged for a session passes through it.',
      look: () => {
        const { provider } = config.auth;
        // An OpenID provider has https, or is on this machine.
        if (provider.kind === 'openid') return overTls('AUTH_ISSUER', provider.issuer);
        return worst(
          [overTls('AUTH_URL', provider.url), internally(provider.internalUrl)],
          pass('AUTH_URL uses https.'),
        );
      },
    },
    admin_proxies: {
      title: 'Who may use the admin APIs',
      why: 'Anyone admitted to /api/…-admin can read and change every identity and every OAuth client.',
      look: () => adminProxies(config),
    },
    allowed_networks: {
      title: 'Who may connect',
      why: 'An address that cannot connect cannot attack. The proxy routes rely on this.',
      look: () => {
        const { deployment, host, allowedNetworks: ranges } = config;
        if (ranges !== undefined && !coversEverything(ranges)) return pass('Only the configured ranges may connect.');
        if (isLoopbackAddress(host)) return pass('The port is reachable from this machine only.');
        const action = 'Set ALLOWED_NETWORKS to the ranges your operators and your reverse proxy connect from.';
        return (deployment === 'workforce' ? fail : warn)('Any address may connect.', action);
      },
    },
    trusted_proxies: {
      title: 'Who is trusted to name client addresses',
      why: 'A caller who can claim any address can pass as internal, and appears in the audit trail under that address.',
      look: () => trustedProxies(config),
    },
    outside_address: {
      title: 'The dashboard from outside',
      why: 'Operators open this address in their browsers.',
      needs: 'from',
      look: () => addressFrom(from, config),
    },
    outside_admin_proxies: {
      title: 'The admin APIs from outside',
      why: 'Anyone who gets through controls every identity and every OAuth client.',
      needs: 'from',
      look: async () => {
        const tried = config.upstreams.flatMap(({ prefix, url, probePath }) =>
          url === undefined || probePath === undefined
            ? []
            : CLAIMS.map(async (claim) =>
                throughGate(prefix, await responseFrom(`${from}${prefix}${probePath}?page_size=1`, claim)),
              ),
        );
        return worst(await Promise.all(tried), pass('No admin API is configured.'));
      },
    },
    outside_metrics: {
      title: 'Metrics from outside',
      why: 'They reveal how much the service is used, and what fails.',
      needs: 'from',
      look: async () => {
        const { text } = await responseFrom(`${from}/metrics`);
        if (text === undefined) return unknown('Nothing responds.', 'Start the service, or correct --from.');
        return /^# (?:HELP|TYPE) /m.test(text)
          ? fail(
              'They can be read through the public address.',
              'Do not forward requests to METRICS_PORT in the reverse proxy.',
            )
          : pass('They cannot be read through the public address.');
      },
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

const firstOf = (range: string): string => range.split('/')[0] ?? range;

const STRANGER = '203.0.113.9';
/** One address from each private range. */
const NEIGHBOURS = PRIVATE_NETWORKS.map(firstOf);
const HERE = ['127.0.0.1', '::1'];

/**
 * Applies the gate's own rule to each kind of caller, instead of interpreting the configuration a second time.
 */
function adminProxies(config: Config): Finding {
  const { upstreams, trustProxy } = config;
  const access = accessFor(config);
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
  const isOpenTo = (peers: readonly string[]): boolean => peers.some((peer) => access(peer, {}).open);
  const isOpenThrough = (callers: readonly string[]): boolean =>
    proxies.some((peer) =>
      callers.some((caller) =>
        ['', inner].some((others) => access(peer, { 'x-forwarded-for': `${caller}${others}` }).open),
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
  if (isOpenTo(HERE)) return pass('They are open without a session from this machine only.');
  return config.auth.roles.some(isExtraRole)
    ? pass('Every caller needs a session, and can do what its role may.')
    : pass('Every caller needs an admin session.');
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

/** Headers with which a caller may claim to be inside the network. */
const CLAIMS: readonly Record<string, string>[] = [
  {},
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-real-ip': '127.0.0.1', 'x-forwarded-for': '10.0.0.1', forwarded: 'for=127.0.0.1' },
];

async function addressFrom(
  from: string,
  { production, deployment }: Pick<Config, 'production' | 'deployment'>,
): Promise<Finding> {
  const response = await responseFrom(`${from}/api/health`);
  if (response.failure && response.failure.kind !== 'certificate' && deployment === 'workforce')
    return unknown(
      'Nothing responds, which is correct for a machine outside the allowed networks.',
      'Run it again on an operator’s machine.',
    );
  if (response.failure)
    return unusable(
      'The dashboard does not respond there',
      response,
      'Start the service and its reverse proxy, or correct --from.',
    );
  if (response.status === 421)
    return critical(
      'The dashboard does not serve this host name.',
      'Forward the Host header in the reverse proxy, or add the name to ALLOWED_HOSTS.',
    );
  if (response.status === 503) return critical('The dashboard responds that it is unavailable.', 'See its log.');
  if (response.status !== 200 || !/^\{"status":"ok","version":"[^"]+"\}$/.test(response.text))
    return critical('Something other than this dashboard responds there.', 'Correct the reverse proxy, or --from.');
  const { protocol, hostname } = new URL(from);
  if (protocol !== 'https:' && !isLoopbackHost(hostname))
    return fail(
      'It can be reached without TLS.',
      'Terminate TLS in a reverse proxy, and block all other access to the port.',
    );
  if (protocol === 'https:' && production && response.headers['strict-transport-security'] === undefined)
    return warn(
      'Its Strict-Transport-Security header is missing from the response.',
      'Forward response headers in the reverse proxy.',
    );
  return pass('It responds.');
}

/** Any response from an upstream, even an error, shows that the gate is open. */
function throughGate(prefix: string, response: Reply): Finding {
  if (response.failure) return unknown(`${prefix} does not respond.`, 'Start the service, or correct --from.');
  const { error } = jsonIn(response);
  if (REFUSALS.has(error)) return pass(`${prefix} requires a session.`);
  if (BEFORE_THE_GATE.has(error))
    return unknown(`${prefix} was not reached: the dashboard responds with ${response.status}.`, 'Try again later.');
  // Every response of the dashboard has this header.
  if (response.status < 400 || response.headers['x-request-id'] !== undefined)
    return fail(
      `${prefix} can be used from here without a session.`,
      'Set PROXY_REQUIRE_SESSION=true, or TRUST_PROXY to the reverse proxy; this machine may count as inside.',
    );
  return unknown(
    `Something in front of the dashboard refuses ${prefix} with ${response.status}.`,
    'Check the configuration of the reverse proxy: it may not refuse every request.',
  );
}

const REFUSALS = new Set<unknown>(['not_authenticated', 'forbidden']);
const BEFORE_THE_GATE = new Set<unknown>(['too_many_requests', 'misdirected_request']);
