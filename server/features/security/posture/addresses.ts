import type { Config } from '../../../config/config.ts';
import { isLoopbackHost, isPrivateHost } from '../../../lib/networks.ts';
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
