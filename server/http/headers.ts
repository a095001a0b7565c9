import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import { stateOf } from './request-log.ts';

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

type WriteHead = (this: ServerResponse, status: number, ...rest: unknown[]) => ServerResponse;
type Given = OutgoingHttpHeaders | readonly OutgoingHttpHeader[] | undefined;

/**
 * Makes every response of these prototypes carry our own headers and its request's id. They join when the head is
 * written, in one list: set one by one, each would be validated, stored and looked up. A header of the response itself
 * replaces ours of the same name, in any case.
 * @param own names and values in turn
 */
export function addOwnHeaders(prototype: ServerResponse, own: readonly string[]): void {
  const writeHead = prototype.writeHead as WriteHead;
  const ours = new Set(own.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));

  /** Ours without those that the response gives itself, and `X-Request-Id`; then the given ones. */
  function joined(requestId: string, given: readonly OutgoingHttpHeader[]): OutgoingHttpHeader[] {
    let replaced: Set<string> | undefined;
    for (let index = 0; index < given.length; index += 2) {
      const name = String(given[index]).toLowerCase();
      if (!ours.has(name)) continue;
      replaced ??= new Set();
      replaced.add(name);
    }
    const list: OutgoingHttpHeader[] = ['X-Request-Id', requestId];
    for (let index = 0; index < own.length; index += 2)
      if (replaced === undefined || !replaced.has((own[index] as string).toLowerCase()))
        list.push(own[index] as string, own[index + 1] as string);
    for (const part of given) list.push(part);
    return list;
  }

  const replacement: WriteHead = function (status, ...rest) {
    const id = stateOf(this)?.requestId;
    if (id === undefined) return writeHead.call(this, status, ...rest);
    if (this.getHeaderNames().length > 0) {
      // Some were set before: Node then wants all of them set, and lets those of the call replace them.
      this.setHeader('X-Request-Id', id);
      for (let index = 0; index < own.length; index += 2)
        if (!this.hasHeader(own[index] as string)) this.setHeader(own[index] as string, own[index + 1] as string);
      return writeHead.call(this, status, ...rest);
    }
    const headers = joined(id, listed(rest.at(-1) as Given | string));
    return typeof rest[0] === 'string'
      ? writeHead.call(this, status, rest[0], headers)
      : writeHead.call(this, status, headers);
  };
  prototype.writeHead = replacement as ServerResponse['writeHead'];
}

/** Names and values in turn. */
function listed(given: Given | string): readonly OutgoingHttpHeader[] {
  if (given === undefined || typeof given === 'string') return [];
  return Array.isArray(given)
    ? given
    : Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}
