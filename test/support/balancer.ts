import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, head } from './raw-client.ts';

/** What stands in front of replicas: it passes requests in turn to those whose health is good. */
export interface Balancer {
  port: number;
  /** Ports of replicas, which may change. */
  replicas: number[];
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 500;

/** Listens on loopback. A reading request whose replica dies goes to another one; a writing one is answered with 502. */
export async function startBalancer(port: number, replicas: number[]): Promise<Balancer> {
  let healthy = [...replicas];
  let turn = 0;
  let over = false;

  function pass(req: IncomingMessage, res: ServerResponse, tries = 3): void {
    turn += 1;
    const target = healthy[turn % healthy.length];
    const to = request({ host: '127.0.0.1', port: target, method: req.method, path: req.url, headers: req.headers });
    to.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.on('error', () => res.destroy());
      answer.pipe(res);
    });
    to.on('error', () => {
      healthy = healthy.filter((each) => each !== target);
      if (res.headersSent) res.destroy();
      else if (req.method === 'GET' && tries > 0 && healthy.length > 0) pass(req, res, tries - 1);
      else res.writeHead(502).end();
    });
    req.pipe(to);
  }
  const server = createServer((req, res) => pass(req, res)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const isHealthy = (each: number): Promise<boolean> =>
    ask(each, head('GET /api/health')).then(
      ({ status }) => status === 200,
      () => false,
    );
  const balancer: Balancer = {
    port,
    replicas,
    async close() {
      over = true;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, looking]);
    },
  };
  async function look(): Promise<void> {
    while (!over) {
      const states = await Promise.all(balancer.replicas.map(async (each) => ({ each, good: await isHealthy(each) })));
      healthy = states.filter(({ good }) => good).map(({ each }) => each);
      await sleep(LOOK_EVERY_MS);
    }
  }
  const looking = look();
  return balancer;
}
