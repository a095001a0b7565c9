import type { Config } from '../../../config/config.ts';
import { coversEverything, isLoopbackHost } from '../../../networks.ts';
import { type Check, type Finding, fail, pass, warn } from './check.ts';

type NetworkConfig = Pick<
  Config,
  'deployment' | 'host' | 'upstreams' | 'proxyRequireSession' | 'trustProxy' | 'allowedNetworks'
>;

/** Who reaches this port, and what stands open to them. */
export const networkChecks = (config: NetworkConfig): Check[] => [
  {
    id: 'admin_proxies',
    title: 'Who may use the admin APIs',
    why: 'Through /api/…-admin anybody who is let in can read and change every identity and every OAuth client.',
    look: async () => adminProxies(config),
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

function adminProxies({ host, upstreams, proxyRequireSession: rule }: NetworkConfig): Finding {
  const action =
    'Set PROXY_REQUIRE_SESSION=true, unless scripts in your network need the admin APIs through this port.';
  if (!upstreams.some(({ admin, url }) => admin && url !== undefined)) return pass('No admin API is configured.');
  if (rule === 'always') return pass('Every caller needs an admin session.');
  const local = isLoopbackHost(bracketed(host));
  if (rule === 'outside')
    return local
      ? pass('They are open without a session to this machine alone.')
      : warn('They are open without a session to every private address that reaches this port.', action);
  return local
    ? warn('They are open without a session to whoever reaches this port, which listens on this machine alone.', action)
    : fail('They are open without a session to whoever reaches this port.', action);
}

function allowedNetworks({ deployment, host, allowedNetworks: ranges }: NetworkConfig): Finding {
  const action = 'Set ALLOWED_NETWORKS to the ranges your operators and your reverse proxy connect from.';
  if (ranges !== undefined && !coversEverything(ranges)) return pass('Only the configured ranges may connect.');
  if (isLoopbackHost(bracketed(host))) return pass('The port is open to this machine alone.');
  const detail = 'Any address may connect.';
  return deployment === 'workforce' ? fail(detail, action) : warn(detail, action);
}

function trustedProxies({ trustProxy }: NetworkConfig): Finding {
  const action = 'Set TRUST_PROXY to the CIDR ranges of your reverse proxies.';
  if (trustProxy === undefined) return pass('Nobody’s: the address of the connection counts.');
  if (typeof trustProxy === 'number')
    return warn(
      'A number of hops is trusted, whoever connects: whoever reaches this port directly may name any address.',
      action,
    );
  return coversEverything(trustProxy)
    ? fail('Every address is trusted to name another one.', action)
    : pass('Only the configured proxies may name another address.');
}

/** As in a URL. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
