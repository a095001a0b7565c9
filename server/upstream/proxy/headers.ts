import type { IncomingMessage, OutgoingMessage } from 'node:http';

/** The name under which a cookie is read later: browsers send `=dashboard-session=x` back as `dashboard-session=x`. */
function nameOf(pair: string): string {
  const trimmed = pair.replace(/^[\s=]+/, '');
  const equals = trimmed.indexOf('=');
  return (equals < 0 ? trimmed : trimmed.slice(0, equals)).trim();
}

/**
 * Keeps the dashboard's cookies from the upstreams, and keeps upstreams from setting them.
 * @param names of the dashboard's cookies; case-sensitive, as cookies are (RFC 6265)
 */
export function ownCookies(names: readonly string[]) {
  const own = new Set(names);
  return {
    /** A `Cookie` header without them; undefined if nothing is left. */
    strip(header: string): string | undefined {
      if (!names.some((name) => header.includes(name))) return header;
      const kept = header.split(';').filter((pair) => !own.has(nameOf(pair)));
      const rest = kept.join(';').trim();
      return rest === '' ? undefined : rest;
    },
    /** Whether a `Set-Cookie` header sets one of them. */
    isSetBy: (header: string): boolean => own.has(nameOf(header.split(';', 1)[0] ?? '')),
  };
}

/** Forwarded in neither direction: they apply to a single connection (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Never sent to the upstream: set by us, handled here, or usable to impersonate others. */
const NEVER_UPSTREAM = new Set([
  ...HOP_BY_HOP,
  // W3C Baggage is data between the client's own systems.
  'baggage',
  'content-length',
  'dashboard-reason',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'ory-base-url-rewrite',
  'proxy',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-method-override',
  'x-ory-original-host',
  'x-real-ip',
  'x-request-id',
]);
/** Families of headers, and names with an underscore, since many servers read `X_Real_IP` as `X-Real-IP`. */
const NEVER_UPSTREAM_FAMILIES = /_|^(?:cf-|x-envoy-|x-forwarded|x-http-method|x-original-|x-rewrite-)/;

/** Never sent to the client: set by this service, or affecting the origin that serves the dashboard. */
const NEVER_CALLER = new Set([
  ...HOP_BY_HOP,
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'content-security-policy',
  'content-security-policy-report-only',
  'critical-ch',
  'cross-origin-opener-policy',
  'cross-origin-opener-policy-report-only',
  'cross-origin-resource-policy',
  'nel',
  'origin-agent-cluster',
  'referrer-policy',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'secure-session-registration',
  'server',
  'service-worker-allowed',
  'set-login',
  'speculation-rules',
  'strict-transport-security',
  'use-as-dictionary',
  'x-content-type-options',
  'x-request-id',
]);
/** CORS headers, and headers that tell a cache or web server in front what to store or which file to send instead. */
const NEVER_CALLER_FAMILIES =
  /^(?:access-control-|edge-control$|surrogate-|x-accel-|x-lighttpd-|x-litespeed-|x-sendfile)|cache-control$/;

/** The `traceparent` of W3C Trace Context, up to its flags. */
const TRACEPARENT = /^((?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-)([\da-f]{2})$/;

/**
 * Sets the sampled flag of the caller's trace, so that the upstream reports what happens in it.
 * @returns undefined if there is a `traceparent` that is not valid, or several
 */
export function sampled({ headers }: IncomingMessage): string | undefined {
  const [, ids, flags = ''] = TRACEPARENT.exec(String(headers['traceparent'])) ?? [];
  return ids && ids + (Number.parseInt(flags, 16) | 1).toString(16).padStart(2, '0');
}

/** Alternating header names and values, as in `rawHeaders`. */
export type HeaderList = string[];

export function appendHeaders(message: OutgoingMessage, headers: HeaderList): void {
  for (let index = 0; index < headers.length; index += 2)
    message.appendHeader(headers[index] as string, headers[index + 1] as string);
}

/** What to do with a header: its new value, or undefined to drop it. `name` is in lower case. */
type Rule = (name: string, value: string) => string | undefined;

/** The client's headers for the upstream; `rule` decides on what the lists allow. */
export const headersForUpstream = (req: IncomingMessage, rule: Rule): HeaderList =>
  filtered(req, (name) => NEVER_UPSTREAM.has(name) || NEVER_UPSTREAM_FAMILIES.test(name), rule);

/** The upstream's headers for the client. */
export const headersForCaller = (incoming: IncomingMessage, rule: Rule): HeaderList =>
  filtered(incoming, (name) => NEVER_CALLER.has(name) || NEVER_CALLER_FAMILIES.test(name), rule);

function filtered(message: IncomingMessage, isDropped: (name: string) => boolean, rule: Rule): HeaderList {
  const { rawHeaders: raw, headers } = message;
  // They apply to a single connection as well.
  const named = new Set(headers.connection?.split(',').map((name) => name.trim().toLowerCase()));
  const passing: HeaderList = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    if (isDropped(name) || named.has(name)) continue;
    const value = rule(name, raw[index + 1] as string);
    if (value !== undefined) passing.push(raw[index] as string, value);
  }
  return passing;
}
