import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { becomes } from '../support/becomes.ts';
import { listed, reads, typedIn } from '../support/identity-dom.ts';
import { create } from '../support/identity-pages.ts';

const SEARCH = /^E-mail, username, provider:subject/;

describe('the list of identities without an index', () => {
  const suite = appOfSuite({ people: 50, env: { IDENTITY_INDEX: 'off' } });

  const onList = (work: (app: App) => Promise<void>, query = ''): Promise<void> =>
    suite.open(`/identities${query}`, { heading: 'Identities' }, work);
  const isOff = async ({ screen }: App, button: string): Promise<boolean> =>
    (await screen.findByRole('button', { name: button })).getAttribute('aria-disabled') === 'true';
  /** Pages before the one that is shown, of which the address knows. */
  const pagesBefore = ({ window }: App): number => (window.history.state as { pages?: [] }).pages?.length ?? 0;
  const search = async (app: App, text: string): Promise<void> => {
    await app.fill(SEARCH, text);
    await app.user.keyboard('{Enter}');
  };
  const laterPagesFail = (status: number, message = ''): void => {
    suite.upstream.before = ({ path }) =>
      path.includes('page_token') ? { status, body: JSON.stringify({ error: { code: status, message } }) } : undefined;
  };

  it('says why it filters and sorts nothing, and searches for whole identifiers and their beginnings', () =>
    onList(async (app) => {
      await app.shows(/^The index of identities is off, or has read nothing yet/);
      await reads(/Ordered by id\. The identity service offers no other order\./);
      assert.equal(await isOff(app, 'Filter'), true);
      for (const head of app.screen.getAllByRole('columnheader'))
        assert.equal(within(head).queryAllByRole('button').length, 0);
      await create(suite, { schema_id: 'customer', traits: { email: 'zebulon.pike@example.org' } });
      await search(app, 'Zebulon');
      await app.shows('No identity signs in with this');
      await app.press('Search as prefix');
      await becomes(listed, ['zebulon.pike@example.org']);
      assert.equal(app.address(), '/identities?q=Zebulon*');
      assert.equal(typedIn(app, SEARCH), 'Zebulon*');
      await search(app, 'pike*');
      await app.shows('No identifier begins with this');
    }));

  it('cannot be filtered, which it says to whoever opens a filtered address', () =>
    onList(async (app) => {
      await app.shows('Nothing can be filtered now');
      await app.press('Clear the filters');
      await reads(/1 identity matches/);
    }, '?q=admin@example.com&state=active'));

  it('keeps the rows when a cursor is refused, and starts again on request', () =>
    onList(async (app) => {
      await becomes(() => listed().length, 25);
      const first = listed();
      laterPagesFail(400, 'page token expired, do not persist page tokens');
      await app.press('Next page');
      await app.shows('This page has expired');
      assert.deepEqual(listed(), first);
      await reads(/Page 1, rows 1–25/);
      suite.upstream.before = () => undefined;
      await app.press('Start again from page 1');
      await app.hides('This page has expired');
      await app.press('Next page');
      await reads(/Page 2, rows 26–50/);
    }));

  it('stays on its page when the next one fails, and goes on from there', () =>
    onList(async (app) => {
      await reads(/Page 1, rows 1–25/);
      laterPagesFail(500);
      for (const button of ['Next page', 'Try again']) {
        suite.upstream.seen = [];
        await app.press(button);
        await becomes(() => suite.upstream.seen.some(({ path }) => path.includes('page_token')), true);
        await app.screen.findByRole('alert');
        await reads(/Page 1, rows 1–25/);
        await becomes(() => pagesBefore(app), 0);
        assert.deepEqual([await isOff(app, 'Previous page'), await isOff(app, 'Next page')], [true, false]);
      }
      suite.upstream.before = () => undefined;
      await app.press('Next page');
      await reads(/Page 2, rows 26–50/);
      await waitFor(() => assert.equal(app.screen.queryAllByRole('alert').length, 0));
      assert.equal(pagesBefore(app), 1);
    }));

  const identity = (n: number, more: object = {}) => ({
    id: `00000000-0000-4000-8000-00000000000${n}`,
    traits: { email: `somebody-${n}@example.org` },
    state: 'active',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...more,
  });
  const linkTo = (token: string, host = '') => ({
    link: `<${host}/admin/identities?page_size=25&page_token=${token}>; rel="next"`,
  });

  for (const [title, cursors] of [
    ['the same page', ['a', 'a']],
    ['an earlier page', ['a', 'b', 'a']],
  ] as const)
    it(`ends where the next page would be ${title}`, () =>
      onList(async (app) => {
        suite.upstream.before = ({ path }) => {
          if (!path.includes('page_size=100')) return undefined;
          const token = new URL(path, 'http://store').searchParams.get('page_token');
          const n = token === null ? 0 : cursors.indexOf(token as 'a') + 1;
          return { status: 200, headers: linkTo(cursors[n] ?? ''), body: JSON.stringify([identity(n)]) };
        };
        await app.choose('Rows per page', '100 rows');
        await app.shows('somebody-0@example.org');
        for (let n = 1; n < cursors.length; n += 1) {
          await app.press('Next page');
          await app.shows(`somebody-${n}@example.org`);
        }
        assert.equal(await isOff(app, 'Next page'), true);
      }));

  it('shows rows with a thousand extra fields, odd traits and hostile text, and asks no other host for more', () =>
    onList(async (app) => {
      const thousandFields = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field_${n}`, { n }]));
      suite.upstream.before = ({ path }) =>
        path.includes('page_size=100')
          ? {
              status: 200,
              headers: linkTo('more', 'http://elsewhere.example'),
              body: JSON.stringify([
                identity(1, thousandFields),
                identity(2, { traits: null, state: null, created_at: 'yesterday' }),
                identity(3, { traits: { email: { deep: true }, name: ['x'] }, state: 'banned' }),
                identity(4, { traits: { email: '<img src=x onerror=alert(1)>\u202e' } }),
              ]),
            }
          : undefined;
      await app.choose('Rows per page', '100 rows');
      await app.shows('somebody-1@example.org');
      await app.shows('banned');
      await app.shows('<img src=x onerror=alert(1)>⟨U+202E⟩');
      assert.equal(app.screen.getAllByText('no identifier').length, 2);
      assert.equal(await isOff(app, 'Next page'), false);
    }));
});
