import { createServer } from 'node:http';

/** Bare node:http with a constant response, which is the reference for requests to our own handlers. */
const { PORT, RESPONSE = '{"status":200,"headers":[],"body":""}' } = process.env;
const { status, headers, body } = JSON.parse(RESPONSE) as { status: number; headers: string[]; body: string };

createServer((_req, res) => {
  res.writeHead(status, headers);
  res.end(body);
}).listen(Number(PORT), '127.0.0.1');
