import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import fc from 'fast-check';
import { addressIn, isBareAddress } from '../../server/geo/geo-lookup.ts';
import { servedHosts } from '../../server/http/server.ts';
import { peerKey, withoutMapping } from '../../server/networks.ts';
import { seeded } from '../support/seeded.ts';

/** Texts that devices and proxies send, each with the address in it. */
const TEXTS: [text: string, address: string | undefined][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8::1]:5123', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
  ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  ['[::ffff:203.0.113.7]:80', '::ffff:203.0.113.7'],
  ['', undefined],
  ['localhost:80', undefined],
  ['203.0.113:80', undefined],
  ['203.0.113.7:port', undefined],
  ['[2001:db8::1', undefined],
  ['203.0.113.7, 10.0.0.1', undefined],
];

describe('the address of a peer', () => {
  it('is read from text with or without a port, brackets or a zone, and from no other text', () => {
    for (const [text, address] of TEXTS) assert.equal(addressIn(text), address, text);
  });

  it('is parsed without its port and zone, for any IPv4 or IPv6 address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 1, max: 65_535 }), (address, port) => {
        assert.ok(isBareAddress(address));
        assert.equal(addressIn(address), address);
        assert.equal(addressIn(isIPv4(address) ? `${address}:${port}` : `[${address}%eth${port}]:${port}`), address);
      }),
      seeded(),
    );
  });

  it('is converted to IPv4 if it is an IPv4-mapped IPv6 address in any spelling, and otherwise unchanged', () => {
    for (const text of ['::ffff:203.0.113.7', '::FFFF:CB00:7107', '0:0:0:0:0:ffff:cb00:7107'])
      assert.equal(withoutMapping(text), '203.0.113.7');
    for (const text of ['2001:db8::ffff:1', '::ffff:0:203.0.113.7', '64:ff9b::203.0.113.7', 'fe80::ffff:1%eth0'])
      assert.equal(withoutMapping(text), text);
  });
});

describe('the key by which peers are counted', () => {
  it('is the same for all addresses of an IPv6 /64 network, in any spelling', () => {
    for (const address of ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2:0:0:203.0.113.7'])
      assert.equal(peerKey(address), peerKey('2001:db8:1:2::'), address);
    for (const address of ['2001:db8:1:3::1', '2001:db8:0:2::1', '2001:db9:1:2::1', '::1', '2001:db8:1:2'])
      assert.notEqual(peerKey(address), peerKey('2001:db8:1:2::1'), address);
    assert.equal(peerKey('fe80::1%eth0'), peerKey('fe80::2'));
    fc.assert(
      fc.property(fc.ipV6(), (address) => assert.match(peerKey(address), /^[\da-f]+\/64$|^[\d.]+$/)),
      seeded(),
    );
  });

  it('is the IPv4 address, also for an IPv4-mapped IPv6 address', () => {
    assert.equal(peerKey('203.0.113.7'), '203.0.113.7');
    for (const text of ['::ffff:203.0.113.7', '::FFFF:CB00:7107', '0:0:0:0:0:ffff:cb00:7107'])
      assert.equal(peerKey(text), '203.0.113.7');
    assert.notEqual(peerKey('203.0.113.7'), peerKey('203.0.113.8'));
  });

  it('is the text itself if the text is not an address', () => {
    for (const text of ['', 'unknown', '203.0.113.7:80', '[2001:db8::1]']) assert.equal(peerKey(text), text);
  });
});

describe('the served host names', () => {
  it('are the configured ones, with or without a final dot, single-label and .localhost names, and IP addresses', () => {
    const isServed = servedHosts('https://dashboard.example:8443', ['inside.example.', 'other.example']);
    const SERVED = [
      'dashboard.example',
      'dashboard.example.:443',
      'INSIDE.example',
      'inside.example.',
      'other.example',
    ];
    const ALWAYS = ['[::1]', '[2001:db8::7]:80', '192.0.2.7', 'x.localhost', 'dashboard:80'];
    for (const host of [...SERVED, ...ALWAYS]) assert.equal(isServed(host), true, host);
    const NAMES = ['dashboard.example..', 'x.inside.example', 'dashboard.example:123456'];
    const ADDRESSES = ['0.0.0.0', '[::]', '[0:0:0:0:0:0:0:0]:80', '[::::]', '[1.2.3.4]', '[::1', '::1', '[::1]x'];
    for (const host of [...NAMES, ...ADDRESSES]) assert.equal(isServed(host), false, host);
  });
});
