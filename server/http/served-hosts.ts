import { isIP } from 'node:net';
import { isLoopbackHost } from '../lib/networks.ts';

const REMEMBERED = 1000;
/** A host name (RFC 1035) with a port. */
const NAME_MAX = 255 + 6;

/**
 * Which `Host` values are served: the public origin's, the configured ones, `localhost` names, single-label names and
 * IP literals. Any other name is a DNS rebinding attack or a mistake. Case, port and a trailing dot are ignored.
 * @returns a test of a `Host` header, memoized since browsers keep sending the same one
 */
export function servedHosts(baseUrl: string, allowedHosts: readonly string[]): (host: string) => boolean {
  const named = new Set([new URL(baseUrl).hostname, ...allowedHosts].map((name) => name.replace(/\.$/, '')));
  const known = new Map<string, boolean>();

  function isServed(host: string): boolean {
    const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i.exec(host);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined || name === '0.0.0.0') return false;
    if (name.startsWith('[')) return isIP(name.slice(1, -1)) === 6 && !/^\[[0:]+\]$/.test(name);
    return named.has(name) || isIP(name) === 4 || isLoopbackHost(name) || !name.includes('.');
  }

  return (host) => {
    const remembered = known.get(host);
    if (remembered !== undefined) return remembered;
    const served = isServed(host);
    // Bounded in number and length: endless distinct names must not exhaust memory.
    if (known.size < REMEMBERED && host.length <= NAME_MAX) known.set(host, served);
    return served;
  };
}
