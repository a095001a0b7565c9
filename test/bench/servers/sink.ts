import { createServer } from 'node:http';

/** Reads bodies to their end and answers 204: an upstream for uploads. */
createServer((req, res) => {
  req.resume().once('end', () => res.writeHead(204).end());
}).listen(Number(process.env.PORT), '127.0.0.1');
