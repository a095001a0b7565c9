import { Agent, createServer } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

/** http-proxy-middleware with a keep-alive agent in plain Express, which is the reference for our proxies. */
const { PORT, UPSTREAM = '' } = process.env;
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(
  '/api/identity-admin',
  createProxyMiddleware({ target: UPSTREAM, agent: new Agent({ keepAlive: true, maxSockets: 128 }) }),
);
createServer(app).listen(Number(PORT), '127.0.0.1');
