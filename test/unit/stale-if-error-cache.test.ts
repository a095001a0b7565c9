import assert from 'node:assert/strict';
import { staleIfErrorCache } from '../../server/settings/cache.ts';

/** A source whose answers are given by hand. */
function source() {
  const asked: { key: string; response: (value: string) => void; fail: (error: Error) => void }[] = [];
  const load = (key: string): Promise<string> =>
    new Promise((response, fail) => {
      asked.push({ key, response, fail });
    });
  return { asked, load };
}

const away = new Error('away');

describe('a stale-if-error cache', () => {
  function cacheOf(load: (key: string) => Promise<string>, ttlMs = 100) {
    const clock = { now: 0 };
    const outages: boolean[] = [];
    const cache = staleIfErrorCache({
      load,
      ttlMs,
      monotonic: () => clock.now,
      isOutage: (error) => error === away,
      onOutage: (begins) => outages.push(begins),
    });
    return { cache, clock, outages };
  }

  it('does not keep an answer that was under way when it was told to forget', async () => {
    const { asked, load } = source();
    const { cache } = cacheOf(load);
    const before = cache.get('a');
    cache.forget((key) => key === 'a');
    const after = cache.get('a');
    asked[1]?.response('new');
    assert.equal(await after, 'new');
    asked[0]?.response('old');
    assert.equal(await before, 'old');
    assert.equal(await cache.get('a'), 'new');
  });

  it('serves the last answer during an outage, asks again from time to time, and nobody waits', async () => {
    const { asked, load } = source();
    const { cache, clock, outages } = cacheOf(load);
    const first = cache.get('a');
    asked[0]?.response('one');
    await first;
    clock.now = 100;
    const second = cache.get('a');
    asked[1]?.fail(away);
    assert.equal(await second, 'one');
    assert.equal(await cache.get('a'), 'one');
    assert.equal(asked.length, 2);
    clock.now += 5_000;
    assert.equal(await cache.get('a'), 'one', 'while the third question is open');
    assert.equal(asked.length, 3);
    asked[2]?.response('two');
    await new Promise(setImmediate);
    assert.equal(await cache.get('a'), 'two');
    assert.deepEqual(outages, [true, false]);
  });

  it('passes on errors that are no outage, and does not serve the last answer instead', async () => {
    let fault: Error | undefined;
    const { cache, clock, outages } = cacheOf(async () => {
      if (fault) throw fault;
      return 'one';
    });
    assert.equal(await cache.get('a'), 'one');
    clock.now = 100;
    fault = new Error('a fault');
    await assert.rejects(cache.get('a'), fault);
    assert.deepEqual(outages, []);
    fault = away;
    await assert.rejects(cache.get('a'), away, 'nor in an outage after it');
  });

  it('reads anew what has expired, and keeps no answer that was under way then', async () => {
    const { asked, load } = source();
    const { cache } = cacheOf(load);
    const first = cache.get('a');
    asked[0]?.response('one');
    await first;
    const under = cache.get('b');
    cache.expire();
    const after = [cache.get('a'), cache.get('b')];
    assert.equal(asked.length, 4);
    for (const { response } of asked.slice(2)) response('new');
    assert.deepEqual(await Promise.all(after), ['new', 'new']);
    asked[1]?.response('old');
    assert.equal(await under, 'old');
    assert.deepEqual([await cache.get('a'), await cache.get('b')], ['new', 'new']);
  });
});
