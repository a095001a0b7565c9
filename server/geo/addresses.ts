import { isIP } from 'node:net';
import { networkTest, PRIVATE_NETWORKS } from '../lib/networks.ts';

/** Addresses that no database places: private, loopback and link-local ones, carriers' own (RFC 6598), and none at all. */
export const isPrivate = networkTest([...PRIVATE_NETWORKS, '100.64.0.0/10', '0.0.0.0/8', '::/128']);

/** Whether a text is an address and nothing else: no port, brackets or zone, which `isIP` would let pass. */
export const isBareAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

/**
 * The bare address in what servers write down of a peer: `203.0.113.7:51234`, `[2001:db8::1]:443`, `fe80::1%eth0`.
 * @returns undefined where none is in it
 */
export function addressIn(text: string): string | undefined {
  const host = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = host.replace(/%.*$/s, '');
  return isIP(address) === 0 ? undefined : address;
}
