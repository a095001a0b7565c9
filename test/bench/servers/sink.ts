import { createServer } from 'node:http';

/** An upstream for uploads, which reads each body to its end and responds 204. */
createServer((req, res) => {
  req.resume().once('end', () => res.writeHead(204).end());
}).listen(Number(process.env.PORT), '127.0.0.1');
