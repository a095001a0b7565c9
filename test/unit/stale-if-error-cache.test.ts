import assert from 'node:assert/strict';
import { staleIfErrorCache } from '../../server/settings/cache.ts';

/** A source whose loads the test settles. */
function source() {
  const loads: { resolve: (value: string) => void; fail: (error: Error) => void }[] = [];
  const load = (): Promise<string> =>
    new Promise((resolve, fail) => {
      loads.push({ resolve, fail });
    });
  return { loads, load };
}

const outage = new Error('outage');

describe('the stale-if-error cache', () => {
  function cacheOf(load: (key: string) => Promise<string>, ttlMs = 100) {
    const clock = { now: 0 };
    const outages: boolean[] = [];
    const cache = staleIfErrorCache({
      load,
      ttlMs,
      monotonic: () => clock.now,
      isOutage: (error) => error === outage,
      onOutage: (begins) => outages.push(begins),
    });
    return { cache, clock, outages };
  }

  it('does not cache a value that was loading when its key was forgotten', async () => {
    const { loads, load } = source();
    const { cache } = cacheOf(load);
    const before = cache.get('a');
    cache.forget((key) => key === 'a');
    const after = cache.get('a');
    loads[1]?.resolve('new');
    assert.equal(await after, 'new');
    loads[0]?.resolve('old');
    assert.equal(await before, 'old');
    assert.equal(await cache.get('a'), 'new');
  });

  it('serves the last value at once during an outage, and tries every five seconds to load a new one', async () => {
    const { loads, load } = source();
    const { cache, clock, outages } = cacheOf(load);
    const first = cache.get('a');
    loads[0]?.resolve('one');
    await first;
    clock.now = 100;
    const second = cache.get('a');
    loads[1]?.fail(outage);
    assert.equal(await second, 'one');
    assert.equal(await cache.get('a'), 'one');
    assert.equal(loads.length, 2);
    clock.now += 5_000;
    assert.equal(await cache.get('a'), 'one', 'while the third load is pending');
    assert.equal(loads.length, 3);
    loads[2]?.resolve('two');
    await new Promise(setImmediate);
    assert.equal(await cache.get('a'), 'two');
    assert.deepEqual(outages, [true, false]);
  });

  it('rejects with an error that is not an outage, and no longer serves the last value', async () => {
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
    fault = outage;
    await assert.rejects(cache.get('a'), outage, 'nor in an outage after it');
  });

  it('loads values again after it is expired, and does not cache one that was loading at that time', async () => {
    const { loads, load } = source();
    const { cache } = cacheOf(load);
    const first = cache.get('a');
    loads[0]?.resolve('one');
    await first;
    const loading = cache.get('b');
    cache.expire();
    const after = [cache.get('a'), cache.get('b')];
    assert.equal(loads.length, 4);
    for (const { resolve } of loads.slice(2)) resolve('new');
    assert.deepEqual(await Promise.all(after), ['new', 'new']);
    loads[1]?.resolve('old');
    assert.equal(await loading, 'old');
    assert.deepEqual([await cache.get('a'), await cache.get('b')], ['new', 'new']);
  });
});
