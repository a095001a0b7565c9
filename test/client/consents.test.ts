import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { IdentitySearchPage } from '../../shared/identities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { areActive, createConsentClient, giveConsent, listedConsent } from '../support/oauth-client-pages.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';
const LOGIN = '/admin/oauth2/auth/sessions/login';
/** The page searches for no people if the subject is an ID. */
const SUBJECT = '00000000-0000-4000-8000-000000000001';

describe('the consents page', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL', people: 3 });
  let people: { id: string; email: string }[];
  before(async () => {
    await suite.indexReady();
    const { identities } = await suite.read<IdentitySearchPage>('/api/identities/search?q=example');
    people = identities.map(({ id, traits }) => ({ id, email: String(traits['email']) }));
  });
  /** @param consents listed by the OAuth server, even after they are revoked */
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
  const search = async (app: App, text: string): Promise<void> => {
    await app.fill('Subject or person', text);
    await app.user.keyboard('{Enter}');
  };
  const group = (app: App, name: string): Promise<HTMLElement> => app.screen.findByRole('region', { name });
  const writes = (app: App): string[] =>
    app.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path.replace('/api/oauth-admin', ''));
  const atHour = (hour: number): string => `2026-01-01T0${hour}:00:00Z`;

  it('opens with the focus in its search, whichever link leads to it', async () => {
    const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;
    await suite.open('/oauth/introspect', { heading: 'Introspect' }, async (app) => {
      await app.user.click(await app.screen.findByRole('link', { name: 'Consents' }));
      await app.screen.findByRole('heading', { level: 1, name: 'Consents' });
      await waitFor(() => assert.equal(focused(), 'Subject or person'));
    });
    await suite.open(`/identities/${people[0]?.id}/consents`, {}, async (app) => {
      await app.user.click(await app.screen.findByRole('link', { name: 'search for it' }));
      await waitFor(() => assert.equal(focused(), 'Subject or person'));
    });
  });

  it('groups consents by client, newest first, and displays none of their claims', () =>
    onConsents(
      { subject: 'no-such-person' },
      [
        listedConsent('1', { client: 'shop', name: 'Shop', at: atHour(1) }),
        listedConsent('2', { client: 'forum', name: 'Forum', at: atHour(3), scopes: ['openid', 'email'] }),
        listedConsent('3', { client: 'shop', name: 'Shop', at: atHour(2) }),
      ],
      async (app) => {
        await app.shows(/3 consents to 2 clients, newest first/);
        const names = app.screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
        assert.deepEqual(names, ['Forum', 'Shop']);
        assert.equal(within(await group(app, 'Shop')).getAllByRole('listitem').length, 2);
        await app.shows(/openid, email/, await group(app, 'Forum'));
        assert.ok(!document.body.innerHTML.includes('not-shown@example.org'));
      },
    ));

  it('reports a revocation as successful only after the server no longer lists the consents', () =>
    onConsents(
      { subject: 'no-such-person' },
      [listedConsent('1', { client: 'shop', name: 'Shop' }), listedConsent('2', { client: 'shop', name: 'Shop' })],
      async (app) => {
        const list = app.respond;
        app.respond = (request) => (request.method === 'DELETE' ? new Response(null, { status: 204 }) : list(request));
        await app.press('Revoke these 2…');
        const dialog = await app.screen.findByRole('dialog', { name: 'Revoke all consents to Shop?' });
        await app.press('Revoke consents', dialog);
        await app.shows(/accepted the request, but 2 consents are still there/, dialog);
        app.respond = (request) =>
          request.method === 'GET' ? listing([])(request) : new Response(null, { status: 204 });
        await app.press('Revoke consents', dialog);
        await app.shows('No consents for this subject');
        assert.deepEqual(writes(app), Array(2).fill(`${CONSENTS}?subject=no-such-person&client=shop`));
      },
    ));

  it('revokes one consent, or all of a subject, with their tokens', async () => {
    const [shop, forum] = [await createConsentClient(suite, 'Shop'), await createConsentClient(suite, 'Forum')];
    const given = [];
    for (const client of [shop, forum, shop]) given.push(await giveConsent(suite, client, 'viewer'));
    const subject = given[0]?.subject ?? assert.fail();
    const tokens = given.map(({ access }) => access);
    await suite.open(`/oauth/consents?subject=${subject}`, { heading: 'Consents' }, async (app) => {
      const ofShop = async () =>
        within(await group(app, 'Shop')).getAllByRole('button', { name: /^Revoke the consent/ });
      (await ofShop()).at(-1)?.focus();
      await app.user.keyboard('{Enter}');
      await app.shows(/All tokens issued under this consent are revoked at once/);
      await app.press('Revoke consent', await app.screen.findByRole('dialog'));
      await waitFor(async () => assert.equal((await ofShop()).length, 1));
      assert.deepEqual(await areActive(suite, tokens), [false, true, true]);
      await waitFor(() => assert.ok(document.activeElement?.closest('main')));
      await app.press('Revoke all…');
      await app.press('Revoke consents', await app.screen.findByRole('dialog'));
      await app.shows('No consents for this subject');
      assert.deepEqual(await areActive(suite, tokens), [false, false, false]);
      assert.deepEqual(
        writes(app).map((path) => path.replace(/(consent_request_id)=[^&]+/, '$1=…')),
        [`${CONSENTS}?consent_request_id=…&identity=${subject}`, `${CONSENTS}?subject=${subject}&all=true`],
      );
    });
  });

  it('finds people by part of an e-mail address, opens a single match, and offers a choice of several', () =>
    onConsents({}, [], async (app) => {
      const withConsent = listing([listedConsent('1', { client: 'shop', name: 'Shop' })]);
      app.respond = (request) =>
        request.path.includes(`subject=${people[0]?.id}`) ? withConsent(request) : listing([])(request);
      await app.shows(/Anything else finds people by any part of a name, e-mail/);
      await search(app, people[0]?.email.toUpperCase() ?? assert.fail());
      await group(app, 'Shop');
      await app.screen.findByRole('link', { name: new RegExp(`${people[0]?.email}$`) });
      await app.press('Revoke all…');
      await app.screen.findByRole('dialog', { name: `Revoke all consents of ${people[0]?.email}?` });
      await app.press('Cancel');
      await app.press('Show this subject anyway');
      await app.shows('No consents for this subject');
      await search(app, 'example');
      await app.shows(/Choose a person/);
      await app.press(new RegExp(`, ${people[0]?.email}$`));
      await group(app, 'Shop');
      assert.equal(app.address(), `/oauth/consents?subject=${people[0]?.id}`);
    }));

  it('ends login sessions separately from consents, and keeps the dialog open while the server fails', () =>
    onConsents({ subject: SUBJECT }, [], async (app) => {
      suite.upstream.before = ({ path }) => (path.startsWith(LOGIN) ? { status: 500, body: '{}' } : undefined);
      await app.press('End login sessions…');
      const dialog = await app.screen.findByRole('dialog', { name: /^End the login sessions of/ });
      await app.shows(/Consents and tokens remain/, dialog);
      await app.press('End login sessions', dialog);
      await within(dialog).findByRole('alert');
      suite.upstream.reset();
      await app.press('End login sessions', dialog);
      await app.shows(/^Ended the login sessions of .*, if there were any/);
      assert.deepEqual(writes(app), Array(2).fill(`${LOGIN}?subject=${SUBJECT}`));
    }));

  it('keeps a dialog open when a search for people ends in the background', () =>
    onConsents({ subject: 'nobody@example.net' }, [], async (app) => {
      const lists = app.respond;
      const { promise: search, resolve: find } = Promise.withResolvers<undefined>();
      app.respond = (request) => (request.path.startsWith('/api/identities/search') ? search : lists?.(request));
      await app.screen.findByRole('status', { name: 'Searching for people' });
      await app.press('End login sessions…');
      const dialog = await app.screen.findByRole('dialog');
      find(undefined);
      await app.shows('No consents for this subject');
      assert.ok(dialog.isConnected);
    }));
});
