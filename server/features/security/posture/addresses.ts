import type { Config } from '../../../config/config.ts';
import { isLoopbackHost, isPrivateHost } from '../../../lib/networks.ts';
import { type Check, type Finding, fail, gravest, pass, warn } from './check.ts';

const CERTIFICATE = 'Put a reverse proxy with a certificate in front of it';

/** What travels between browsers, this service and the OAuth server, and how. */
export const addressChecks = (config: Pick<Config, 'baseUrl' | 'secureCookies' | 'auth'>): Check[] => [
  {
    id: 'cookie_secure',
    title: 'Session cookie',
    why: 'Without “Secure” a browser sends the session over plain http too, where anybody along the way can read it.',
    look: async () => {
      if (config.secureCookies) return pass('The cookie is Secure, HttpOnly and SameSite=Strict.');
      const action = 'Set BASE_URL to an https address.';
      return isLoopbackHost(new URL(config.baseUrl).hostname)
        ? warn('The cookie is not Secure; the dashboard is for this machine alone.', action)
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
      return gravest([overTls(url, 'AUTH_URL', action), internally(internalUrl)], pass('AUTH_URL is https.'));
    },
  },
];

function overTls(url: string, name: string, action: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return pass(`${name} is https.`);
  return isLoopbackHost(hostname)
    ? warn(`${name} is plain http on this machine, which is fine for trying things out.`, action)
    : fail(`${name} is plain http.`, action);
}

/** Behind the firewall plain http is usual; across the public net tokens would go in the clear. */
function internally(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isPrivateHost(hostname))
    return pass('Tokens do not leave the private network in the clear.');
  return warn('AUTH_INTERNAL_URL is plain http to a public name.', 'Use https, or an address inside the network.');
}
