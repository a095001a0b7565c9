import assert from 'node:assert/strict';
import type { GeoAnswer } from '../../shared/locations.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

describe('places of addresses', () => {
  let mapped: MappedDashboard;
  before(async () => {
    mapped = await startMappedDashboard();
  });
  after(() => mapped.close());

  const call = (query: string, headers: Record<string, string> = {}) =>
    mapped.dashboard.call(`/api/geo${query}`, { session: mapped.sessions.viewer, headers });
  async function places(query: string, headers?: Record<string, string>): Promise<GeoAnswer> {
    const response = await call(query, headers);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as GeoAnswer;
  }
  const NOWHERE = { found: false, city: null, country: null, country_code: null, lat: null, lng: null };
  const notFound = (ip: string) => ({ ip, ...NOWHERE });
  const NORWAY = { found: true, country: 'Norway', country_code: 'NO' };

  it('are answered in the order of the question, with circles by size', async () => {
    const addresses = ['203.0.113.1', '192.0.2.1', '10.0.0.1', '203.0.113.2', '2001:db8::1'];
    assert.deepEqual(await places(`?${addresses.map((ip) => `ip=${encodeURIComponent(ip)}`).join('&')}`), {
      locations: [
        { ip: '203.0.113.1', ...NORWAY, city: 'Oslo', lat: 59.91, lng: 10.75 },
        { ip: '192.0.2.1', ...NORWAY, city: null, lat: 61.4, lng: 8.8 },
        notFound('10.0.0.1'),
        { ip: '203.0.113.2', ...NORWAY, city: 'Oslo', lat: 59.91, lng: 10.75 },
        { ip: '2001:db8::1', found: true, city: null, country: 'Sweden', country_code: 'SE', lat: 62.8, lng: 16.7 },
      ],
      points: [
        { lat: 60, lng: 11, label: 'Oslo, Norway', count: 2 },
        { lat: 61.5, lng: 9, label: 'Norway', count: 1 },
        { lat: 63, lng: 16.5, label: 'Sweden', count: 1 },
      ],
    });
  });

  it('without a question is the caller’s, whose headers count only behind a trusted proxy', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' };
    assert.deepEqual(await places('', forwarded), { locations: [notFound('127.0.0.1')], points: [] });
    await mapped.restart({ TRUST_PROXY: '1' });
    assert.equal((await places('', forwarded)).locations[0]?.city, 'Oslo');
    await mapped.restart();
  });

  it('are not found where look-ups are off or their file is not there', async () => {
    for (const GEOIP_DATABASE of ['off', '/nowhere/places.mmdb']) {
      await mapped.restart({ GEOIP_DATABASE });
      assert.deepEqual(await places('?ip=203.0.113.1'), { locations: [notFound('203.0.113.1')], points: [] });
    }
    await mapped.restart({ GEOIP_DATABASE: undefined });
    assert.equal((await places('?ip=8.8.8.8')).locations[0]?.country_code, 'US');
    await mapped.restart();
  });
});
