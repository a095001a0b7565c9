import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { layoutStore, viewStore } from '../../server/features/own-documents.ts';
import {
  FAVOURITES_MAX,
  GRID_COLUMNS,
  type SavedViews,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
  WIDGET_ID_MAX_CHARACTERS,
  WIDGETS_MAX,
} from '../../shared/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('the stores of dashboard layouts and saved views', (databases) => {
  const always = (): boolean => true;

  it('store the largest documents unchanged', async () => {
    const { database } = await databases.createMigrated();
    const ids = Array.from(
      { length: WIDGETS_MAX },
      (_, index) => '🔑'.repeat(WIDGET_ID_MAX_CHARACTERS - 2) + (10 + index),
    );
    const widgets = ids.map((id) => ({ id, x: 0, y: 0, w: GRID_COLUMNS, h: 2 }));
    const layout = { layout: { widgets, hidden: ids } };
    const layouts = layoutStore(database, Date.now);
    await layouts.save('ada', layout, always);
    assert.deepEqual((await layouts.find('ada')).document, layout);
    const views: SavedViews = {
      views: Array.from({ length: VIEWS_MAX }, (_, index) => ({
        id: `${index}`.padStart(64, '-'),
        resource: 'identities',
        name: '🔑'.repeat(VIEW_NAME_MAX_CHARACTERS),
        search: '\\'.repeat(VIEW_SEARCH_MAX_CHARACTERS),
      })),
      favourites: Array.from({ length: FAVOURITES_MAX }, (_, index) => ({
        resource: 'client',
        id: `${index}`.padStart(255, '端'),
      })),
    };
    const store = viewStore(database, Date.now);
    await store.save('ada', views, always);
    assert.deepEqual((await store.find('ada')).document, views);
  });

  it('share rows with replicas of earlier releases, which know no favourites', async () => {
    const { database } = await databases.createMigrated();
    const store = viewStore(database, Date.now);
    const ofEarlier = (name: string) =>
      JSON.stringify([{ id: 'mine', resource: 'identities', name, search: 'q=ada' }] satisfies SavedViews['views']);
    const row = database.knex('dashboard_views').where({ identity_id: 'ada' });
    await database.knex('dashboard_views').insert({ identity_id: 'ada', views: ofEarlier('First'), updated_at: '' });
    const { document, tag } = await store.find('ada');
    assert.equal(tag, `"${hash('sha256', ofEarlier('First'), 'base64url').slice(0, 22)}"`);
    assert.deepEqual(document, { views: JSON.parse(ofEarlier('First')), favourites: [] });
    const favourites: SavedViews['favourites'] = [{ resource: 'client', id: 'web' }];
    await store.save('ada', { ...document, favourites }, always);
    assert.equal((await row.clone().first('views')).views, ofEarlier('First'));
    await row.clone().update({ views: ofEarlier('Second') });
    assert.deepEqual((await store.find('ada')).document, { views: JSON.parse(ofEarlier('Second')), favourites });
  });

  it('accept only one of several concurrent saves that replace the same document', async () => {
    const { url, database } = await databases.createMigrated();
    const stores = [viewStore(database, Date.now), viewStore(databases.open(url), Date.now)] as const;
    const views = (id: string): SavedViews => ({ views: [{ id, resource: 'identities', name: id, search: 'q=ada' }] });
    // There is no row in the first round, and one in the second.
    for (const round of [1, 2]) {
      const { tag: expected } = await stores[0].find('ada');
      const saved = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          stores[index % 2 === 0 ? 0 : 1].save('ada', views(`${round}-${index}`), (tag) => tag === expected),
        ),
      );
      assert.equal(saved.filter((tag) => tag !== undefined).length, 1, `round ${round}`);
    }
  });
});
