import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { hasFilters, identitySearchParams } from '../../client/api/identity-filters.ts';
import { inWords } from '../../client/api/search-snapshot.ts';
import { type IdentitiesSearch, parseIdentitiesSearch } from '../../client/features/identities/identity-resource.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { fieldValue, listedIdentifiers, waitForText } from '../support/identity-dom.ts';
import { createIdentity } from '../support/identity-pages.ts';

const SEARCH = /^Any part of an e-mail/;
const SEARCH_WITHOUT_INDEX = /^E-mail, username, provider:subject/;

async function searchIn(app: App, label: RegExp, text: string): Promise<void> {
  await app.fill(label, text);
  await app.user.keyboard('{Enter}');
}

describe('the list of identities', () => {
  const suite = appOfSuite({ people: 60 });
  let zebedee: string;
  before(async () => {
    const people = await Promise.all(
      [
        ['Zebedee', 'active'],
        ['Aurora', 'inactive'],
      ].map(([first = '', state]) =>
        createIdentity(suite, {
          schema_id: 'customer',
          state,
          external_id: `crm/${first} 7`,
          traits: { email: `${first}@example.org`, name: { first, last: 'Quillfeather' } },
        }),
      ),
    );
    zebedee = people[0]?.id ?? '';
    await suite.indexReady();
  });

  const onList = (query: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities${query}`, { heading: 'Identities' }, work);
  const byIdentifier = (first: string, second: string): number => (first.toLowerCase() < second.toLowerCase() ? -1 : 1);

  it('is searched for any part of a text during typing, without new entries in the browser’s history', () =>
    onList('', async (app) => {
      await waitForText(/Page 1, rows 1–25 of 64, as of \d\d:\d\d/);
      const entries = app.window.history.length;
      await app.fill(SEARCH, 'LLFEÁTH');
      await waitForText(/2 identities match, as of \d\d:\d\d/);
      app.screen.getByLabelText(SEARCH).blur();
      await app.user.keyboard('r');
      await eventually(
        () => app.requests.some(({ path }) => /search\?.*q=.*refresh=true/.test(path)),
        true,
        'the key r requests a refresh',
      );
      await eventually(() => listedIdentifiers().toSorted(), ['Aurora@example.org', 'Zebedee@example.org']);
      assert.equal(app.address(), `/identities?q=${encodeURIComponent('LLFEÁTH')}`);
      assert.equal(app.window.history.length, entries);
      await app.press('Clear the search');
      await waitForText(/Page 1, rows 1–25/);
      assert.equal(app.address(), '/identities');
    }));

  it('says if the identity service did not look up a whole identifier', () =>
    onList('', async (app) => {
      suite.upstream.before = ({ path }) => (path.includes('credentials_identifier') ? 'silence' : undefined);
      await app.fill(SEARCH, 'Zebedee@example.org');
      await waitForText(/1 identity matches.*\. The identity service could not look up the whole identifier\./);
      await app.fill(SEARCH, 'Zebedee@nowhere.example');
      await waitForText(/“Zebedee@nowhere\.example”\. People as of [^.]*\d\d:\d\d\. The identity service could not/);
      assert.equal(app.screen.queryAllByText(/A whole e-mail/).length, 0);
      suite.upstream.reset();
      await app.fill(SEARCH, '“Zebedee”@nowhere');
      await waitForText(/People as of [^.]*\d\d:\d\d\. A whole e-mail, username or ID also finds people/);
    }));

  it('is empty for a link whose text is too long, and names invalid filters of a link until it is searched', async () => {
    const [tooLong, words] = [`?q=${'x'.repeat(256)}`, 'This search is too long (255 characters at most).'];
    await suite.open('/identities/export', {}, async (app) => {
      await app.screen.findByText('Export all identities');
      app.window.history.pushState(null, '', `/identities/export${tooLong}`);
      await app.shows(words);
      assert.equal(app.screen.queryAllByText(/^Export all/).length, 0);
    });
    for (const path of ['/identities', '/sessions', '/oauth/clients'])
      await suite.open(path + tooLong, {}, async (app) => {
        await app.shows(words);
        assert.equal(app.screen.queryAllByRole('table').length, 0);
        const isList = ({ path }: { path: string }): boolean => /\/(?:identities|search|sessions|clients)\?/.test(path);
        assert.deepEqual(app.requests.filter(isList), []);
      });
    await onList('?state=gone&created=7d', async (app) => {
      await app.shows(/which were left out: state\.$/);
      await waitForText(/6 identities match/);
      await app.fill(SEARCH, 'Quillfeather');
      await app.hides(/which were left out/);
      assert.equal(app.address(), '/identities?created=7d&q=Quillfeather');
    });
  });

  it('is sorted by its column headers across all pages', () =>
    onList('', async (app) => {
      await eventually(() => listedIdentifiers().length, 25);
      const headerOf = (name: string): HTMLElement => app.screen.getByRole('columnheader', { name });
      const sortBy = (name: string): Promise<void> => app.user.click(within(headerOf(name)).getByRole('button'));
      assert.equal(headerOf('Created').getAttribute('aria-sort'), 'descending');
      await sortBy('Identity');
      await eventually(() => app.address(), '/identities?sort=identifier');
      const isSorted = (all: string[]): boolean =>
        all.length === 25 && String(all) === String(all.toSorted(byIdentifier));
      await eventually(() => isSorted(listedIdentifiers()), true);
      assert.equal(headerOf('Identity').getAttribute('aria-sort'), 'ascending');
      const first = listedIdentifiers();
      await app.press('Next page');
      await waitForText(/Page 2, rows 26–50/);
      await eventually(() => isSorted([...first.slice(1), listedIdentifiers()[0] ?? '']), true);
      await sortBy('Identity');
      await eventually(() => app.address(), '/identities?sort=-identifier');
      await waitForText(/Page 1, rows 1–25/);
      await eventually(() => isSorted(listedIdentifiers().toReversed()), true);
      await sortBy('Last sign-in');
      await eventually(() => app.address(), '/identities?sort=-last_session');
    }));

  it('opens an identity by its ID or external ID', () =>
    onList('', async (app) => {
      await searchIn(app, SEARCH, 'crm/Zebedee 7');
      await waitForText(/Searched for: “crm\/Zebedee 7”\./);
      await app.press('Look up as external ID');
      await app.screen.findByRole('heading', { level: 1, name: /Zebedee/ });
      assert.equal(app.address(), `/identities/${zebedee}`);
      await app.user.click((await app.screen.findAllByRole('link', { name: 'Identities' })).at(-1) as HTMLElement);
      await app.fill(SEARCH, `"${zebedee.toUpperCase()}"`);
      await app.shows(/^This is an identity ID/);
      await app.user.keyboard('{Enter}');
      await eventually(() => app.address(), `/identities/${zebedee}`);
    }));
});

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const paramsOf = (search: IdentitiesSearch) => Object.fromEntries(identitySearchParams(search, NOW));
const words = (search: IdentitiesSearch) => inWords(search).split(', ');
const midnight = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();

describe('the URL of the identities list', () => {
  it('preserves valid parameters', () => {
    const search = {
      q: 'ada',
      state: 'inactive',
      schema: 'customer_v2',
      verified: 'no',
      created: '7d',
      updated: '2026-01-01..',
      session: 'none-90d',
      sort: '-last_session',
    } as const;
    assert.deepEqual(parseIdentitiesSearch({ ...search, page_size: '100' }), { ...search, page_size: 100 });
    for (const session of ['none', '30d', '..2026-01-31', '2026-01-01..2026-01-01'])
      assert.deepEqual(parseIdentitiesSearch({ session }), { session });
  });

  it('drops invalid and unknown parameters', () => {
    const invalid: Record<string, unknown[]> = {
      q: ['', '  ', '\0', 'x'.repeat(256), 1, ['a']],
      state: ['on', 'ACTIVE', ''],
      schema: ['', 'x'.repeat(256), {}],
      verified: ['true', ''],
      created: ['', '0d', '-1d', '7', '10000d', '..', '2026-02-30..', '2026-13-01..', '2026-01-02..2026-01-01', 'none'],
      session: ['none-', 'none-0d', 'nobody', '0026-01-01..', 7],
      sort: ['-created', 'name', '--updated', 'constructor'],
      page_size: ['25', '0', '251', '1e2', ' 50', '-1', 'abc'],
      prefix: ['ada'],
    };
    for (const [name, values] of Object.entries(invalid))
      for (const value of values) assert.deepEqual(parseIdentitiesSearch({ [name]: value }), {}, `${name}=${value}`);
  });
});

describe('the parameters of an identities search', () => {
  it('have the names and the format of times that the service expects', () => {
    assert.deepEqual(paramsOf({ q: 'ada', state: 'active', schema: 'default', verified: 'yes', sort: 'identifier' }), {
      q: 'ada',
      state: 'active',
      schema_id: 'default',
      verified: 'true',
      sort: 'identifier',
      order: 'asc',
    });
    assert.deepEqual(paramsOf({ verified: 'no', sort: '-updated' }), {
      verified: 'false',
      sort: 'updated',
      order: 'desc',
    });
    assert.deepEqual(paramsOf({ created: '7d' }), { created_from: '2026-03-03T12:00:00.000Z' });
    assert.deepEqual(paramsOf({ session: 'none' }), { no_session: 'true' });
    assert.deepEqual(paramsOf({ session: 'none-90d' }), { no_session: 'true', session_to: '2025-12-10T12:00:00.000Z' });
  });

  it('count days from midnight to midnight in the operator’s time zone', () => {
    assert.deepEqual(paramsOf({ updated: '2026-01-01..2026-02-28', session: '2026-01-31..' }), {
      updated_from: midnight(2026, 1, 1),
      updated_to: midnight(2026, 3, 1),
      session_from: midnight(2026, 1, 31),
    });
    assert.deepEqual(paramsOf({ created: '..2026-12-31' }), { created_to: midnight(2027, 1, 1) });
  });
});

describe('the description of an identities search', () => {
  it('contains the searched text and each filter in words', () => {
    const all = {
      q: 'ada',
      state: 'inactive',
      schema: 'v2',
      verified: 'no',
      created: '7d',
      session: 'none-90d',
    } as const;
    assert.deepEqual(words(all), [
      '“ada”',
      'inactive',
      'schema v2',
      'no verified address',
      'created in the last 7 days',
      'no known session for 90 days',
    ]);
  });

  it('makes invisible characters visible, and omits order and page size', () => {
    const ordered: IdentitiesSearch = { sort: 'identifier', page_size: 50 };
    assert.equal(inWords({ ...ordered, schema: 'a\u202eb' }), 'schema a⟨U+202E⟩b');
    assert.equal(hasFilters(ordered), false);
    assert.equal(hasFilters({ q: 'ada' }), true);
  });
});

describe('the app without an identity index', () => {
  const suite = appOfSuite({ people: 50, env: { IDENTITY_INDEX: 'off' } });

  const onList = (work: (app: App) => Promise<void>, query = ''): Promise<void> =>
    suite.open(`/identities${query}`, { heading: 'Identities' }, work);
  const isDisabled = async ({ screen }: App, button: string): Promise<boolean> =>
    (await screen.findByRole('button', { name: button })).getAttribute('aria-disabled') === 'true';

  it('explains on the overview and the session map why there are no numbers', async () => {
    await suite.open('/', { heading: 'Overview' }, async (app) => {
      await app.screen.findAllByText(/^There are no numbers: the index is off/);
      await app.shows(/^The index is off \(IDENTITY_INDEX=off\)/);
    });
    await suite.open('/sessions', { heading: 'Sessions' }, async (app) => {
      await app.press('Map');
      await app.shows(/^The index is off \(IDENTITY_INDEX=off\)/);
    });
  });

  for (const [path, heading, nothing] of [
    ['/oauth/consents?subject=Ada', 'Consents', 'No consents for this subject'],
    ['/messages?recipient=Ada', 'Messages', 'No message to this recipient'],
  ] as const)
    it(`explains on the page ${heading} why a person cannot be found by name`, () =>
      suite.open(path, { heading }, async (app) => {
        await app.shows(/The index of identities is off.* cannot be found by name or e-mail/);
        await app.shows(nothing);
      }));

  it('explains why the list of identities cannot be filtered or sorted, and finds identifiers by prefix', () =>
    onList(async (app) => {
      await app.shows(/^The index of identities is off or still empty/);
      await waitForText(/Ordered by ID\. The identity service offers no other order\./);
      assert.equal(await isDisabled(app, '+ State'), true);
      for (const header of app.screen.getAllByRole('columnheader'))
        assert.equal(within(header).queryAllByRole('button').length, 0);
      await createIdentity(suite, { schema_id: 'customer', traits: { email: 'zebulon.pike@example.org' } });
      await searchIn(app, SEARCH_WITHOUT_INDEX, 'Zebulon');
      await app.shows('No identity signs in with this');
      await app.press('Search as prefix');
      await eventually(listedIdentifiers, ['zebulon.pike@example.org']);
      assert.equal(app.address(), '/identities?q=Zebulon*');
      assert.equal(fieldValue(app, SEARCH_WITHOUT_INDEX), 'Zebulon*');
      await searchIn(app, SEARCH_WITHOUT_INDEX, 'pike*');
      await app.shows('No identifier begins with this');
    }));

  it('explains that filters in a URL are unavailable, and clears them on request', () =>
    onList(async (app) => {
      await app.shows('Filters are unavailable');
      await app.press('Clear the filters');
      await waitForText(/1 identity matches/);
    }, '?q=admin@example.com&state=active'));

  it('keeps the rows of a list if the service rejects the next cursor, and starts again on request', () =>
    onList(async (app) => {
      await eventually(() => listedIdentifiers().length, 25);
      const first = listedIdentifiers();
      const error = { code: 400, message: 'page token expired, do not persist page tokens' };
      suite.upstream.before = ({ path }) =>
        path.includes('page_token') ? { status: 400, body: JSON.stringify({ error }) } : undefined;
      await app.press('Next page');
      await app.shows('This page has expired');
      assert.deepEqual(listedIdentifiers(), first);
      await waitForText(/Page 1, rows 1–25/);
      suite.upstream.before = () => undefined;
      await app.press('Start again from page 1');
      await app.hides('This page has expired');
      await app.press('Next page');
      await waitForText(/Page 2, rows 26–50/);
    }));

  it('returns from an empty page to the previous page on request', () =>
    onList(async (app) => {
      suite.upstream.before = ({ path }) => (path.includes('page_token') ? { status: 200, body: '[]' } : undefined);
      await app.press('Next page');
      await waitForText(/Page 2, no identities/);
      suite.upstream.before = () => undefined;
      await app.press('Previous page');
      await waitForText(/Page 1, rows 1–25/);
    }));
});
