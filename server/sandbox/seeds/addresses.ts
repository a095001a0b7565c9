import type { Random } from './random.ts';

/** A random address in a network: `a.b.c.d/n`, or the first three groups of an IPv6 network. */
export function addressIn(network: string, random: Random): string {
  if (network.includes(':')) {
    const groups = Array.from({ length: 5 }, () => random.below(0x10000).toString(16));
    return `${network}:${groups.join(':')}`;
  }
  const [base = '', prefix = '32'] = network.split('/');
  const [a = 0, b = 0, c = 0, d = 0] = base.split('.').map(Number);
  const start = ((a * 256 + b) * 256 + c) * 256 + d;
  const size = 2 ** (32 - Number(prefix));
  // Neither the network address nor the broadcast address.
  const host = random.below(size / 256) * 256 + 1 + random.below(254);
  const value = start + host;
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
}
