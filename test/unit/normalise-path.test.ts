import assert from 'node:assert/strict';
import { canonicalTarget } from '../../server/gate/normalise-path.ts';

describe('the canonical target', () => {
  const plain: [string, string][] = [
    ['/api/settings', '/api/settings'],
    ['/api/../api/settings', '/api/settings'],
    ['/api/./settings/', '/api/settings'],
    ['//api///settings', '/api/settings'],
    ['/%61pi/%73ettings', '/api/settings'],
    ['/api/auth/%2e%2E/settings', '/api/settings'],
    ['/api/settings/a%20b', '/api/settings/a%20b'],
    ['/api/settings/%E2%82%AC', '/api/settings/%E2%82%AC'],
    ['/API/Settings', '/API/Settings'],
    ['/api/settings?x=/../%2e;\\y', '/api/settings?x=/../%2e;\\y'],
    ['/../../..', '/'],
    ['/', '/'],
    ['', '/'],
    ['http://localhost/api/settings', '/api/settings'],
    ['HTTPS://LOCALHOST//api/settings', '/api/settings'],
    ['http://localhost?x=1', '/?x=1'],
  ];
  for (const [target, url] of plain)
    it(`for ${JSON.stringify(target)} is ${url}`, () => {
      assert.equal(canonicalTarget(target, 'localhost').url, url);
      assert.equal(canonicalTarget(target, 'localhost').ambiguous, target === '');
    });

  const ambiguous = [
    '/api\\settings',
    '/api/settings;x',
    '/api/settings#x',
    '/api/health?x#y',
    '/api/settings%2fx',
    '/api/settings%5Cx',
    '/api/settings%3b',
    '/api/settings%23',
    '/api/settings%3F',
    '/api/settings%25',
    '/api/settings%00',
    '/api/settings%7f',
    '/api/settings%',
    '/api/settings%2',
    '/api/settings%zz',
    '/api/settings%e0%a4',
    '/api/settings%c0%ae',
    '/api/settings\u00e9',
    'api/settings',
    '*',
    'ftp://localhost/api/settings',
    'http://user@localhost/api/settings',
    'http://other.test/api/settings',
    'http:///api/settings',
  ];
  for (const target of ambiguous)
    it(`for ${JSON.stringify(target)} is ambiguous`, () => {
      assert.equal(canonicalTarget(target, 'localhost').ambiguous, true);
    });

  const UNRESERVED = /[A-Za-z0-9._~-]/;
  const DELIMITERS = '/\\%#?;';

  it('has only escapes of unreserved characters decoded, and is ambiguous if a delimiter is escaped', () => {
    for (let code = 0; code < 256; code += 1)
      for (const hex of [code.toString(16).padStart(2, '0'), code.toString(16).padStart(2, '0').toUpperCase()]) {
        const character = String.fromCharCode(code);
        const decoded = UNRESERVED.test(character);
        const { url, ambiguous } = canonicalTarget(`/a%${hex}b`, 'localhost');
        assert.equal(url, decoded ? `/a${character}b` : `/a%${hex}b`);
        // A single byte from 0x80 on is not UTF-8.
        const hides = code < 0x20 || DELIMITERS.includes(character) || code >= 0x7f;
        assert.equal(ambiguous, hides, hex);
      }
  });

  it('contains visible ASCII characters unchanged, and is ambiguous with any other character and with \\, #, % or ;', () => {
    for (let code = 0; code < 0x180; code += 1) {
      const character = String.fromCharCode(code);
      const { url, ambiguous } = canonicalTarget(`/a${character}.`, 'localhost');
      const strange = code < 0x21 || code > 0x7e || '\\#%;'.includes(character);
      assert.equal(ambiguous, strange, JSON.stringify(character));
      const isUnchanged = '?;%/'.includes(character) || !strange;
      if (character === '/') assert.equal(url, '/a');
      else assert.equal(url, `/a${isUnchanged ? character : encodeURIComponent(character)}.`);
    }
    assert.deepEqual(canonicalTarget('/a\ud800b', 'localhost'), { url: '/a%EF%BF%BDb', ambiguous: true });
  });

  for (const target of ['/%6%61I', '/api/%%36%31', '/api/identity/%2%65%2%65/admin', '/api/oauth-admin/admin/%6%62eys'])
    it(`for ${JSON.stringify(target)} is ambiguous, because decoding must not complete its broken escapes`, () => {
      const once = canonicalTarget(target, 'localhost');
      assert.deepEqual(canonicalTarget(once.url, 'localhost'), once);
      assert.equal(once.ambiguous, true);
    });
});
