import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

const policy = (style: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

/** The policy of the app's page, whose styles carry this nonce. */
export const shellPolicy = (nonce: string): string => policy(`'self' 'nonce-${nonce}'`);

/** The headers of every response. Only the built assets replace some of them. */
export function securityHeaders(options: { production: boolean }): ReadonlyMap<string, string> {
  const middleware = helmet({
    contentSecurityPolicy: false,
    strictTransportSecurity: options.production,
    referrerPolicy: { policy: 'no-referrer' },
    // This header is superseded by frame-ancestors; the others below are for obsolete browsers.
    frameguard: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    originAgentCluster: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  });
  // The headers never change, so helmet runs once, on a response that is never sent.
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  middleware(res.req, res, () => {});
  return new Map([
    ...Object.entries(res.getHeaders()).map(([name, value]): [string, string] => [name, String(value)]),
    ['Content-Security-Policy', policy("'self'")],
    ['Cache-Control', 'no-store'],
  ]);
}
