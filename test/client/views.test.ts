import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { changeFavourites, changeViews, viewsQuery } from '../../client/api/views.ts';
import { createQueryClient } from '../../client/app/query-client.ts';
import {
  adding,
  changing,
  nameIn,
  newViewId,
  removing,
  searchOf,
  viewMatching,
  viewSearch,
} from '../../client/list/saved-views.ts';
import { parseViews } from '../../server/features/own-documents.ts';
import { type SavedView, type SavedViews, VIEW_ID, VIEWS_MAX } from '../../shared/dashboard.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { placementOf, storedLayout, storedViews, storeViews, viewOf } from '../support/dashboard-resources.ts';
import { createIdentity } from '../support/identity-pages.ts';

const view = (id: string, name = id, search = 'state=inactive'): SavedView => ({
  id,
  resource: 'identities',
  name,
  search,
});
const many = (count: number): SavedView[] => Array.from({ length: count }, (_, index) => view(`v${index}`));

describe('a view of a list', () => {
  it('has the URL’s parameters in a fixed order, without the page size', () => {
    const address = { q: 'ä b&c', page_size: 50, created: '7d', state: undefined, columns: 'id,name' };
    assert.equal(viewSearch(address), 'columns=id%2Cname&created=7d&q=%C3%A4+b%26c');
    assert.deepEqual(searchOf({ search: viewSearch(address) }), { q: 'ä b&c', created: '7d', columns: 'id,name' });
    assert.equal(viewSearch({ page_size: 50 }), '');
  });

  it('is recognised at its own URL only, whatever the order of its parameters', () => {
    const views = [view('a', 'A', 'q=x&state=active'), view('b', 'B', 'state=active')];
    assert.equal(viewMatching(views, { state: 'active', q: 'x', page_size: 25 })?.id, 'a');
    assert.equal(viewMatching(views, { q: 'x' }), undefined);
    assert.equal(viewMatching(views, {}), undefined);
  });

  it('is accepted by the service exactly as the app sends it', () => {
    const saved = view(
      newViewId(),
      nameIn('  Naïve\u0000\n“x”  '),
      viewSearch({ q: '"<>\u{1f600}#%\\ \u0000', a: 'é' }),
    );
    assert.equal(saved.name, 'Naïve “x”');
    assert.match(saved.id, VIEW_ID);
    assert.deepEqual(parseViews({ views: [saved] }), { views: [saved] });
    assert.notEqual(newViewId(), newViewId());
  });
});

describe('a change to views', () => {
  it('adds a view only once, and rejects views above the limit', () => {
    assert.deepEqual(adding(view('b'))(adding(view('b'))([view('a')])), [view('a'), view('b')]);
    assert.throws(() => adding(view('b'))(many(VIEWS_MAX)), /which is the limit/);
  });

  it('does not affect other views', () => {
    const views = [view('a', 'Renamed elsewhere'), view('b')];
    assert.deepEqual(changing('a', { search: 'q=x' })(views), [view('a', 'Renamed elsewhere', 'q=x'), view('b')]);
    assert.throws(() => changing('c', {})(views), /was deleted in another tab/);
    assert.deepEqual(removing('a')(removing('a')(views)), [view('b')]);
  });
});

describe('storing a change to views', () => {
  let stored: SavedViews & { version: number };
  /** Runs before each PUT. */
  let beforePut: () => void;
  let puts: SavedView[][];
  let drops: 'responses' | 'tags' | undefined;
  const { fetch } = globalThis;

  before(() => {
    globalThis.fetch = async (_, { method, headers, body } = {}) => {
      let status = 200;
      if (method === 'PUT') {
        beforePut();
        const document = JSON.parse(String(body)) as SavedViews;
        puts.push(document.views);
        const condition = new Headers(headers).get('if-match');
        if (condition === null ? drops === 'tags' : condition === `"${stored.version}"`)
          stored = { ...stored, ...document, version: stored.version + 1 };
        else status = 412;
        if (drops === 'responses') throw new TypeError('fetch failed');
      }
      const { version: _version, ...current } = stored;
      const document = status === 412 ? { error: 'precondition_failed', message: 'Changed.' } : current;
      // Tags are weak, as behind a proxy that compresses responses.
      const tag: HeadersInit = drops === 'tags' ? {} : { etag: `W/"${stored.version}"` };
      return Response.json(document, { status, headers: tag });
    };
  });
  after(() => {
    globalThis.fetch = fetch;
  });
  beforeEach(() => {
    stored = { views: [view('a')], version: 1 };
    beforePut = () => {};
    puts = [];
    drops = undefined;
  });

  const tab = async () => {
    const client = createQueryClient();
    await client.prefetchQuery(viewsQuery);
    return {
      client,
      displayed: () => client.getQueryData(viewsQuery.queryKey)?.views.map(({ id }) => id),
      change: (change: Parameters<typeof changeViews>[1]) => changeViews(client, change),
    };
  };
  const storedIds = (): string[] => stored.views.map(({ id }) => id);

  it('shows the change before the service responds', async () => {
    const { displayed, change } = await tab();
    let atPut: string[] | undefined;
    beforePut = () => {
      atPut = displayed();
    };
    await change(adding(view('b')));
    assert.deepEqual(atPut, ['a', 'b']);
    await change(removing('a'));
    assert.deepEqual([displayed(), storedIds()], [['b'], ['b']]);
    assert.equal(puts.length, 2, 'the second change uses the new tag');
  });

  for (const dropped of [undefined, 'tags'] as const)
    it(`applies the change to the views that another tab has stored${dropped ? ', even without entity tags' : ''}`, async () => {
      drops = dropped;
      const [first, second] = [await tab(), await tab()];
      await first.change(adding(view('b')));
      await second.change(adding(view('c')));
      assert.deepEqual(storedIds(), ['a', 'b', 'c']);
      assert.deepEqual(second.displayed(), ['a', 'b', 'c']);
    });

  it('changes favourites, and no views of another tab, as views change without favourites', async () => {
    const [first, second] = [await tab(), await tab()];
    await first.change(adding(view('b')));
    const star = { resource: 'client', id: 'web' } as const;
    await changeFavourites(second.client, (favourites) => [...favourites, star]);
    await first.change(removing('a'));
    assert.deepEqual([storedIds(), stored.favourites], [['b'], [star]]);
    assert.deepEqual(first.client.getQueryData(viewsQuery.queryKey)?.favourites, [star]);
  });

  it('reverts the displayed change if there is no response, and stores it only once on a retry', async () => {
    const { displayed, change } = await tab();
    drops = 'responses';
    await assert.rejects(change(adding(view('b'))));
    assert.deepEqual([displayed(), storedIds()], [['a'], ['a', 'b']]);
    drops = undefined;
    await change(adding(view('b')));
    assert.deepEqual(
      [displayed(), storedIds()],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    );
  });
});

describe('the menu of views', () => {
  const suite = appOfSuite({ people: 3 });
  before(async () => {
    for (const name of ['One', 'Two', 'Three'])
      await createIdentity(suite, {
        schema_id: 'customer',
        state: 'inactive',
        traits: { email: `sleeping-${name.toLowerCase()}@example.org`, name: { first: 'Sleeping', last: name } },
      });
    await suite.indexReady();
  });
  beforeEach(() => storeViews(suite));

  const onList = (path: string, work: (app: App) => Promise<void>): Promise<void> => suite.open(path, {}, work);
  const menu = async (app: App): Promise<HTMLElement> => {
    await app.press(/^Views/);
    const list = await app.screen.findByRole('dialog', { name: /^Views of / });
    const save = (await within(list).findByText('Save as view…')).closest('button');
    await waitFor(() => assert.notEqual(save?.title, 'Your views have not loaded.'));
    return list;
  };
  const saveAs = async (app: App, name: string): Promise<void> => {
    await app.press('Save as view…', await menu(app));
    await app.fill('Name', name, await app.screen.findByRole('dialog'));
    await app.press('Save');
  };
  const current = (name: string | undefined): Promise<void> =>
    waitFor(() => assert.equal(document.querySelector('[title="Current view"]')?.textContent, name));
  const areStored = (...views: [name: string, search: string][]): Promise<void> =>
    waitFor(async () =>
      assert.deepEqual(
        (await storedViews(suite)).map(({ name, search }) => [name, search]),
        views,
      ),
    );

  it('says if a view has the same people as the one that it contains, in place of the same number', async () => {
    for (const [known, contained] of [
      [460, 'the same people'],
      [40, '460'],
    ] as const) {
      // Of the people without a session for 90 days, the others have had one before.
      const respond: App['respond'] = ({ path }) =>
        path.startsWith('/api/identities/search/count')
          ? Response.json({ count: path.includes('session_to') ? 460 : path.includes('no_session') ? known : 1 })
          : undefined;
      await suite.open('/identities', { respond }, async (app) => {
        const list = within(await menu(app));
        await list.findByRole('link', { name: `No known session ${known}` });
        await list.findByRole('link', { name: `No session for 90 days ${contained}` });
      });
    }
  });

  it('renames, updates and deletes saved views, and rejects duplicate names', async () => {
    await storeViews(suite, viewOf('identities', 'a', 'Sleeping', 'q=sleeping&sort=identifier'));
    await onList('/identities?q=sleeping-t', async (app) => {
      await current(undefined);
      const list = await menu(app);
      assert.equal(within(list).getAllByRole('link').length, 6);
      assert.equal(within(list).getAllByRole('button', { name: /^Change/ }).length, 1, 'only saved views can change');
      await app.press('Change Sleeping', list);
      const dialog = await app.screen.findByRole('dialog');
      await app.fill('Name', 'New this WEEK', dialog);
      await app.press('Save', dialog);
      await app.shows('This list already has a view with this name.', dialog);
      await app.fill('Name', '  Only T ', dialog);
      await app.user.click(within(dialog).getByLabelText('Replace with the current filters, order and columns'));
      await app.press('Save', dialog);
      await current('Only T');
      await areStored(['Only T', 'q=sleeping-t']);
      await app.press('Change Only T', await menu(app));
      await app.press('Delete', await app.screen.findByRole('dialog'));
      await app.shows('Deleted view “Only T”');
      await current(undefined);
      await areStored();
    });
  });

  it('adds a new view of identities to the overview on request, and moves the focus to it', () =>
    onList('/identities?q=sleeping', async (app) => {
      await app.press('Save as view…', await menu(app));
      const dialog = await app.screen.findByRole('dialog');
      await app.fill('Name', 'Sleeping', dialog);
      await app.user.click(within(dialog).getByLabelText('Show on the overview'));
      await app.press('Save', dialog);
      await app.shows('Added “Sleeping” to the overview');
      assert.ok(await app.screen.findByRole('region', { name: 'Sleeping' }));
      await waitFor(() => assert.equal(app.address(), '/dashboard'));
      const [view] = await storedViews(suite);
      const layout = () => storedLayout(suite);
      await waitFor(async () => assert.ok(placementOf(await layout(), `view-${view?.id}`)));
      await waitFor(() => assert.equal(document.activeElement?.textContent, 'Sleeping'));
    }));

  for (const [resource, rows, path] of [
    ['sessions', 'sessions', '/sessions?active=true'],
    ['clients', 'clients', '/oauth/clients?columns=none'],
    ['audit', 'audit records', '/security/audit?action=login'],
  ] as const)
    it(`saves a view of ${rows}`, () =>
      onList(path, async (app) => {
        await saveAs(app, `My ${resource}`);
        await current(`My ${resource}`);
        await areStored([`My ${resource}`, path.split('?')[1] as string]);
        assert.equal((await storedViews(suite))[0]?.resource, resource);
      }));
});
