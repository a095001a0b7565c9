import assert from 'node:assert/strict';
import { layoutStore } from '../../server/features/dashboard-layout/layout-store.ts';
import { GRID_COLUMNS, WIDGET_ID_MAX_CHARACTERS, WIDGETS_MAX } from '../../shared/dashboard-layout.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('dashboard layouts', (databases) => {
  const widget = (id: string) => ({ id, x: 0, y: 0, w: 4, h: 2 });

  it('are kept for each operator, replaced, and reset', async () => {
    const { database } = await databases.migrated();
    const layouts = layoutStore(database, Date.now);
    assert.deepEqual(await layouts.find('ada'), { layout: null });
    const first = { layout: { widgets: [widget('health')], hidden: ['geo'] } };
    const second = { layout: { widgets: [], hidden: [] } };
    await layouts.save('ada', first);
    await layouts.save('bob', second);
    assert.deepEqual(await layouts.find('ada'), first);
    await layouts.save('ada', second);
    assert.deepEqual(await layouts.find('ada'), second);
    await layouts.save('ada', { layout: null });
    assert.deepEqual(await layouts.find('ada'), { layout: null });
    assert.deepEqual(await layouts.find('bob'), second);
  });

  it('have room for the largest one', async () => {
    const { database } = await databases.migrated();
    const layouts = layoutStore(database, Date.now);
    const ids = Array.from(
      { length: WIDGETS_MAX },
      (_, index) => '🔑'.repeat(WIDGET_ID_MAX_CHARACTERS - 2) + (10 + index),
    );
    const largest = { layout: { widgets: ids.map((id) => ({ ...widget(id), w: GRID_COLUMNS })), hidden: ids } };
    await layouts.save('ada', largest);
    assert.deepEqual(await layouts.find('ada'), largest);
  });

  it('leave one row when an operator saves in several tabs at once', async () => {
    const { url, database } = await databases.migrated();
    const tabs = [layoutStore(database, Date.now), layoutStore(databases.open(url), Date.now)];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        tabs[index % 2]?.save('ada', { layout: { widgets: [widget(`tab-${index}`)], hidden: [] } }),
      ),
    );
    assert.equal((await database.knex('dashboard_layouts').select('identity_id')).length, 1);
  });
});
