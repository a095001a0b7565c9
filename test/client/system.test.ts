import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { formatSpans, spansOf } from '../../client/features/system/seven-days.tsx';
import { formatOutage } from '../../client/lib/service-state.ts';
import type { ServiceChange, ServiceName, ServiceState, ServiceStatus, Services } from '../../shared/services.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { serviceState } from '../support/overview-responses.ts';

const listing =
  (...services: ServiceState[]): App['respond'] =>
  ({ path }) =>
    path === '/api/services' ? Response.json({ services } satisfies Services) : undefined;
const down = (since: string | null): Partial<ServiceState> => ({ status: 'down', problem: 'unreachable', since });
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

describe('the services of the dashboard', () => {
  const suite = appOfSuite();
  const onSystem = (work: (app: App) => Promise<void>, respond: App['respond'] = () => undefined): Promise<void> =>
    suite.open('/system', { heading: 'System', respond }, work);

  it('are displayed with their version, latency and configuration, without a green dot for “Configured”', () =>
    onSystem(async (app) => {
      await app.shows(/^All \d services are up$/);
      const row = (await app.screen.findAllByText('Identity admin'))[0]?.closest('tr') as HTMLElement;
      await app.shows(/^Up, .*ms$/, row);
      const days = within(await app.screen.findByRole('region', { name: 'The last seven days' }));
      await days.findAllByText(/^Up all the time\.|^Not checked yet\.$/);
      await app.shows(/^v?\d+\.\d+/, row);
      await app.shows('8 hours, or until the OAuth server’s token expires');
      const configured = await app.screen.findAllByText('Configured');
      assert.ok(configured.every((cell) => cell.closest('dd')?.querySelector('[data-status=good]') === null));
    }));

  it('show their state in words unless they are not configured', () =>
    onSystem(
      async (app) => {
        for (const [name, text] of [
          ['Geolocation', 'Up'],
          ['Database', 'Up, 55 ms'],
          ['OAuth 2.0', 'Degraded, slow, 1,204 ms'],
          ['Identity', 'Down, unreachable'],
          ['OAuth 2.0 admin', 'Down, certificate refused'],
        ] as const) {
          const row = (await app.screen.findByRole('rowheader', { name })).closest('tr') as HTMLElement;
          await app.shows(text, row);
        }
        assert.equal(app.screen.queryAllByRole('rowheader', { name: 'Workforce identity' }).length, 0);
        await app.shows(/Nothing responds/);
        await app.shows(/certificate, or the lack of one\. CERT_HAS_EXPIRED$/);
      },
      listing(
        serviceState('geo'),
        serviceState('database', { latency_ms: 55 }),
        serviceState('oauth', { status: 'degraded', latency_ms: 1_204, problem: 'slow' }),
        serviceState('identity', down(null)),
        serviceState('oauth-admin', { ...down(null), problem: 'certificate', code: 'CERT_HAS_EXPIRED' }),
        serviceState('iam-identity', { status: 'not_configured' }),
      ),
    ));

  it('are named on other pages while they are down, with the start and consequences of the outage and a link', () =>
    suite.open(
      '/settings',
      {
        heading: 'Settings',
        respond: listing(serviceState('oauth', down(ago(3_700_000))), serviceState('database', down(ago(100_000)))),
      },
      async (app) => {
        const outage = await app.screen.findByRole('region', { name: 'Outage' });
        assert.match(
          outage.textContent ?? '',
          /^Database and OAuth 2\.0 have been down since .*\d\d:\d\d, one hour\. Settings, the audit trail and sign-in do not work\./,
        );
        await app.user.click(within(outage).getByText('See the System page'));
        await app.screen.findByRole('heading', { level: 1, name: 'System' });
        const row = (await app.screen.findByRole('rowheader', { name: 'OAuth 2.0' })).closest('tr') as HTMLElement;
        await app.shows(/^since .*, one hour$/, row);
      },
    ));
});

describe('a page whose upstream rejects the API key', () => {
  const suite = appOfSuite({ people: 3 });

  it('names the service and the problem, and links to the setting', () =>
    suite.open('/settings', { heading: 'Settings' }, async (app) => {
      suite.upstream.before = () => ({ status: 401, body: '{"error":{"code":401,"reason":"no"}}' });
      await app.user.click(await app.screen.findByRole('link', { name: 'Identities' }));
      await app.shows(
        /rejects the dashboard’s API key\. The setting upstream\.identity-admin\.api_key is missing or wrong/,
      );
      await app.user.click((await app.screen.findAllByText('Open this setting'))[0] as HTMLElement);
      await app.shows(/^No setting has the key/);
      await app.user.click(await app.screen.findByText('Create it'));
      const key = (await app.screen.findByLabelText(/^Key \*/)) as HTMLInputElement;
      assert.equal(key.value, 'upstream.identity-admin.api_key');
    }));
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A time in the time zone of the machine, which the page uses as well. */
const NOW = new Date(2026, 0, 31, 10, 6, 30).getTime();
const timeBefore = (milliseconds: number): string => new Date(NOW - milliseconds).toISOString();

describe('the outage line', () => {
  const service = (
    name: ServiceName,
    status: ServiceStatus,
    since: string | null = timeBefore(4.6 * MINUTE),
  ): ServiceState => serviceState(name, { status, since });

  it('names the services, the start and duration of the outage, and its consequences', () =>
    assert.deepEqual(formatOutage([service('geo', 'up'), service('oauth-admin', 'down')], NOW), {
      what: 'OAuth 2.0 admin has been down since 10:01',
      lasting: 'four minutes',
      consequences: 'Clients, consents and tokens cannot be read.',
    }));

  it('names up to three services, the most severe outage first, with the earliest start, and counts the others', () => {
    const two = formatOutage([service('geo', 'down', timeBefore(HOUR)), service('database', 'down', null)], NOW);
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
  const change = (status: ServiceStatus, age: number, one_replica = false): ServiceChange => ({
    status,
    problem: null,
    at: timeBefore(age),
    one_replica,
  });
  const described = (...changes: ServiceChange[]): string => formatSpans(spansOf(changes, NOW), NOW);

  it('consist of consecutive spans of one status each, starting seven days ago', () => {
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

  it('are summarised as not checked, as always up, or with the start and duration of each disruption', () => {
    assert.equal(described(), 'Not checked yet.');
    assert.equal(described(change('up', HOUR)), 'Up all the time. First checked at 09:06.');
    assert.equal(
      described(
        change('up', HOUR, true),
        change('down', 2 * HOUR, true),
        change('degraded', DAY),
        change('up', 8 * DAY),
      ),
      'Down for one hour: 08:06 for one hour, according to one replica. Degraded for 22 hours: 30 Jan, 10:06 for 22 hours.',
    );
  });
});
