import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import fc from 'fast-check';
import { addressIn, isBareAddress } from '../../server/geo/geo-lookup.ts';
import { peerKey, withoutMapping } from '../../server/networks.ts';
import { seeded } from '../support/seeded.ts';

const PEERS: [text: string, address: string | undefined][] = [
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

describe('addresses of peers', () => {
  it('are found in what devices and proxies write', () => {
    for (const [text, address] of PEERS) assert.equal(addressIn(text), address, text);
  });

  it('lose port and zone, and are bare then', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 1, max: 65_535 }), (address, port) => {
        assert.ok(isBareAddress(address));
        assert.equal(addressIn(address), address);
        assert.equal(addressIn(isIPv4(address) ? `${address}:${port}` : `[${address}%eth${port}]:${port}`), address);
      }),
      seeded(),
    );
  });

  it('in IPv6 form are told as IPv4, in every spelling', () => {
    for (const text of ['::ffff:203.0.113.7', '::FFFF:CB00:7107', '0:0:0:0:0:ffff:cb00:7107'])
      assert.equal(withoutMapping(text), '203.0.113.7');
    for (const text of ['2001:db8::ffff:1', '::ffff:0:203.0.113.7', '64:ff9b::203.0.113.7', 'fe80::ffff:1%eth0'])
      assert.equal(withoutMapping(text), text);
  });
});

describe('peers that share something', () => {
  it('count as one by their IPv6 /64, in every spelling', () => {
    for (const one of ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2:0:0:203.0.113.7'])
      assert.equal(peerKey(one), peerKey('2001:db8:1:2::'), one);
    for (const other of ['2001:db8:1:3::1', '2001:db8:0:2::1', '2001:db9:1:2::1', '::1', '2001:db8:1:2'])
      assert.notEqual(peerKey(other), peerKey('2001:db8:1:2::1'), other);
    assert.equal(peerKey('fe80::1%eth0'), peerKey('fe80::2'));
    fc.assert(
      fc.property(fc.ipV6(), (address) => assert.match(peerKey(address), /^[\da-f]+\/64$|^[\d.]+$/)),
      seeded(),
    );
  });

  it('count each by their IPv4 address, also in IPv6 form', () => {
    assert.equal(peerKey('203.0.113.7'), '203.0.113.7');
    for (const text of ['::ffff:203.0.113.7', '::FFFF:CB00:7107', '0:0:0:0:0:ffff:cb00:7107'])
      assert.equal(peerKey(text), '203.0.113.7');
    assert.notEqual(peerKey('203.0.113.7'), peerKey('203.0.113.8'));
  });

  it('are counted by their raw text when that is not an address', () => {
    for (const text of ['', 'unknown', '203.0.113.7:80', '[2001:db8::1]']) assert.equal(peerKey(text), text);
  });
});
