import type { Config, Upstream } from '../config/config.ts';
import { isLoopbackHost } from '../networks.ts';
import { type Check, critical, type Finding, fail, pass, unknown, warn, worst } from './check.ts';
import { jsonIn, type Reply, responseFrom, unusable } from './sign-in.ts';

/** Headers with which a caller may claim to be inside the network. */
const CLAIMS: readonly Record<string, string>[] = [
  {},
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-real-ip': '127.0.0.1', 'x-forwarded-for': '10.0.0.1', forwarded: 'for=127.0.0.1' },
];

/**
 * Checks a running dashboard through its public address, from this machine.
 * @param from its public origin
 */
export const outsideChecks = (
  config: Pick<Config, 'upstreams' | 'production' | 'deployment'>,
  from: string,
): Record<string, Check> => ({
  outside_address: {
    title: 'The dashboard from outside',
    why: 'Operators open this address in their browsers.',
    look: () => address(from, config),
  },
  outside_admin_proxies: {
    title: 'The admin APIs from outside',
    why: 'Anyone who gets through controls every identity and every OAuth client.',
    look: async () => {
      const apis = config.upstreams.filter(({ admin, url }) => admin && url !== undefined);
      return worst(await Promise.all(apis.map((api) => adminApi(from, api))), pass('No admin API is configured.'));
    },
  },
  outside_metrics: {
    title: 'Metrics from outside',
    why: 'They reveal how much the service is used, and what fails.',
    look: async () => {
      const response = await responseFrom(`${from}/metrics`);
      if (response.failure) return unknown('Nothing responds.', 'Start the service, or correct --from.');
      return /^# (?:HELP|TYPE) /m.test(response.text)
        ? fail(
            'They can be read through the public address.',
            'Do not forward requests to METRICS_PORT in the reverse proxy.',
          )
        : pass('They cannot be read through the public address.');
    },
  },
});

async function address(
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

async function adminApi(from: string, { prefix, holdsIdentities }: Upstream): Promise<Finding> {
  const path = holdsIdentities ? '/admin/identities?page_size=1' : '/admin/clients?page_size=1';
  const responses = await Promise.all(CLAIMS.map((claim) => responseFrom(from + prefix + path, claim)));
  return worst(
    responses.map((response) => throughGate(prefix, response)),
    pass(''),
  );
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

/** @returns the origin that --from names; undefined if it is none */
export function originOf(argument: string): string | undefined {
  if (!URL.canParse(argument)) return undefined;
  const { origin, protocol, pathname, search, hash } = new URL(argument);
  return /^https?:$/.test(protocol) && pathname === '/' && search + hash === '' ? origin : undefined;
}
