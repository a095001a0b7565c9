import assert from 'node:assert/strict';
import { formatSpans, spansOf } from '../../client/features/system/seven-days.tsx';
import { formatOutage } from '../../client/lib/service-state.ts';
import type { ServiceChange, ServiceName, ServiceState, ServiceStatus } from '../../shared/services.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** In this machine's time zone, as the page words it. */
const NOW = new Date(2026, 0, 31, 10, 6, 30).getTime();
const at = (before: number): string => new Date(NOW - before).toISOString();

describe('the outage line', () => {
  const service = (
    name: ServiceName,
    status: ServiceStatus,
    since: string | null = at(4.6 * MINUTE),
  ): ServiceState => ({
    name,
    status,
    since,
    version: null,
    latency_ms: null,
    checked_at: at(0),
    problem: null,
  });

  it('names the services, the start and duration of the outage, and its consequences', () =>
    assert.deepEqual(formatOutage([service('geo', 'up'), service('oauth-admin', 'down')], NOW), {
      what: 'OAuth 2.0 admin has been down since 10:01',
      lasting: 'four minutes',
      consequences: 'Clients, consents and tokens cannot be read.',
    }));

  it('starts with the most severe outage and the earliest time, and counts the rest', () => {
    const two = formatOutage([service('geo', 'down', at(HOUR)), service('database', 'down', null)], NOW);
    assert.equal(two?.what, 'Database and Geolocation have been down since 09:06');
    assert.equal(two.lasting, 'one hour');
    const five = (['geo', 'identity', 'oauth', 'operators', 'identity-admin'] as const).map((name) =>
      service(name, 'down', null),
    );
    const line = formatOutage(five, NOW);
    assert.equal(line?.what, 'Operators’ store, Identity admin, OAuth 2.0 and two more are down');
    assert.equal(line.lasting, undefined);
    assert.doesNotMatch(line.consequences, /map/);
  });
});

describe('the last seven days of a service', () => {
  const change = (status: ServiceStatus, before: number, one_replica = false): ServiceChange => ({
    status,
    problem: null,
    at: at(before),
    one_replica,
  });
  const told = (...changes: ServiceChange[]): string => formatSpans(spansOf(changes, NOW), NOW);

  it('consist of one span for each status, from the start of the first day', () => {
    const spans = spansOf(
      [change('down', HOUR), change('up', 2 * HOUR), change('up', DAY), change('degraded', 9 * DAY)],
      NOW,
    );
    assert.deepEqual(
      spans.map(({ from, to, status }) => [(NOW - from) / HOUR, (NOW - to) / HOUR, status]),
      [
        [168, 24, 'degraded'],
        [24, 1, 'up'],
        [1, 0, 'down'],
      ],
    );
  });

  it('have a description in words', () => {
    assert.equal(told(), 'Not checked yet.');
    assert.equal(told(change('up', HOUR)), 'Up all the time. First checked at 09:06.');
    assert.equal(
      told(change('up', HOUR, true), change('down', 2 * HOUR, true), change('degraded', DAY), change('up', 8 * DAY)),
      'Down for one hour: 08:06 for one hour, according to one replica. Degraded for 22 hours: 30 Jan, 10:06 for 22 hours.',
    );
  });
});
