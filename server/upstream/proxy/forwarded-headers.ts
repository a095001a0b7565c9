/** Never to the upstream, nor to the caller: they belong to one connection (RFC 9110, section 7.6.1). */
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

/** Never to the upstream: set afresh, answered here, or a way to speak for somebody else. */
const NEVER_UPSTREAM = new Set([
  ...HOP_BY_HOP,
  'content-length',
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
/** Whole families, and names with an underscore: many servers read `X_Real_IP` as `X-Real-IP`. */
const NEVER_UPSTREAM_FAMILIES = /_|^(?:cf-|x-envoy-|x-forwarded|x-http-method|x-original-|x-rewrite-)/;

/** Never to the caller: set by this service, or of effect on the origin that serves the dashboard. */
const NEVER_CALLER = new Set([
  ...HOP_BY_HOP,
  'accept-ch',
  'alt-svc',
  'cache-control',
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
  'x-accel-redirect',
  'x-content-type-options',
  'x-request-id',
  'x-sendfile',
]);
const NEVER_CALLER_FAMILIES = /^access-control-/;

/** Names and values of a message, in the spelling of their first appearance; repeated ones as a list. */
export type Headers = Record<string, string | string[]>;

/** What to do with one header: its new value, or undefined to leave it out. `name` is in lower case. */
type Rule = (name: string, value: string) => string | undefined;

/** The caller's headers as the upstream may see them; `rule` decides on what the lists let through. */
export const headersForUpstream = (raw: readonly string[], rule: Rule): Headers =>
  filtered(raw, (name) => NEVER_UPSTREAM.has(name) || NEVER_UPSTREAM_FAMILIES.test(name), rule);

/** The upstream's headers as the caller may see them. */
export const headersForCaller = (raw: readonly string[], rule: Rule): Headers =>
  filtered(raw, (name) => NEVER_CALLER.has(name) || NEVER_CALLER_FAMILIES.test(name), rule);

function filtered(raw: readonly string[], isDropped: (name: string) => boolean, rule: Rule): Headers {
  // Without a prototype: a header may be called `__proto__`.
  const headers: Headers = Object.create(null);
  const spellings = new Map<string, string>();
  const named = namedByConnection(raw);
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    if (isDropped(name) || named?.has(name)) continue;
    const value = rule(name, raw[index + 1] as string);
    if (value === undefined) continue;
    const spelling = spellings.get(name);
    if (spelling === undefined) {
      spellings.set(name, raw[index] as string);
      headers[raw[index] as string] = value;
    } else {
      const held = headers[spelling] as string | string[];
      headers[spelling] = typeof held === 'string' ? [held, value] : [...held, value];
    }
  }
  return headers;
}

/** The headers that `Connection` lists are hop-by-hop too; undefined in the usual case of none. */
function namedByConnection(raw: readonly string[]): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    for (const part of (raw[index + 1] as string).split(',')) {
      const listed = part.trim().toLowerCase();
      if (listed === 'close' || listed === 'keep-alive') continue;
      named ??= new Set();
      named.add(listed);
    }
  }
  return named;
}
