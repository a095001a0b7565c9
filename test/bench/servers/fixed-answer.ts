import { createServer } from 'node:http';

/** Bare node:http with one answer: the measure for what stands in front of our own handlers. */
const { PORT, ANSWER = '{"status":200,"headers":[],"body":""}' } = process.env;
const { status, headers, body } = JSON.parse(ANSWER) as { status: number; headers: string[]; body: string };

createServer((_req, res) => {
  res.writeHead(status, headers);
  res.end(body);
}).listen(Number(PORT), '127.0.0.1');
