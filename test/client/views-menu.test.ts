import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { create } from '../support/identity-pages.ts';
import { indexReady } from '../support/index-ready.ts';
import { placeOf, storedLayout } from '../support/overview-visit.ts';
import { storedViews, storeViews, viewOf } from '../support/view-pages.ts';

describe('the menu of views', () => {
  const suite = appOfSuite({ people: 3 });
  before(async () => {
    for (const name of ['One', 'Two', 'Three'])
      await create(suite, {
        schema_id: 'customer',
        state: 'inactive',
        traits: { email: `sleeping-${name.toLowerCase()}@example.org`, name: { first: 'Sleeping', last: name } },
      });
    await indexReady(suite.dashboard, suite.sessions.admin);
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
  const becomesStored = (...views: [name: string, search: string][]): Promise<void> =>
    waitFor(async () =>
      assert.deepEqual(
        (await storedViews(suite)).map(({ name, search }) => [name, search]),
        views,
      ),
    );

  it('renames, updates and deletes own views, and rejects duplicate names', async () => {
    await storeViews(suite, viewOf('identities', 'a', 'Sleeping', 'q=sleeping&sort=identifier'));
    await onList('/identities?q=sleeping-t', async (app) => {
      await current(undefined);
      const list = await menu(app);
      assert.equal(within(list).getAllByRole('link').length, 6);
      assert.equal(within(list).getAllByRole('button', { name: /^Change/ }).length, 1, 'only own ones can be changed');
      await app.press('Change Sleeping', list);
      const dialog = await app.screen.findByRole('dialog');
      await app.fill('Name', 'New this WEEK', dialog);
      await app.press('Save', dialog);
      await app.shows('This list already has a view with this name.', dialog);
      await app.fill('Name', '  Only T ', dialog);
      await app.user.click(within(dialog).getByLabelText('Replace with the current filters, order and columns'));
      await app.press('Save', dialog);
      await current('Only T');
      await becomesStored(['Only T', 'q=sleeping-t']);
      await app.press('Change Only T', await menu(app));
      await app.press('Delete', await app.screen.findByRole('dialog'));
      await app.shows('Deleted view “Only T”');
      await current(undefined);
      await becomesStored();
    });
  });

  it('shows a new view of identities on the overview if that is chosen, with the focus', () =>
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
      const layout = () => storedLayout(suite.dashboard, suite.sessions.admin);
      await waitFor(async () => assert.ok(placeOf(await layout(), `view-${view?.id}`)));
      await waitFor(() => assert.equal(document.activeElement?.textContent, 'Sleeping'));
    }));

  for (const [resource, path] of [
    ['sessions', '/sessions?active=true'],
    ['clients', '/oauth/clients?columns=none'],
    ['audit', '/security/audit?action=login'],
  ] as const)
    it(`also exists for ${resource}`, () =>
      onList(path, async (app) => {
        await saveAs(app, `Of ${resource}`);
        await current(`Of ${resource}`);
        await becomesStored([`Of ${resource}`, path.split('?')[1] as string]);
        assert.equal((await storedViews(suite))[0]?.resource, resource);
      }));
});
