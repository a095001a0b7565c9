import assert from 'node:assert/strict';
import express from 'express';
import supertest from 'supertest';
import { statisticsRouter } from '../../server/features/activity/statistics-router.ts';
import { rateLimit } from '../../server/http/rate-limit.ts';
import { type IdentityIndex, NothingRead, QuestionTooLong } from '../../server/identity-index/identity-index.ts';
import { setSession } from '../../server/session/current-session.ts';
import type { Session } from '../../server/session/session-token.ts';

describe('the statistics of an index that cannot answer', () => {
  const asked = (error: Error) => {
    const index = { numbers: () => Promise.reject(error) } as unknown as IdentityIndex;
    const app = express();
    app.use((_req, res, next) => {
      setSession(res, { sessionId: 'one' } as Session);
      next();
    });
    const total = async () => ({ total: 7, as_of: '2026-01-31T09:00:00.000Z' });
    app.use(statisticsRouter(index, total, rateLimit({ limit: 60, windowMs: 60_000, monotonic: () => 0 })));
    app.use(((_error, _req, res, _next) => void res.sendStatus(500)) as express.ErrorRequestHandler);
    return supertest(app).get('/');
  };

  for (const error of [new NothingRead('its file is not open yet'), new QuestionTooLong()])
    it(`are 200 and not known: ${error.constructor.name}`, async () => {
      const { status, body } = await asked(error);
      assert.equal(status, 200);
      assert.deepEqual(body, { identities: null, sessions: null, clients: null });
    });

  it('are an error where something else is wrong', async () => {
    assert.equal((await asked(new Error('a fault'))).status, 500);
  });
});
