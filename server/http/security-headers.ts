import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
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

/** Sets the headers of our own responses. They never change, so helmet computes them once. */
export function securityHeaders(options: { production: boolean }): RequestHandler {
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: false,
      strictTransportSecurity: options.production,
      referrerPolicy: { policy: 'no-referrer' },
      // Superseded by frame-ancestors; the others below are for obsolete browsers.
      frameguard: false,
      dnsPrefetchControl: false,
      ieNoOpen: false,
      originAgentCluster: false,
      permittedCrossDomainPolicies: false,
      xssFilter: false,
    }),
  );
  // Only the built assets override the last one.
  headers.push(['Content-Security-Policy', policy("'self'")], ['Cache-Control', 'no-store']);
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

function headersOf(middleware: ReturnType<typeof helmet>): [string, string][] {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  middleware(req, res, () => {});
  return Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]);
}
