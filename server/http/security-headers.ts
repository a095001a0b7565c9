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

/** The headers of our own responses, names and values in turn. They never change, so helmet computes them once. */
export function securityHeaders(options: { production: boolean }): readonly string[] {
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
  return [...headers, 'Content-Security-Policy', policy("'self'"), 'Cache-Control', 'no-store'];
}

function headersOf(middleware: ReturnType<typeof helmet>): string[] {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  middleware(req, res, () => {});
  return Object.entries(res.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
}
