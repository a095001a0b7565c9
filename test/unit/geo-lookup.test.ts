import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { geoLookup } from '../../server/geo/geo-lookup.ts';
import { mapPoints } from '../../server/geo/map-points.ts';
import { mmdb } from '../support/mmdb.ts';
import { folderOfTest } from '../support/of-suite.ts';

describe('the look-up of a location', () => {
  const inFolder = folderOfTest();
  let clock = 0;
  const now = () => clock;

  beforeEach(() => {
    clock = 0;
  });

  function write(name: string, bytes: Buffer): string {
    const path = inFolder(name);
    writeFileSync(path, bytes);
    return path;
  }
  const country = (code: string, ipVersion: 4 | 6 = 6, network = '203.0.113.0/24'): Buffer =>
    mmdb({ ipVersion, networks: { [network]: { country_code: code } } });
  const codeAt = async (geo: ReturnType<typeof geoLookup>, address = '203.0.113.7'): Promise<string | undefined> =>
    (await geo.open())(address)?.countryCode;

  it('finds IPv4 and IPv6 addresses in one file or in two, and IPv4-mapped addresses as IPv4', async () => {
    const both = { '203.0.113.0/24': { country_code: 'NO' }, '2001:db8::/32': { country_code: 'SE' } };
    const inOneFile = geoLookup([write('both.mmdb', mmdb({ ipVersion: 6, networks: both }))], now);
    const inTwoFiles = geoLookup(
      [write('v4.mmdb', country('NO', 4)), write('v6.mmdb', country('SE', 6, '2001:db8::/32'))],
      now,
    );
    for (const geo of [inOneFile, inTwoFiles])
      for (const [address, code] of [
        ['203.0.113.9', 'NO'],
        ['2001:db8::9', 'SE'],
        ['::FFFF:cb00:7109', 'NO'],
        ['2001:db9::9', undefined],
      ])
        assert.equal(await codeAt(geo, address), code, address);
  });

  it('finds no location of a private address, even if a file contains the address', async () => {
    const networks = { '0.0.0.0/0': { country_code: 'NO' }, '8000::/1': { country_code: 'NO' } };
    const locate = await geoLookup([write('all.mmdb', mmdb({ ipVersion: 6, networks }))], now).open();
    for (const address of ['10.0.0.1', '127.0.0.1', '169.254.1.1', '100.64.0.1', '::ffff:10.0.0.1', 'fd00::1'])
      assert.equal(locate(address), undefined, address);
    assert.equal(locate('11.0.0.1')?.countryCode, 'NO');
  });

  it('notices a changed, removed or restored file after a minute', async () => {
    const path = write('a.mmdb', country('NO'));
    const geo = geoLookup([path], now);
    assert.equal(await codeAt(geo), 'NO');
    const replaced = mmdb({ ipVersion: 6, networks: { '203.0.113.0/24': { country_code: 'SE' }, '1.0.0.0/8': 'x' } });
    writeFileSync(path, replaced);
    clock += 59_000;
    assert.equal(await codeAt(geo), 'NO');
    clock += 1_000;
    assert.equal(await codeAt(geo), 'SE');
    rmSync(path);
    clock += 60_000;
    assert.equal(await codeAt(geo), undefined);
    writeFileSync(path, replaced);
    clock += 60_000;
    assert.equal(await codeAt(geo), 'SE');
  });

  it('uses the last valid file while a new one is incomplete', async () => {
    const path = write('a.mmdb', country('NO'));
    const geo = geoLookup([path], now);
    assert.equal(await codeAt(geo), 'NO');
    writeFileSync(path, country('SE').subarray(0, 200));
    clock += 60_000;
    assert.equal(await codeAt(geo), 'NO');
    const problems = (await geo.states()).map(({ problem }) => problem);
    assert.deepEqual(problems, ['nonsense']);
    writeFileSync(path, country('SE'));
    clock += 60_000;
    assert.equal(await codeAt(geo), 'SE');
  });

  it('reports why it cannot use a file', async () => {
    const good = write('good.mmdb', mmdb({ ipVersion: 6, networks: {}, builtAt: new Date('2026-06-01T00:00:00Z') }));
    const files = [inFolder('absent.mmdb'), write('text.mmdb', Buffer.from('not a database')), good];
    const geo = geoLookup(files, now);
    assert.equal(await codeAt(geo), undefined);
    assert.deepEqual(await geo.states(), [
      { problem: 'unreachable', builtAt: null },
      { problem: 'nonsense', builtAt: null },
      { problem: null, builtAt: new Date('2026-06-01T00:00:00Z') },
    ]);
  });
});

describe('a circle on the map', () => {
  it('sums up the places around a point of the grid, and is named after the one with the highest count', () => {
    const near = (label: string, lat: number) => ({ label, lat, lng: 10.7 });
    const points = mapPoints([
      [near('Bergen', 59.9), 2],
      [near('Asker', 60.1), 5],
      [near('Oslo', 60), 5],
      [near('Tromsø', 69.6), 20],
    ]);
    assert.deepEqual(points, [
      { lat: 69.5, lng: 10.5, label: 'Tromsø', count: 20 },
      { lat: 60, lng: 10.5, label: 'Asker', count: 12 },
    ]);
  });
});
