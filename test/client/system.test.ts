import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import type { ServiceName, ServiceState, Services } from '../../shared/services.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';

const state = (name: ServiceName, more: Partial<ServiceState> = {}): ServiceState => ({
  name,
  status: 'up',
  version: null,
  latency_ms: null,
  problem: null,
  since: null,
  checked_at: new Date().toISOString(),
  ...more,
});
const given =
  (...services: ServiceState[]): App['respond'] =>
  ({ path }) =>
    path === '/api/services' ? Response.json({ services } satisfies Services) : undefined;
const down = (since: string | null): Partial<ServiceState> => ({ status: 'down', problem: 'unreachable', since });
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

describe('the services', () => {
  const suite = appOfSuite();
  const onSystem = (work: (app: App) => Promise<void>, respond: App['respond'] = () => undefined): Promise<void> =>
    suite.open('/system', { heading: 'System', respond }, work);

  it('have version, latency and configuration, and no green dot if only an address is configured', () =>
    onSystem(async (app) => {
      await app.shows(/^All \d services are up$/);
      const row = (await app.screen.findAllByText('Identity admin'))[0]?.closest('tr') as HTMLElement;
      await within(row).findByLabelText(/\d check.*up, .*ms/);
      const today = (
        await within(await app.screen.findByLabelText('Identity admin, by day')).findAllByLabelText(
          /: (?:up|not checked)$/,
        )
      ).at(-1);
      today?.focus();
      await app.user.keyboard('{ArrowLeft}');
      assert.equal(document.activeElement, today?.previousElementSibling);
      await app.shows(/^v?\d+\.\d+/, row);
      await app.shows('8 hours, or until the OAuth server’s token expires');
      const configured = await app.screen.findAllByText('Configured');
      assert.ok(configured.every((cell) => cell.closest('dd')?.querySelector('[data-status=good]') === null));
    }));

  it('have their state in words, and marks for failed checks only', () =>
    onSystem(
      async (app) => {
        for (const [name, words, marks] of [
          ['Geolocation', 'Up', 0],
          ['Database', 'Up, 55 ms', 0],
          ['OAuth 2.0', 'Degraded, slow, 1,204 ms', 0],
          ['Identity', 'Down, unreachable', 1],
          ['Workforce identity', 'Not configured', 0],
        ] as const) {
          const row = (await app.screen.findByRole('rowheader', { name })).closest('tr') as HTMLElement;
          await app.shows(words, row);
          assert.equal(row.querySelectorAll('circle').length, marks, name);
        }
        await app.shows(/Nothing responds/);
      },
      given(
        state('geo'),
        state('database', { latency_ms: 55 }),
        state('oauth', { status: 'degraded', latency_ms: 1_204, problem: 'slow' }),
        state('identity', down(null)),
        state('iam-identity', { status: 'not_configured' }),
      ),
    ));

  it('that are down are named on every page, with start, consequences and a link', () =>
    suite.open(
      '/settings',
      {
        heading: 'Settings',
        respond: given(state('oauth', down(ago(3_700_000))), state('database', down(ago(100_000)))),
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

describe('a page whose upstream fails', () => {
  const suite = appOfSuite({ people: 3 });

  it('names the service and the problem, and links to the faulty setting', () =>
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
