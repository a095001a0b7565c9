import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import type { Consent } from '../../client/api/consents.ts';
import { byClient, formatMemory, formatSignIn } from '../../client/features/consents/consent-groups.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { becomes } from '../support/becomes.ts';
import { person } from '../support/identity-pages.ts';
import { listedConsent } from '../support/oauth-client-pages.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';
const LOGIN = '/admin/oauth2/auth/sessions/login';

describe('the page of consents', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });
  /** @param consents that the OAuth server lists, whatever is written */
  const onConsents = (
    search: Record<string, string>,
    consents: Record<string, unknown>[],
    work: (app: App) => Promise<void>,
  ): Promise<void> =>
    suite.open(
      `/oauth/consents?${new URLSearchParams(search)}`,
      { heading: 'Consents', respond: listing(consents) },
      work,
    );
  const listing =
    (consents: Record<string, unknown>[]): App['respond'] =>
    ({ method, path }) =>
      method === 'GET' && path.startsWith(`/api/oauth-admin${CONSENTS}`) ? Response.json(consents) : undefined;
  const group = (app: App, name: string): Promise<HTMLElement> => app.screen.findByRole('region', { name });
  const writes = (app: App): string[] =>
    app.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path.replace('/api/oauth-admin', ''));
  const atHour = (hour: number): string => `2026-01-01T0${hour}:00:00Z`;

  it('shows them by client, latest first, without the claims', () =>
    onConsents(
      { subject: 'somebody' },
      [
        listedConsent('1', { client: 'shop', name: 'Shop', at: atHour(1) }),
        listedConsent('2', { client: 'forum', name: 'Forum', at: atHour(3), scopes: ['openid', 'email'] }),
        listedConsent('3', { client: 'shop', name: 'Shop', at: atHour(2) }),
      ],
      async (app) => {
        await app.shows(/3 consents to 2 clients, latest first/);
        const names = app.screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
        assert.deepEqual(names, ['Forum', 'Shop']);
        assert.equal(within(await group(app, 'Shop')).getAllByRole('listitem').length, 2);
        await app.shows(/openid, email/, await group(app, 'Forum'));
        assert.ok(!document.body.innerHTML.includes('not-shown@example.org'));
      },
    ));

  it('asks whose, keeps subject and client in the address, and searches identities if there are none', () =>
    onConsents({}, [], async (app) => {
      await app.shows('Whose consents?');
      assert.deepEqual(suite.upstream.seen, [], 'without a subject there is nothing to request');
      await app.fill('Subject', ' somebody@example.org ');
      await app.user.keyboard('{Enter}');
      await app.shows('Nothing is granted under this subject');
      assert.equal(app.address(), '/oauth/consents?subject=somebody%40example.org');
      await app.press('Find the identity that signs in with it');
      await app.screen.findByRole('heading', { level: 1, name: 'Identities' });
      await becomes(() => app.address(), '/identities?q=somebody%40example.org');
    }));

  it('says that there are more than were given at once, and keeps them in order', () => {
    const consents = (count: number, month: (n: number) => number): Record<string, unknown>[] =>
      Array.from({ length: count }, (_, n) => listedConsent(`${month(n)}`, { at: `2026-0${month(n)}-01T00:00:00Z` }));
    const respond: App['respond'] = ({ path }) => {
      if (!path.startsWith(`/api/oauth-admin${CONSENTS}`)) return undefined;
      if (path.includes('page_token=second')) return Response.json(consents(1, () => 9));
      const Link = `<${CONSENTS}?page_token=second&subject=many>; rel="next"`;
      return Response.json(
        consents(7, (n) => n + 1),
        { headers: { Link } },
      );
    };
    return suite.open('/oauth/consents?subject=many', { respond }, async (app) => {
      await app.shows(/7 consents to 1 client loaded so far, latest first/);
      await app.shows(/more recent ones may be among those not loaded yet/);
      assert.equal(within(await group(app, 'App')).getAllByRole('listitem').length, 5);
      await app.press('Load more');
      await app.shows(/8 consents to 1 client, latest first/);
      await app.press('Show 3 older');
      await app.shows('Show the latest only');
      const times = [...(await group(app, 'App')).querySelectorAll('time')].map(({ dateTime }) => dateTime);
      assert.equal(times.length, 8);
      assert.deepEqual(times, times.toSorted().toReversed());
    });
  });

  it('reports no success if the server only says so', () =>
    onConsents(
      { subject: 'somebody' },
      [listedConsent('1', { client: 'shop', name: 'Shop' }), listedConsent('2', { client: 'shop', name: 'Shop' })],
      async (app) => {
        const list = app.respond;
        app.respond = (request) => (request.method === 'DELETE' ? new Response(null, { status: 204 }) : list(request));
        await app.press('Revoke these 2…');
        const dialog = await app.screen.findByRole('dialog', { name: 'Revoke all consents to Shop?' });
        await app.press('Revoke', dialog);
        await app.shows(/accepted the request, but 2 consents are still there/, dialog);
        assert.deepEqual(writes(app), [`${CONSENTS}?subject=somebody&client=shop`]);
      },
    ));

  it('ends login sessions with a request of its own, and keeps the dialog while the server fails', () =>
    onConsents({ subject: 'somebody' }, [], async (app) => {
      suite.upstream.before = ({ path }) => (path.startsWith(LOGIN) ? { status: 500, body: '{}' } : undefined);
      await app.press('End login sessions…');
      const dialog = await app.screen.findByRole('dialog', { name: /^End the login sessions of somebody/ });
      await app.shows(/Consents and tokens remain/, dialog);
      await app.press('End login sessions', dialog);
      await within(dialog).findByRole('alert');
      suite.upstream.calm();
      await app.press('End login sessions', dialog);
      await app.shows(/are ended, if there were any/);
      assert.deepEqual(writes(app), Array(2).fill(`${LOGIN}?subject=somebody`));
    }));

  it('is also a tab of the identity whose id is the subject, with their number', async () => {
    const { id } = await person(suite);
    const respond = listing([listedConsent('c', { name: 'Only one' })]);
    await suite.open(`/identities/${id}`, { respond }, async (app) => {
      const tab = (): Element | null => document.querySelector(`main a[href$='/${id}/consents']`);
      await becomes(() => tab()?.textContent, 'Consents1');
      await app.user.click(tab() ?? assert.fail());
      await group(app, 'Only one');
      await app.shows(/with this identity’s id as the OAuth subject/);
      const requested = app.requests.filter(({ path }) => path.includes(CONSENTS)).map(({ path }) => path);
      assert.deepEqual([...new Set(requested)], [`/api/oauth-admin${CONSENTS}?subject=${id}&page_size=500`]);
    });
  });
});

describe('a consent', () => {
  const consent = (id: string, at: string, clientId = 'app'): Consent => ({
    id,
    at,
    clientId,
    clientName: 'App',
    scopes: [],
    audiences: [],
    rememberedFor: 0,
    methods: [],
  });

  it('comes in its client’s group, latest first, one without a time last', () => {
    const groups = byClient([
      consent('old', '2026-01-01T00:00:00Z'),
      consent('never', ''),
      consent('other', '2026-01-02T00:00:00Z', 'other'),
      // Sorts last as text, but in UTC it is still the day before.
      consent('east', '2026-01-03T00:30:00+14:00', 'third'),
      consent('new', '2026-01-03T00:00:00Z'),
    ]);
    assert.deepEqual(
      groups.map(({ clientId, consents }) => [clientId, ...consents.map(({ id }) => id)]),
      [
        ['app', 'new', 'old', 'never'],
        ['third', 'east'],
        ['other', 'other'],
      ],
    );
  });

  it('says how long it is remembered, and how the person had signed in', () => {
    assert.deepEqual([0, Number.POSITIVE_INFINITY, 90, 30 * 86_400].map(formatMemory), [
      'not remembered',
      'remembered until it is revoked',
      'remembered for 2 minutes',
      'remembered for 30 days',
    ]);
    assert.equal(formatSignIn({ methods: ['password', 'totp'] }), 'signed in by password and authenticator app');
    assert.equal(formatSignIn({ methods: [] }), undefined);
  });
});
