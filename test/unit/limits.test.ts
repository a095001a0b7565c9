import assert from 'node:assert/strict';
import { ApiError } from '../../server/http/errors.ts';
import { rateLimit } from '../../server/http/limits.ts';

const MINUTE = 60_000;

describe('a rate limit', () => {
  const refusedFor = (seconds: string) => (error: unknown) =>
    error instanceof ApiError && error.status === 429 && error.headers['Retry-After'] === seconds;

  it('allows so many uses in any window, and says when the next one is possible', () => {
    let now = 0;
    const limit = rateLimit({ limit: 3, windowMs: MINUTE, monotonic: () => now });
    for (const at of [0, 20_000, 40_000]) {
      now = at;
      limit.use('ada');
    }
    assert.throws(() => limit.use('ada'), refusedFor('20'));
    now = 59_999;
    assert.throws(() => limit.use('ada'), refusedFor('1'));
    now = 60_000;
    limit.use('ada');
    assert.throws(() => limit.use('ada'), refusedFor('20'));
  });

  it('does not count what it refused', () => {
    let now = 0;
    const limit = rateLimit({ limit: 1, windowMs: MINUTE, monotonic: () => now });
    limit.use('ada');
    for (now = 1_000; now < MINUTE; now += 1_000) assert.throws(() => limit.use('ada'));
    limit.use('ada');
  });

  it('keeps counting a busy user among very many others', () => {
    const limit = rateLimit({ limit: 2, windowMs: MINUTE, monotonic: () => 0 });
    limit.use('ada');
    for (let index = 0; index < 5_000; index += 1) limit.use(`other-${index}`);
    limit.use('ada');
    for (let index = 5_000; index < 14_000; index += 1) limit.use(`other-${index}`);
    assert.throws(() => limit.use('ada'));
  });
});
