import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { type AdminAccess, accessFor } from '../../server/gate/access.ts';
import { isForeign } from '../../server/gate/same-origin.ts';

type Rules = Parameters<typeof accessFor>[0];
type Verdict = 'open' | AdminAccess['decidedBy'];

const PUBLIC = '203.0.113.9';
const PRIVATE = '10.1.2.3';
const LOCAL = '127.0.0.1';
const RULE = 'PROXY_REQUIRE_SESSION';
const TRUST = 'TRUST_PROXY';

describe('an admin request without a session', () => {
  const verdictOn = (rules: Partial<Rules>, peer: string, headers: Record<string, string> = {}): Verdict => {
    const decide = accessFor({
      proxyRequireSession: 'outside',
      trustProxy: undefined,
      production: true,
      ...rules,
    });
    const { open, decidedBy } = decide(peer, headers);
    return open ? 'open' : decidedBy;
  };

  type Trust = Rules['trustProxy'];
  const CALLERS: [caller: string, Trust, peer: string, forwarded: string | undefined, Verdict][] = [
    ['the loopback address', undefined, LOCAL, undefined, 'open'],
    ['the loopback address in IPv6', undefined, '::1', undefined, 'open'],
    ['a private address', undefined, PRIVATE, undefined, 'open'],
    ['a private IPv4-mapped IPv6 address', undefined, '::ffff:10.1.2.3', undefined, 'open'],
    ['a private IPv6 address', undefined, 'fd00::3', undefined, 'open'],
    ['a public address', undefined, PUBLIC, undefined, RULE],
    ['a public IPv4-mapped IPv6 address', undefined, '::ffff:203.0.113.9', undefined, RULE],
    ['a peer without an address', undefined, '', undefined, RULE],
    ['a caller without a forwarded address', 1, LOCAL, undefined, TRUST],
    ['an empty forwarded address', 1, LOCAL, '', TRUST],
    ['a forwarded word in place of an address', 1, LOCAL, 'unknown', TRUST],
    ['an obfuscated forwarded identifier', 1, LOCAL, '_hidden', TRUST],
    ['a private caller with a port', 1, LOCAL, '10.1.2.3:5678', 'open'],
    ['a public caller with a port', 1, LOCAL, '203.0.113.9:5678', RULE],
    ['a public caller in brackets', 1, LOCAL, '[2001:db8::7]:443', RULE],
    ['a forwarded address with two ports', 1, LOCAL, '10.1.2.3:56:78', TRUST],
    ['a forwarded range of addresses', 1, LOCAL, '10.0.0.0/8', TRUST],
    ['a forwarded address with a zone', 1, LOCAL, '127.0.0.1%x', TRUST],
    ['a forwarded address as a decimal number', 1, LOCAL, '2130706433', TRUST],
    ['a private caller', 1, LOCAL, PRIVATE, 'open'],
    ['a private caller with an IPv4-mapped IPv6 address', 1, '::ffff:127.0.0.1', '::ffff:10.1.2.3', 'open'],
    ['a public caller', 1, LOCAL, PUBLIC, RULE],
    ['a public caller who claims to be private', 1, LOCAL, `${PRIVATE}, ${PUBLIC}`, RULE],
    ['a public caller who claims two private addresses', 1, LOCAL, `${PRIVATE}, 127.0.0.1, ${PUBLIC}`, RULE],
    ['a private caller who claims to be public', 1, LOCAL, `${PUBLIC}, ${PRIVATE}`, 'open'],
    ['an invalid address after a private one', 1, LOCAL, `${PRIVATE}, unknown`, TRUST],
    ['a private caller after an invalid address', 1, LOCAL, `unknown, ${PRIVATE}`, 'open'],
    ['a private caller behind a public proxy', 1, PUBLIC, PRIVATE, RULE],
    ['a caller without a forwarded address behind two proxies', 2, LOCAL, undefined, TRUST],
    ['a request through only one of two proxies', 2, LOCAL, PRIVATE, TRUST],
    ['a private caller behind two proxies', 2, LOCAL, `${PRIVATE}, 10.9.9.9`, 'open'],
    ['a public caller behind two proxies', 2, LOCAL, `${PUBLIC}, 10.9.9.9`, RULE],
    ['a forged address if TRUST_PROXY counts a proxy too many', 2, LOCAL, `${PRIVATE}, ${PUBLIC}`, RULE],
    ['a private caller behind the listed proxy', ['127.0.0.1'], LOCAL, PRIVATE, 'open'],
    ['a public caller behind the listed proxy', ['127.0.0.1'], LOCAL, PUBLIC, RULE],
    ['a caller without a forwarded address behind the listed proxy', ['127.0.0.1'], LOCAL, undefined, TRUST],
    ['the listed proxy as its own caller', ['127.0.0.1'], LOCAL, LOCAL, TRUST],
    [
      'a public caller behind listed proxies with ports',
      ['127.0.0.1', '10.9.9.9'],
      LOCAL,
      `${PUBLIC}:1, 10.9.9.9:2`,
      RULE,
    ],
    ['listed proxies without another caller', ['127.0.0.1', '10.9.9.0/24'], LOCAL, '10.9.9.8, 10.9.9.9', TRUST],
    [
      'a private caller behind a listed proxy with an IPv4-mapped IPv6 address',
      ['127.0.0.1'],
      '::ffff:127.0.0.1',
      PRIVATE,
      'open',
    ],
    ['a private caller behind a proxy that is not listed', ['10.9.9.9'], LOCAL, PRIVATE, TRUST],
    ['a private caller behind a listed public proxy', [PUBLIC], PUBLIC, PRIVATE, RULE],
  ];
  for (const [caller, trustProxy, peer, forwarded, verdict] of CALLERS) {
    const details = [
      `peer ${peer || 'unknown'}`,
      trustProxy !== undefined && `TRUST_PROXY=${trustProxy}`,
      forwarded !== undefined && `X-Forwarded-For "${forwarded}"`,
    ];
    it(`is ${verdict === 'open' ? 'allowed' : `refused by ${verdict}`} for ${caller} (${details.filter(Boolean).join(', ')})`, () => {
      const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      assert.equal(verdictOn({ trustProxy }, peer, headers), verdict);
      assert.equal(verdictOn({ trustProxy, production: false }, peer, headers), verdict);
    });
  }

  it('is refused by TRUST_PROXY in production if a proxy forwards it but none is trusted', () => {
    for (const header of ['x-forwarded-for', 'forwarded', 'via'])
      for (const value of [PRIVATE, '']) {
        assert.equal(verdictOn({}, LOCAL, { [header]: value }), TRUST);
        assert.equal(verdictOn({ production: false }, LOCAL, { [header]: value }), 'open');
      }
  });

  it('is refused by TRUST_PROXY if the trusted proxy does not name the caller in X-Forwarded-For', () => {
    for (const header of ['forwarded', 'via', 'x-real-ip', 'x-client-ip'])
      assert.equal(verdictOn({ trustProxy: 1 }, LOCAL, { [header]: PRIVATE }), TRUST);
  });

  it('is refused for every caller if PROXY_REQUIRE_SESSION is true, and only for browsers if it is false', () => {
    const headers = { 'x-forwarded-for': PRIVATE };
    const MARKS: Record<string, string>[] = [{ origin: 'http://localhost' }, { 'sec-fetch-site': 'none' }];
    for (const trustProxy of [undefined, 1]) {
      assert.equal(verdictOn({ proxyRequireSession: 'always', trustProxy }, LOCAL, headers), RULE);
      assert.equal(verdictOn({ proxyRequireSession: 'never', trustProxy }, PUBLIC), 'open');
      for (const mark of MARKS)
        for (const proxyRequireSession of ['always', 'outside', 'never'] as const)
          assert.equal(verdictOn({ proxyRequireSession, trustProxy }, LOCAL, { ...headers, ...mark }), 'browser');
    }
  });
});

describe('a request with the headers', () => {
  const OWN = 'https://dashboard.example';
  const host = 'inside.test:3000';
  function isForeignWith(headers: Record<string, string>): boolean {
    const req = new IncomingMessage(new Socket());
    Object.assign(req.headers, headers);
    return isForeign(req, OWN);
  }

  /** No browser sends these values today, but a later one may send an unknown value for a foreign page. */
  const OTHER_WORDS = ['same-planet', '', 'Same-Origin', 'NONE', 'same-origin, none', 'same-origin, same-origin'];
  const HEADERS: [headers: Record<string, string>, isForeign: boolean][] = [
    // Sec-Fetch-Site takes precedence over Origin.
    [{ 'sec-fetch-site': 'cross-site', origin: OWN, host }, true],
    [{ 'sec-fetch-site': 'same-site', origin: OWN, host }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.test', host }, false],
    [{ 'sec-fetch-site': 'none', origin: 'https://evil.test', host }, false],
    ...[...OTHER_WORDS, 'none;a=1', '"none"'].map((site): [Record<string, string>, boolean] => [
      { 'sec-fetch-site': site, origin: OWN, host },
      true,
    ]),
    [{ 'sec-fetch-site': 'same-planet', host }, true],
    // Origin may be the public origin or the origin of the requested host.
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
  for (const [headers, expected] of HEADERS)
    it(`${JSON.stringify(headers)} is ${expected ? '' : 'not '}from another origin`, () => {
      assert.equal(isForeignWith(headers), expected);
    });
});
