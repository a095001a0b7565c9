import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { isForeign } from '../../server/gate/same-origin.ts';

describe('a request of another origin', () => {
  const OWN = 'https://dashboard.example';
  const foreign = (headers: Record<string, string>): boolean => {
    const req = new IncomingMessage(new Socket());
    Object.assign(req.headers, headers);
    return isForeign(req, OWN);
  };
  const host = 'inside.test:3000';

  const cases: [Record<string, string>, boolean][] = [
    // Fetch Metadata decides where it is sent, whatever else is said.
    [{ 'sec-fetch-site': 'cross-site', origin: OWN, host }, true],
    [{ 'sec-fetch-site': 'same-site', origin: OWN, host }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.test', host }, false],
    [{ 'sec-fetch-site': 'none', origin: 'https://evil.test', host }, false],
    // Any other word is one that a browser may send some day for a page that is not ours.
    ...[
      'same-planet',
      '',
      'Same-Origin',
      'NONE',
      'same-origin, none',
      'same-origin, same-origin',
      'none;a=1',
      '"none"',
    ].map((site): [Record<string, string>, boolean] => [{ 'sec-fetch-site': site, origin: OWN, host }, true]),
    [{ 'sec-fetch-site': 'same-planet', host }, true],
    // Origin: the public one, or that of the host that was asked.
    [{ host }, false],
    [{}, false],
    [{ origin: OWN, host }, false],
    [{ origin: OWN }, false],
    [{ origin: `http://${host}`, host }, false],
    [{ origin: `https://${host}`, host }, false],
    [{ origin: 'http://inside.test:3001', host }, true],
    [{ origin: 'http://dashboard.example', host }, true],
    [{ origin: `https://${host}.evil.test`, host }, true],
    [{ origin: 'null', host }, true],
    [{ origin: '', host }, true],
    [{ origin: 'http://undefined' }, true],
    [{ origin: 'https://undefined' }, true],
  ];
  for (const [headers, expected] of cases)
    it(`${JSON.stringify(headers)} is ${expected ? 'one' : 'none'}`, () => {
      assert.equal(foreign(headers), expected);
    });
});
