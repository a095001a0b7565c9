import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

/** undici's `dispatch` piped to the answer without any rule: how fast Node can proxy at all. */
const { PORT, UPSTREAM = '' } = process.env;
const pool = new Pool(UPSTREAM, { connections: 128, pipelining: 1 });

function pass(req: IncomingMessage, res: ServerResponse): void {
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  const { host: _host, connection: _connection, expect: _expect, ...headers } = req.headers;
  pool.dispatch(
    { method: req.method as 'GET', path: req.url ?? '/', headers, body: hasBody ? req : null },
    {
      onRequestStart() {},
      onResponseStart(controller, status, answered) {
        delete answered.connection;
        delete answered['transfer-encoding'];
        res.writeHead(status, answered as Record<string, string | string[]>);
        res.on('drain', () => controller.resume());
      },
      onResponseData(controller, chunk) {
        if (!res.write(chunk)) controller.pause();
      },
      onResponseEnd() {
        res.end();
      },
      onResponseError() {
        res.destroy();
      },
    },
  );
}

createServer(pass).listen(Number(PORT), '127.0.0.1');
