import { BlockList, isIP } from 'node:net';

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

/** Whether the text is one address or range in CIDR notation. */
export function isCidr(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone names an interface of one machine, and no range.
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/**
 * A fast test of addresses against CIDR ranges. IPv4 addresses in IPv6 form (`::ffff:10.0.0.1`) match their IPv4 range.
 * @param ranges valid CIDR ranges
 * @returns whether an address as Node reports it is inside; an absent or malformed one is outside
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
  const known = new Map<string, boolean>();
  return (address) => {
    if (address === undefined) return false;
    const remembered = known.get(address);
    if (remembered !== undefined) return remembered;
    const inside = isInside(address);
    // Bounded: whoever calls from ever new addresses must not fill the memory.
    if (known.size < 10_000) known.set(address, inside);
    return inside;
  };
}

/** IPv4 addresses in IPv6 form: `::ffff:0:0/96`. */
const MAPPED = 0xffff_0000_0000n;
const ALL_V4 = 1n << 32n;
const ALL_V6 = 1n << 128n;

/**
 * Whether the ranges together hold every IPv4 or every IPv6 address, however they are cut. An IPv6 range holds IPv4
 * addresses too, where the listener takes both.
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
  // URL writes an IPv6 address with hexadecimal groups only and its longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const left = groups(head);
  const right = groups(tail);
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** `localhost`, `*.localhost` and loopback addresses, as a URL's host name. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  (isIP(hostname) === 4 && hostname.startsWith('127.')) ||
  hostname === '[::1]';

const isPrivateAddress = networkTest(PRIVATE_NETWORKS);

/** Loopback, private addresses, and names that have no meaning outside (RFC 6762, RFC 9476), as a URL's host name. */
export const isPrivateHost = (hostname: string): boolean =>
  isLoopbackHost(hostname) ||
  !/[.:]/.test(hostname) ||
  /\.(?:internal|local)$/.test(hostname) ||
  isPrivateAddress(hostname.replace(/^\[|\]$/g, ''));
