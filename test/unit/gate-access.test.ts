import assert from 'node:assert/strict';
import { type AdminAccess, accessFor } from '../../server/gate/access.ts';

type Rules = Parameters<typeof accessFor>[0];
type Verdict = 'open' | AdminAccess['decidedBy'];

const PUBLIC = '203.0.113.9';
const PRIVATE = '10.1.2.3';
const LOCAL = '127.0.0.1';
const RULE = 'PROXY_REQUIRE_SESSION';
const TRUST = 'TRUST_PROXY';

describe('who may use an admin prefix without a session', () => {
  const decided = (rules: Partial<Rules>, peer: string, headers: Record<string, string> = {}): Verdict => {
    const decide = accessFor({
      proxyRequireSession: 'outside',
      trustProxy: undefined,
      production: true,
      ...rules,
    });
    const { open, decidedBy } = decide(peer, headers);
    return open ? 'open' : decidedBy;
  };

  describe('without trusted proxies: by the address of the connection', () => {
    const PEERS: [peer: string, Verdict][] = [
      [LOCAL, 'open'],
      ['::1', 'open'],
      [PRIVATE, 'open'],
      ['::ffff:10.1.2.3', 'open'],
      ['fd00::3', 'open'],
      [PUBLIC, RULE],
      ['::ffff:203.0.113.9', RULE],
      ['', RULE],
    ];
    for (const [peer, verdict] of PEERS)
      it(`${peer || 'nobody'}: ${verdict}`, () => {
        assert.equal(decided({}, peer), verdict);
      });

    it('a header of a proxy makes a caller one from outside, in production', () => {
      for (const header of ['x-forwarded-for', 'forwarded', 'via'])
        for (const value of [PRIVATE, '']) {
          assert.equal(decided({}, LOCAL, { [header]: value }), TRUST);
          assert.equal(decided({ production: false }, LOCAL, { [header]: value }), 'open');
        }
    });
  });

  describe('with trusted proxies: by whom they name', () => {
    type Trust = Rules['trustProxy'];
    const NAMED: [why: string, Trust, peer: string, forwarded: string | undefined, Verdict][] = [
      ['nobody', 1, LOCAL, undefined, TRUST],
      ['an empty name', 1, LOCAL, '', TRUST],
      ['a word', 1, LOCAL, 'unknown', TRUST],
      ['an obfuscated name', 1, LOCAL, '_hidden', TRUST],
      ['a private caller with a port', 1, LOCAL, '10.1.2.3:5678', 'open'],
      ['a public caller with a port', 1, LOCAL, '203.0.113.9:5678', RULE],
      ['a public caller in brackets', 1, LOCAL, '[2001:db8::7]:443', RULE],
      ['a caller with two ports', 1, LOCAL, '10.1.2.3:56:78', TRUST],
      ['a range', 1, LOCAL, '10.0.0.0/8', TRUST],
      ['what looks like a zone', 1, LOCAL, '127.0.0.1%x', TRUST],
      ['a number that some take for an address', 1, LOCAL, '2130706433', TRUST],
      ['a private caller', 1, LOCAL, PRIVATE, 'open'],
      ['a private caller in IPv6 form', 1, '::ffff:127.0.0.1', '::ffff:10.1.2.3', 'open'],
      ['a public caller', 1, LOCAL, PUBLIC, RULE],
      ['a public caller who claims to be private', 1, LOCAL, `${PRIVATE}, ${PUBLIC}`, RULE],
      ['a public caller who claims it in a line of its own', 1, LOCAL, `${PRIVATE}, 127.0.0.1, ${PUBLIC}`, RULE],
      ['a private caller who claims to be public', 1, LOCAL, `${PUBLIC}, ${PRIVATE}`, 'open'],
      ['garbage behind a private caller', 1, LOCAL, `${PRIVATE}, unknown`, TRUST],
      ['a private caller behind garbage', 1, LOCAL, `unknown, ${PRIVATE}`, 'open'],
      ['a private caller to a public peer', 1, PUBLIC, PRIVATE, RULE],
      ['nobody, two hops', 2, LOCAL, undefined, TRUST],
      ['the inner of two proxies alone', 2, LOCAL, PRIVATE, TRUST],
      ['a private caller of two proxies', 2, LOCAL, `${PRIVATE}, 10.9.9.9`, 'open'],
      ['a public caller of two proxies', 2, LOCAL, `${PUBLIC}, 10.9.9.9`, RULE],
      ['an invention where one hop is too many', 2, LOCAL, `${PRIVATE}, ${PUBLIC}`, RULE],
      ['a private caller of the listed proxy', ['127.0.0.1'], LOCAL, PRIVATE, 'open'],
      ['a public caller of the listed proxy', ['127.0.0.1'], LOCAL, PUBLIC, RULE],
      ['nobody, the listed proxy', ['127.0.0.1'], LOCAL, undefined, TRUST],
      ['the listed proxy by itself', ['127.0.0.1'], LOCAL, LOCAL, TRUST],
      [
        'a public caller of listed proxies with ports',
        ['127.0.0.1', '10.9.9.9'],
        LOCAL,
        `${PUBLIC}:1, 10.9.9.9:2`,
        RULE,
      ],
      ['only listed proxies', ['127.0.0.1', '10.9.9.0/24'], LOCAL, '10.9.9.8, 10.9.9.9', TRUST],
      ['a private caller of a listed proxy in IPv6 form', ['127.0.0.1'], '::ffff:127.0.0.1', PRIVATE, 'open'],
      ['a private caller to a peer that is not listed', ['10.9.9.9'], LOCAL, PRIVATE, TRUST],
      ['a private caller to a listed public peer', [PUBLIC], PUBLIC, PRIVATE, RULE],
    ];
    for (const [why, trustProxy, peer, forwarded, verdict] of NAMED)
      it(`${why} (${trustProxy}; ${peer} says ${forwarded}): ${verdict}`, () => {
        const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
        assert.equal(decided({ trustProxy }, peer, headers), verdict);
        assert.equal(decided({ trustProxy, production: false }, peer, headers), verdict);
      });

    it('in X-Forwarded-For alone', () => {
      for (const header of ['forwarded', 'via', 'x-real-ip', 'x-client-ip'])
        assert.equal(decided({ trustProxy: 1 }, LOCAL, { [header]: PRIVATE }), TRUST);
    });
  });

  it('when true lets nobody in, when false everybody but browsers', () => {
    const headers = { 'x-forwarded-for': PRIVATE };
    for (const trustProxy of [undefined, 1]) {
      assert.equal(decided({ proxyRequireSession: 'always', trustProxy }, LOCAL, headers), RULE);
      assert.equal(decided({ proxyRequireSession: 'never', trustProxy }, PUBLIC), 'open');
      for (const mark of [['origin', 'http://localhost'] as const, ['sec-fetch-site', 'none'] as const])
        for (const proxyRequireSession of ['always', 'outside', 'never'] as const)
          assert.equal(
            decided({ proxyRequireSession, trustProxy }, LOCAL, { ...headers, [mark[0]]: mark[1] }),
            'browser',
          );
    }
  });
});
