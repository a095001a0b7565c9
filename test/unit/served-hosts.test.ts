import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { servedHosts } from '../../server/http/served-hosts.ts';

describe('the host names that are served', () => {
  it('are remembered in bounded memory, whatever names are sent', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const isServed = servedHosts('https://dashboard.example', []);
    const held = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    isServed('warm.up');
    const before = held();
    // As long as a header may be; then many of the length that a name may have.
    for (let index = 0; index < 900; index += 1) isServed(`${'x'.repeat(15_000)}.${index}`);
    for (let index = 0; index < 20_000; index += 1) isServed(`${'y'.repeat(240)}.${index}`);
    const grown = held() - before;
    assert.ok(grown < 2_000_000, `${grown} bytes`);
    assert.equal(isServed('dashboard.example'), true);
    assert.equal(isServed('y.example'), false);
  });
});
