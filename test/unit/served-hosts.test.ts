import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { servedHosts } from '../../server/http/server.ts';

describe('the served host names', () => {
  it('are those of the configuration, with or without a final dot, names without a domain, and IP addresses', () => {
    const isServed = servedHosts('https://dashboard.example:8443', ['inside.example.', 'other.example']);
    for (const host of [
      'dashboard.example',
      'dashboard.example.:443',
      'INSIDE.example',
      'inside.example.',
      'other.example',
    ])
      assert.equal(isServed(host), true, host);
    for (const host of [
      'dashboard.example..',
      'x.inside.example',
      '0.0.0.0',
      '[::]',
      '[0:0:0:0:0:0:0:0]:80',
      '[::::]',
      '[1.2.3.4]',
      '[::1',
      '::1',
      '[::1]x',
      'dashboard.example:123456',
    ])
      assert.equal(isServed(host), false, host);
    for (const host of ['[::1]', '[2001:db8::7]:80', '192.0.2.7', 'x.localhost', 'dashboard:80'])
      assert.equal(isServed(host), true, host);
  });

  it('are cached in bounded memory, whatever names are sent', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const isServed = servedHosts('https://dashboard.example', []);
    const usedBytes = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    isServed('warm.up');
    const before = usedBytes();
    // Names as long as a header may be, then many as long as a name may be.
    for (let index = 0; index < 900; index += 1) isServed(`${'x'.repeat(15_000)}.${index}`);
    for (let index = 0; index < 20_000; index += 1) isServed(`${'y'.repeat(240)}.${index}`);
    const growth = usedBytes() - before;
    assert.ok(growth < 2_000_000, `${growth} bytes`);
    assert.equal(isServed('dashboard.example'), true);
    assert.equal(isServed('y.example'), false);
  });
});
