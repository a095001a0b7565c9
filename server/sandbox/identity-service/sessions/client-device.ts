import { BlockList, isIP } from 'node:net';
import type { Call } from '../../http/call.ts';
import type { Device } from './session-store.ts';

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix);
for (const [network, prefix] of [
  ['fc00::', 7],
  ['fe80::', 10],
  ['::1', 128],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

/** The device of a request as Kratos determines it: from proxy headers first, then from the socket, with its port. */
export function deviceOf({ headers, peer }: Pick<Call, 'headers' | 'peer'>): Omit<Device, 'id'> {
  const header = (name: string) => [headers[name] ?? []].flat()[0];
  const [city, country] = [header('cf-ipcity'), header('cf-ipcountry')];
  return {
    ip_address: header('true-client-ip') ?? header('x-real-ip') ?? forwardedFor(header('x-forwarded-for')) ?? peer,
    user_agent: header('user-agent') ?? null,
    location: [city, country].filter(Boolean).join(', '),
  };
}

/** The rightmost public address. */
function forwardedFor(list: string | undefined): string | undefined {
  return list
    ?.split(',')
    .map((address) => address.trim())
    .findLast((address) => isIP(address) !== 0 && !PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
}
