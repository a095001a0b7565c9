import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expressPrototypes } from '../../server/http/express-prototypes.ts';

describe('prebuilt prototypes', () => {
  it('are those of the app before Express sees the request, so that its swap changes nothing', async () => {
    const app = express();
    let swaps: boolean | undefined;
    const server = createServer({ ...expressPrototypes(app) }, (req, res) => {
      swaps = Object.getPrototypeOf(req) !== app.request || Object.getPrototypeOf(res) !== app.response;
      app(req, res);
    });
    app.get('/', (req, res) => {
      assert.equal(Object.getPrototypeOf(req), app.request);
      res.json({ fresh: req.fresh, path: req.path });
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    assert.deepEqual(await answer.json(), { fresh: false, path: '/' });
    assert.equal(swaps, false);
    server.closeAllConnections();
    server.close();
  });
});
