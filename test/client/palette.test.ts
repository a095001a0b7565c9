import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { matching } from '../../client/app/palette/words.tsx';
import type { Role } from '../../shared/capabilities.ts';
import type { RecordReference, RecordSummary, Records } from '../../shared/records.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { statisticsReady, storeViews, viewOf } from '../support/dashboard-resources.ts';
import { eventually } from '../support/eventually.ts';
import { createIdentity, createPerson } from '../support/identity-pages.ts';
import { createClient } from '../support/oauth-client-pages.ts';

const ID = '018f3b1e-5f0a-4c3e-9d2b-0a1b2c3d4e5f';
const SEARCH = '/api/identities/search';
/** The index reads its lists one after another, with pauses. */
const SYNC_MS = 40_000;

const palette = async (app: App): Promise<HTMLElement> => {
  await waitFor(() => assert.equal(app.screen.queryByLabelText('Search or jump to'), null));
  await app.press(/^Search or jump to/);
  return app.screen.findByLabelText('Search or jump to');
};
/** Replaces the text in the field. */
const type = async (dialog: HTMLElement, app: App, text: string): Promise<void> => {
  const field = await within(dialog).findByRole('combobox');
  await app.user.clear(field);
  await app.user.type(field, text);
};
const paste = async (dialog: HTMLElement, app: App, text: string): Promise<void> => {
  await app.user.click(within(dialog).getByRole('combobox'));
  await app.user.paste(text);
};
const arrivesAt = (app: App, name: string): Promise<HTMLElement> =>
  app.screen.findByRole('heading', { level: 1, name });
const options = (dialog: HTMLElement, group: string): (string | null)[] =>
  [...dialog.querySelectorAll(`[role=group][aria-label="${group}"] [role=option] > span > bdi`)].map(
    ({ textContent }) => textContent,
  );
const status = (dialog: HTMLElement): string | null => within(dialog).getByRole('status').textContent;

describe('the palette', () => {
  const suite = appOfSuite({ people: 10, env: { EXTRA_ROLES: 'support' } });
  const onOverview = (work: (app: App) => Promise<void>, role: Role = 'admin'): Promise<void> =>
    suite.open('/dashboard', { heading: 'Overview', role }, work);
  before(async () => {
    for (const [first, email] of [
      ['Quentin', 'qqz@example.org'],
      ['Zoë Qqz', 'zoe.middle@example.org'],
      ['Anna', 'anna.qqzzy@example.org'],
    ])
      await createIdentity(suite, { schema_id: 'customer', traits: { email, name: { first, last: 'Tester' } } });
    for (const key of ['mail.qqz.host', 'qqz.first', 'other'])
      await suite.call('/api/settings', { json: { key, value: 'secret-value' } });
    await createClient(suite, { client_id: 'shop-1', client_name: 'The qqz shop', owner: 'sales' });
    await storeViews(suite, viewOf('audit', 'b', 'Sign-ins of today', 'action=login'));
    await statisticsReady(suite);
    const total = async (path: string): Promise<number> => (await suite.read<{ total: number }>(path)).total;
    await eventually(() => total(`${SEARCH}?q=anna.qqzzy`), 1, 'identities are indexed', SYNC_MS);
    await eventually(() => total('/api/oauth-clients/search?q=qqz'), 1, 'the client is indexed', SYNC_MS);
  });

  it('finds identities, clients and settings by any part of a text, and opens the best match on Enter', () =>
    onOverview(async (app) => {
      let dialog = await palette(app);
      await type(dialog, app, 'QQZ');
      // On a busy machine, a note may follow: the exact look-up in the store has only a moment longer than the index.
      await waitFor(() => assert.match(status(dialog) ?? '', /^Found: 3 identities, 1 client, 2 settings\./));
      assert.deepEqual(options(dialog, 'Identities'), ['Quentin Tester', 'Anna Tester', 'Zoë Qqz Tester']);
      assert.deepEqual(options(dialog, 'Clients'), ['The qqz shop']);
      assert.deepEqual(options(dialog, 'Settings'), ['qqz.first', 'mail.qqz.host']);
      assert.equal(app.screen.queryByText('secret-value'), null);
      for (const [text, group, name, heading] of [
        ['qqz@example.org', 'Identities', 'Quentin Tester', 'Quentin Tester'],
        ['shop, QQZ', 'Clients', 'The qqz shop', 'The qqz shop'],
        ['qqz.first', 'Settings', 'qqz.first', 'Settings'],
      ] as const) {
        await type(dialog, app, text);
        await waitFor(() => assert.deepEqual(options(dialog, group), [name]));
        await app.user.keyboard('{Enter}');
        await arrivesAt(app, heading);
        if (heading !== 'Settings') dialog = await palette(app);
      }
      assert.equal(app.address(), '/settings?key=qqz.first');
    }));

  it('finds a saved view by part of its name even if its first requests for views fail, and opens it on Enter', () =>
    onOverview(async (app) => {
      let failures = 0;
      app.respond = ({ path }) => {
        if (path !== '/api/dashboard/views' || failures === 2) return undefined;
        failures += 1;
        return Response.json({ error: 'service_unavailable', message: 'Unavailable.' }, { status: 503 });
      };
      const dialog = await palette(app);
      await type(dialog, app, 'of today');
      await waitFor(() => assert.match(dialog.querySelector('[aria-selected=true]')?.textContent ?? '', /^Sign-ins/));
      await app.user.keyboard('{Enter}');
      await waitFor(() => assert.equal(app.address(), '/security/audit?action=login'));
    }));

  it('knows other words for pages and actions, after those whose name matches', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      for (const [text, name] of [
        ['unlock', 'Locked accounts'],
        ['rotate', 'Clients'],
        ['2fa', 'Identities'],
        ['logout', 'Sign out'],
      ]) {
        await type(dialog, app, text as string);
        await waitFor(() => assert.ok(options(dialog, 'Pages and actions').includes(name as string), text));
      }
      const command = (label: string) => ({ id: label, label, icon: null, run() {} });
      const ranked = matching([command('Deactivate…'), command('Bans'), command('Urban')], 'ban').commands;
      assert.deepEqual(
        ranked.map(({ label }) => label),
        ['Bans', 'Urban', 'Deactivate…'],
      );
      await type(dialog, app, 'help');
      await app.user.keyboard('{Enter}');
      await app.screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    }));

  it('moves no line when results arrive after others', () =>
    onOverview(async (app) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      app.respond = ({ path }) => (path.startsWith(SEARCH) ? promise : undefined);
      const dialog = await palette(app);
      const lines = (): (string | null)[] =>
        [...dialog.querySelectorAll('[role=option]')].map((line) => line.textContent);
      await type(dialog, app, 'qqz');
      await waitFor(() => assert.equal(options(dialog, 'Settings').length, 2));
      const before = lines();
      resolve(undefined);
      await waitFor(() => assert.equal(options(dialog, 'Identities').length, 3));
      assert.deepEqual(lines().slice(0, before.length), before);
      assert.equal(dialog.querySelector('[aria-selected=true]')?.textContent, 'qqz.first');
      assert.equal(dialog.querySelector('mark')?.textContent, 'qqz');
    }));

  it('neither sends nor stores a token, and hands it to Introspect', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      await paste(dialog, app, 'Bearer ory_at_secret.part');
      await waitFor(() =>
        assert.equal(status(dialog), 'This looks like an access token. It is neither sent nor stored.'),
      );
      await app.user.keyboard('{Enter}');
      await arrivesAt(app, 'Introspect');
      const field = await app.screen.findByLabelText('Token');
      await waitFor(() => assert.equal((field as HTMLTextAreaElement).value, 'ory_at_secret.part'));
      assert.equal(app.address(), '/oauth/introspect');
      const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, app.requests]);
      assert.ok(!stored.includes('secret'));
      await app.press(/^Search or jump to/);
      await type(await app.screen.findByLabelText('Search or jump to'), app, 'ory_at_secret');
      await app.user.keyboard('{Escape}');
    }));

  it('opens sessions and sign-ins from an IP address, and the address of a page, without a search', () =>
    suite.open('/dashboard', { heading: 'Overview', hasSignInLog: true }, async (app) => {
      const dialog = await palette(app);
      await paste(dialog, app, 'ip=203.0.113.7');
      await app.shows('Sessions from 203.0.113.7', dialog);
      await app.user.click(await app.shows('Sign-ins from 203.0.113.7', dialog));
      await waitFor(() => assert.equal(app.address(), '/security/sign-ins?ip=203.0.113.7'));
      await arrivesAt(app, 'Sign-ins');
      await paste(await palette(app), app, `${app.window.location.origin}/identities?state=inactive`);
      await app.user.keyboard('{Enter}');
      await waitFor(() => assert.equal(app.address(), '/identities?state=inactive'));
      assert.ok(!app.requests.some(({ path }) => /q=/.test(path)));
    }));

  const person: RecordSummary = {
    resource: 'session',
    id: ID,
    name: 'Ada Moreno',
    identity_id: null,
    active: false,
    authenticated_at: '',
    expires_at: new Date(Date.now() - 3 * 86_400_000).toISOString(),
  };
  const client: RecordSummary = { resource: 'client', id: ID, name: 'Shop' };
  const failed = { resource: 'message', id: ID, error: 'upstream_error', message: 'It is away.' } as const;
  const recordsOf = ({ requests }: App): string[][] =>
    requests
      .filter(({ path }) => path.startsWith('/api/records'))
      .map(({ path }) => new URLSearchParams(path.split('?')[1]).getAll('record'));
  const respondsWith = (app: App, over: Partial<Records> | Promise<Partial<Records>>): void => {
    app.respond = async ({ path }) =>
      path.startsWith('/api/records')
        ? Response.json({ records: [], gone: [], failed: [], ...(await over) })
        : undefined;
  };

  it('looks up an ID in one request, and says what it found, what it could not read, or that nobody has it', () =>
    onOverview(async (app) => {
      for (const [over, sentence] of [
        [{ records: [person, client] }, 'Found: Session of Ada Moreno, ended 3 days ago; Client: Shop.'],
        [{ records: [client], failed: [failed] }, 'Found: Client: Shop. Messages could not be read: It is away.'],
        [{ failed: [failed] }, 'Messages could not be read: It is away.'],
        [{}, 'No record has this ID. If it is a request ID, look in the log.'],
      ] as const) {
        respondsWith(app, over as Partial<Records>);
        app.requests.length = 0;
        const id = crypto.randomUUID();
        const dialog = app.screen.queryByLabelText('Search or jump to') ?? (await palette(app));
        await app.user.clear(within(dialog).getByRole('combobox'));
        await paste(dialog, app, `id: ${id}`);
        await waitFor(() => assert.equal(status(dialog), sentence));
        assert.deepEqual(recordsOf(app), [['identity', 'session', 'message', 'client'].map((kind) => `${kind}:${id}`)]);
        assert.ok(!app.requests.some(({ path }) => /search|external|q=/.test(path)));
      }
    }));

  it('requests only kinds that the role may read, and waits on Enter to open the only record', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      for (const records of [[person, client], [person]]) {
        const { promise, resolve } = Promise.withResolvers<Partial<Records>>();
        respondsWith(app, promise);
        app.requests.length = 0;
        const id = crypto.randomUUID();
        await app.user.clear(within(dialog).getByRole('combobox'));
        await paste(dialog, app, id);
        await app.user.keyboard('{Enter}');
        await waitFor(() => assert.equal(status(dialog), 'Looking up the ID…'));
        assert.deepEqual(recordsOf(app), [['identity', 'session', 'message'].map((kind) => `${kind}:${id}`)]);
        assert.equal(app.address(), '/dashboard');
        resolve({ records });
        if (records.length > 1) await waitFor(() => assert.match(status(dialog) ?? '', /^Found: .+; /));
      }
      await waitFor(() => assert.equal(app.address(), `/sessions/${ID}`));
    }, 'support'));

  it('looks up an external ID only on Enter, and otherwise says that nobody has it', () =>
    onOverview(async (app) => {
      await createIdentity(suite, {
        schema_id: 'customer',
        traits: { email: 'external@example.org' },
        external_id: 'crm-4711',
      });
      for (const [text, finds] of [
        ['crm-0', false],
        ['crm-4711', true],
      ] as const) {
        const dialog = app.screen.queryByLabelText('Search or jump to') ?? (await palette(app));
        await type(dialog, app, text);
        const line = await app.shows(`Find external ID: ${text}`, dialog);
        assert.ok(!app.requests.some(({ path }) => path.includes(`external/${text}`)));
        await app.user.click(line);
        if (finds) await arrivesAt(app, 'external@example.org');
        else await waitFor(() => assert.equal(status(dialog), 'No identity has this external ID.'));
      }
    }));

  it('lists favourites and the records opened last when empty, with names from one request, until sign-out', async () => {
    const { id, name } = await createPerson(suite);
    const gone: RecordReference = { resource: 'message', id: ID };
    const summary: RecordSummary = { resource: 'identity', id, name: 'Renamed', identifier: null, state: 'active' };
    await suite.open(`/identities/${id}`, { heading: name }, async (app) => {
      await app.press('Favourite');
      await waitFor(() => assert.ok(app.screen.getByRole('button', { name: 'Favourite', pressed: true })));
      const slot = 'recent-records';
      const [operator] = localStorage.getItem(slot)?.split('\n') ?? [];
      assert.equal(localStorage.getItem(slot), `${operator}\nidentity:${id}`);
      localStorage.setItem(slot, `${operator}\nidentity:${id}\nidentity:broken\nnobody\nmessage:${ID}`);
      respondsWith(app, { records: [summary], gone: [gone] });
      const dialog = await palette(app);
      await waitFor(() => assert.equal(options(dialog, 'Recent')[0], 'Identity: Renamed'));
      assert.deepEqual(options(dialog, 'Favourites'), ['Identity: Renamed']);
      assert.deepEqual(recordsOf(app), [[`identity:${id}`, `message:${ID}`]]);
      await waitFor(() => assert.doesNotMatch(localStorage.getItem(slot) ?? '', /message/));
      localStorage.setItem(slot, `somebody else\nidentity:${id}`);
      await app.user.keyboard('{Escape}');
      respondsWith(app, { gone: [summary] });
      await app.shows('This record no longer exists.', await palette(app));
      assert.deepEqual(options(await app.screen.findByLabelText('Search or jump to'), 'Recent'), []);
      app.respond = ({ path }) => (path === '/api/auth/logout' ? new Response(null, { status: 204 }) : undefined);
      await type(await app.screen.findByLabelText('Search or jump to'), app, 'sign out{Enter}');
      await waitFor(() => assert.equal(localStorage.getItem(slot), null));
    });
  });

  it('shows a viewer no results, and sends no search requests', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      for (const text of ['qqz', 'inactive']) {
        await type(dialog, app, text);
        await app.shows('No results', dialog);
        await waitFor(() => assert.equal(status(dialog), ''));
      }
      const requests = app.requests.filter(({ path }) => /search|settings|\/total|views/.test(path));
      assert.deepEqual(requests, []);
    }, 'viewer'));
});
