import { isIP } from 'node:net';
import { networkTest, PRIVATE_NETWORKS } from '../lib/networks.ts';

/** Addresses without a location: private, loopback, link-local, carrier-grade NAT (RFC 6598) and unspecified ones. */
export const isPrivate = networkTest([...PRIVATE_NETWORKS, '100.64.0.0/10', '0.0.0.0/8', '::/128']);

/** Whether a text is an address without port, brackets or zone (`isIP` accepts a zone). */
export const isBareAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

/**
 * Extracts the address from a logged peer: `203.0.113.7:51234`, `[2001:db8::1]:443`, `fe80::1%eth0`.
 * @returns undefined if there is none
 */
export function addressIn(text: string): string | undefined {
  const host = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = host.replace(/%.*$/s, '');
  return isIP(address) === 0 ? undefined : address;
}
