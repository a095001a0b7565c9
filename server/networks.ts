import { BlockList, isIP } from 'node:net';
import { BoundedMap } from './caches.ts';

/** Loopback, private and link-local ranges (RFC 1918, RFC 4193, RFC 3927, RFC 4291). */
export const PRIVATE_NETWORKS: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/** Whether a text is an address or a range in CIDR notation. */
export function isCidr(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone refers to an interface of one machine.
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/**
 * Tests addresses against CIDR ranges quickly. IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) match their IPv4 range.
 * @returns whether an address is in a range; false for an absent or malformed one
 */
export function networkTest(ranges: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, length === undefined ? (family === 'ipv6' ? 128 : 32) : Number(length), family);
  }
  const isInside = (address: string): boolean => {
    const plain = address.replace(/%.*$/s, '');
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
  const cache = new BoundedMap<string, boolean>(10_000);
  return (address) => {
    if (address === undefined) return false;
    const inside = cache.get(address) ?? isInside(address);
    cache.set(address, inside);
    return inside;
  };
}

/** The IPv4-mapped range `::ffff:0:0/96`. */
const MAPPED = 0xffff_0000_0000n;
const ALL_V4 = 1n << 32n;
const ALL_V6 = 1n << 128n;

/**
 * Whether the ranges together cover every IPv4 or every IPv6 address, however they are split. An IPv6 range also covers
 * IPv4 addresses if the listener accepts both.
 */
export function coversEverything(ranges: readonly string[]): boolean {
  const spans = ranges
    .map((range) => {
      const [address = '', length] = range.split('/');
      const family = isIP(address);
      const bits = family === 4 ? 32n : 128n;
      const size = 1n << (bits - BigInt(length ?? bits));
      const start = (toNumber(address, family) / size) * size + (family === 4 ? MAPPED : 0n);
      return { start, end: start + size };
    })
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  const covers = (from: bigint, to: bigint): boolean => {
    let next = from;
    for (const { start, end } of spans) if (start <= next && end > next) next = end;
    return next >= to;
  };
  return covers(MAPPED, MAPPED + ALL_V4) || covers(0n, ALL_V6);
}

function toNumber(address: string, family: number): bigint {
  if (family === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  // URL normalises an IPv6 address to hexadecimal groups, with its longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const left = groups(head);
  const right = groups(tail);
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/**
 * An IPv4-mapped IPv6 address (`::ffff:198.51.100.7`, RFC 4291, section 2.5.5.2) as IPv4; any other address unchanged.
 * @param address a bare address
 */
export function withoutMapping(address: string): string {
  // With a zone, it is a link-local IPv6 address.
  if (!/:ffff:/i.test(address) || address.includes('%')) return address;
  // URL normalises every spelling of an IPv6 address to hexadecimal groups.
  const groups = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname);
  if (groups === null) return address;
  const [high, low] = [Number.parseInt(groups[1] ?? '', 16), Number.parseInt(groups[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** A bare address as one text, however it is spelled: an IPv4-mapped one as IPv4. */
export function canonicalAddress(address: string): string {
  const plain = withoutMapping(address);
  return plain.includes(':') ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain;
}

/**
 * The key by which callers share limits: IPv4 addresses (including mapped ones) individually, IPv6 addresses by their
 * /64, which has a single owner (RFC 4291, section 2.5.4). Anything else is its own key.
 */
export function peerKey(address: string): string {
  const bare = address.replace(/%.*$/s, '');
  if (isIP(bare) !== 6) return address;
  const plain = withoutMapping(bare);
  return isIP(plain) === 4 ? plain : `${(toNumber(plain, 6) >> 64n).toString(16)}/64`;
}

/** Whether a URL's host name is `localhost`, `*.localhost` or a loopback address. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  (isIP(hostname) === 4 && hostname.startsWith('127.')) ||
  hostname === '[::1]';

/** An https URL without credentials, or an http one on loopback; undefined for anything else. */
export function safeUrl(value: unknown): URL | undefined {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isSafe && url.username === '' && url.password === '' ? url : undefined;
}

/** The same for a listen address, where IPv6 has no brackets. */
export const isLoopbackAddress = (host: string): boolean => isLoopbackHost(host) || host === '::1';

/** Whether a reverse proxy is in front: trusted proxies are configured, or the public address is not loopback. */
export const isFronted = (config: { baseUrl: string; trustProxy: unknown }): boolean =>
  config.trustProxy !== undefined || !isLoopbackHost(new URL(config.baseUrl).hostname);

const isPrivateAddress = networkTest(PRIVATE_NETWORKS);

/** Whether a URL's host name is loopback, a private address, or a name without meaning on the internet (RFC 6762, RFC 9476). */
export const isPrivateHost = (hostname: string): boolean =>
  isLoopbackHost(hostname) ||
  !/[.:]/.test(hostname) ||
  /\.(?:internal|local)$/.test(hostname) ||
  isPrivateAddress(hostname.replace(/^\[|\]$/g, ''));
