import assert from 'node:assert/strict';
import { layoutStore, viewStore } from '../../server/features/own-documents.ts';
import {
  GRID_COLUMNS,
  type SavedViews,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
  WIDGET_ID_MAX_CHARACTERS,
  WIDGETS_MAX,
} from '../../shared/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('dashboard layouts and saved views', (databases) => {
  const viewsOf = (...ids: string[]): SavedViews => ({
    views: ids.map((id) => ({ id, resource: 'identities', name: `View “${id}”`, search: 'q=ada' })),
  });
  const anything = (): boolean => true;

  it('have room for the largest ones', async () => {
    const { database } = await databases.migrated();
    const ids = Array.from(
      { length: WIDGETS_MAX },
      (_, index) => '🔑'.repeat(WIDGET_ID_MAX_CHARACTERS - 2) + (10 + index),
    );
    const widgets = ids.map((id) => ({ id, x: 0, y: 0, w: GRID_COLUMNS, h: 2 }));
    const layout = { layout: { widgets, hidden: ids } };
    const layouts = layoutStore(database, Date.now);
    await layouts.save('ada', layout, anything);
    assert.deepEqual((await layouts.find('ada')).document, layout);
    const views: SavedViews = {
      views: Array.from({ length: VIEWS_MAX }, (_, index) => ({
        id: `${index}`.padStart(64, '-'),
        resource: 'identities',
        name: '🔑'.repeat(VIEW_NAME_MAX_CHARACTERS),
        search: '\\'.repeat(VIEW_SEARCH_MAX_CHARACTERS),
      })),
    };
    const store = viewStore(database, Date.now);
    await store.save('ada', views, anything);
    assert.deepEqual((await store.find('ada')).document, views);
  });

  it('overwrite one another once only when many tabs save what they read at the same time', async () => {
    const { url, database } = await databases.migrated();
    const tabs = [viewStore(database, Date.now), viewStore(databases.open(url), Date.now)] as const;
    // The first round finds no row, the second one a row.
    for (const round of [1, 2]) {
      const { tag: seen } = await tabs[0].find('ada');
      const saved = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          tabs[index % 2 === 0 ? 0 : 1].save('ada', viewsOf(`${round}-${index}`), (tag) => tag === seen),
        ),
      );
      assert.equal(saved.filter((tag) => tag !== undefined).length, 1, `round ${round}`);
    }
  });
});
