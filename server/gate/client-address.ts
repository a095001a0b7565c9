import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Express, Request } from 'express';
import type { Config } from '../config/config.ts';
import type { Log } from '../log/log.ts';
import { logThrottle } from '../log/log-throttle.ts';

type Trust = Pick<Config, 'trustProxy'>;

/** Configures Express' `trust proxy` from `TRUST_PROXY`. */
export function trustProxies(app: Express, { trustProxy }: Trust): Express {
  if (trustProxy === undefined) return app;
  app.set('trust proxy', trustProxy);
  return app.use((req, _res, next) => {
    dropPorts(req.headers);
    next();
  });
}

const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i;

/** Some proxies name a port, too (`203.0.113.7:51234`, `[2001:db8::7]:443`), which would make the address no address. */
export function dropPorts(headers: IncomingHttpHeaders): void {
  const { 'x-forwarded-for': named } = headers;
  if (typeof named !== 'string' || !named.includes(':')) return;
  const addresses = named.split(',').map((part) => {
    const [text, v6, v4] = WITH_PORT.exec(part.trim()) ?? [part.trim()];
    return v6 ?? v4 ?? text;
  });
  headers['x-forwarded-for'] = addresses.join(', ');
}

/**
 * The client's address as far as trusted proxies vouch for it; without them the peer's. A trusted proxy that names none,
 * which makes all who come through it one client, is logged.
 * @param now milliseconds on a monotonic clock
 */
export function clientAddresses(
  { trustProxy }: Trust,
  log: Log,
  now: () => number,
): (req: Request) => string | undefined {
  // Express need not walk the headers.
  if (trustProxy === undefined) return (req) => req.socket.remoteAddress;
  const noteUnnamed = logThrottle(
    (message) => log.warn({ variable: 'TRUST_PROXY', header: 'x-forwarded-for' }, message),
    now,
  );
  return (req) => {
    const { remoteAddress: peer } = req.socket;
    // A proxy may pass on arbitrary text.
    const named = req.ips.length > 0 && isIP(req.ip ?? '') !== 0 ? req.ip : undefined;
    const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
    if (named === undefined && peer !== undefined && isTrusted(peer, 0))
      noteUnnamed('a trusted proxy names no address of its client: all who come through it count as one');
    return named ?? peer;
  };
}
