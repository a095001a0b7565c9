// A thread that sends requests one after the other over one connection, and is the upstream of those that are proxied.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { parentPort } from 'node:worker_threads';

const BODY = '{"id":"9f425a8d-7efc-4768-8f23-7647a74fdf13","state":"active"}';

const upstream = createServer((req, res) => {
  req.resume().once('end', () => {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': BODY.length }).end(BODY);
  });
}).listen(0, '127.0.0.1', () => parentPort.postMessage(upstream.address().port));

parentPort.on('message', ({ port, request, times }) => {
  let left = times;
  let text = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(request));
  socket.setEncoding('latin1');
  socket.on('error', (error) => parentPort.postMessage(String(error)));
  socket.on('data', (data) => {
    text += data;
    const end = text.indexOf('\r\n\r\n') + 4;
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1]);
    if (end < 4 || text.length < end + length) return;
    const status = text.slice(9, 12);
    text = '';
    left -= 1;
    if (left > 0) socket.write(request);
    else socket.end(() => parentPort.postMessage(status));
  });
});
