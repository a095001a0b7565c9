import type { Config } from '../../../config/config.ts';
import { coversEverything, isFronted, isLoopbackAddress, PRIVATE_NETWORKS } from '../../../lib/networks.ts';
import { type Check, type Finding, fail, pass, warn } from './check.ts';

type NetworkConfig = Pick<Config, 'deployment' | 'host' | 'baseUrl' | 'upstreams' | 'trustProxy' | 'allowedNetworks'>;
/** The gate's own judgement of a caller of the admin prefixes. */
type Judge = (peer: string, headers: Record<string, string>) => { open: boolean };

/** Who reaches this port, and what stands open to them. */
export const networkChecks = (config: NetworkConfig, judge: Judge): Check[] => [
  {
    id: 'admin_proxies',
    title: 'Who may use the admin APIs',
    why: 'Through /api/…-admin anybody who is let in can read and change every identity and every OAuth client.',
    look: async () => adminProxies(config, judge),
  },
  {
    id: 'allowed_networks',
    title: 'Who may connect',
    why: 'An address that cannot connect cannot try anything. The proxy routes rely on it.',
    look: async () => allowedNetworks(config),
  },
  {
    id: 'trusted_proxies',
    title: 'Whose word on addresses is taken',
    why: 'A caller who may name an address of his own choice is “inside”, and stands in the audit trail under it.',
    look: async () => trustedProxies(config),
  },
];

const STRANGER = '203.0.113.9';
/** One of each private range. */
const NEIGHBOURS = PRIVATE_NETWORKS.map(firstOf);
const HERE = ['127.0.0.1', '::1'];

/** Asks the gate's own rule about callers of each kind that this deployment may have, and believes nothing else. */
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
  // What a proxy makes of an address that the caller has invented stands there as well.
  const strangers = [STRANGER, ...NEIGHBOURS.map((invented) => `${invented}, ${STRANGER}`)];

  if (isOpenTo([STRANGER]))
    return here && !fronted
      ? warn('They are open without a session to whoever reaches this port, which takes this machine alone.', action)
      : fail('They are open without a session to whoever reaches this port.', action);
  if (fronted && isOpenThrough(strangers))
    return fail('They are open without a session to whoever comes through the reverse proxy.', action);
  if (fronted && isOpenTo(proxies))
    return fail(
      'They are open without a session to whoever comes through a reverse proxy that does not say for whom it asks.',
      'Set PROXY_REQUIRE_SESSION=true, or have the reverse proxy send X-Forwarded-For and name it in TRUST_PROXY.',
    );
  if ((fronted && isOpenThrough(NEIGHBOURS)) || (!here && isOpenTo(NEIGHBOURS)))
    return warn('They are open without a session to private addresses.', action);
  return isOpenTo(HERE)
    ? pass('They are open without a session to this machine alone.')
    : pass('Every caller needs an admin session.');
}

function allowedNetworks({ deployment, host, allowedNetworks: ranges }: NetworkConfig): Finding {
  const action = 'Set ALLOWED_NETWORKS to the ranges your operators and your reverse proxy connect from.';
  if (ranges !== undefined && !coversEverything(ranges)) return pass('Only the configured ranges may connect.');
  if (isLoopbackAddress(host)) return pass('The port is open to this machine alone.');
  const detail = 'Any address may connect.';
  return deployment === 'workforce' ? fail(detail, action) : warn(detail, action);
}

function trustedProxies({ baseUrl, trustProxy }: NetworkConfig): Finding {
  const action = 'Set TRUST_PROXY to the CIDR ranges of your reverse proxies.';
  if (trustProxy === undefined)
    // This process speaks no TLS.
    return isFronted({ baseUrl, trustProxy }) && baseUrl.startsWith('https:')
      ? warn('Nobody’s: whoever comes through the reverse proxy has its address, in the audit trail as well.', action)
      : pass('Nobody’s: the address of the connection counts.');
  if (typeof trustProxy === 'number')
    return warn(
      'A number of hops is trusted, whoever connects: whoever reaches this port directly may name any address.',
      action,
    );
  return coversEverything(trustProxy)
    ? fail('Every address is trusted to name another one.', action)
    : pass('Only the configured proxies may name another address.');
}

/** The first address of a range. */
function firstOf(range: string): string {
  return range.split('/')[0] ?? range;
}
