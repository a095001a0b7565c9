import { createServer } from 'node:http';

/** Reads each body to its end and responds 204: an upstream for uploads. */
createServer((req, res) => {
  req.resume().once('end', () => res.writeHead(204).end());
}).listen(Number(process.env.PORT), '127.0.0.1');
