import assert from 'node:assert/strict';
import { layoutStore } from '../../server/features/dashboard-layout/layout-router.ts';
import {
  type DashboardLayout,
  GRID_COLUMNS,
  WIDGET_ID_MAX_CHARACTERS,
  WIDGETS_MAX,
} from '../../shared/dashboard-layout.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('dashboard layouts', (databases) => {
  const widget = (id: string) => ({ id, x: 0, y: 0, w: 4, h: 2 });
  const layoutOf = (...ids: string[]): DashboardLayout => ({ layout: { widgets: ids.map(widget), hidden: [] } });
  const anything = (): boolean => true;

  it('are kept for each operator, replaced, and reset', async () => {
    const { database } = await databases.migrated();
    const layouts = layoutStore(database, Date.now);
    const layoutOfOperator = async (identityId: string) => (await layouts.find(identityId)).document;
    assert.deepEqual(await layoutOfOperator('ada'), { layout: null });
    const first = { layout: { widgets: [widget('health')], hidden: ['geo'] } };
    const second = { layout: { widgets: [], hidden: [] } };
    await layouts.save('ada', first, anything);
    await layouts.save('bob', second, anything);
    assert.deepEqual(await layoutOfOperator('ada'), first);
    await layouts.save('ada', second, anything);
    assert.deepEqual(await layoutOfOperator('ada'), second);
    await layouts.save('ada', { layout: null }, anything);
    assert.deepEqual(await layoutOfOperator('ada'), { layout: null });
    assert.deepEqual(await layoutOfOperator('bob'), second);
  });

  it('have room for the largest one', async () => {
    const { database } = await databases.migrated();
    const layouts = layoutStore(database, Date.now);
    const ids = Array.from(
      { length: WIDGETS_MAX },
      (_, index) => '🔑'.repeat(WIDGET_ID_MAX_CHARACTERS - 2) + (10 + index),
    );
    const largest = { layout: { widgets: ids.map((id) => ({ ...widget(id), w: GRID_COLUMNS })), hidden: ids } };
    await layouts.save('ada', largest, anything);
    assert.deepEqual((await layouts.find('ada')).document, largest);
  });

  it('have a tag that changes with them, the one of the default included', async () => {
    const { database } = await databases.migrated();
    const layouts = layoutStore(database, Date.now);
    const none = (await layouts.find('ada')).tag;
    assert.match(none, /^"[\w-]{22}"$/);
    const tag = await layouts.save('ada', layoutOf('map'), anything);
    assert.notEqual(tag, none);
    assert.equal((await layouts.find('ada')).tag, tag);
    assert.equal(await layouts.save('ada', { layout: null }, anything), none);
    assert.equal((await layouts.find('ada')).tag, none);
  });

  it('are left alone when another one is stored than was expected', async () => {
    const { database } = await databases.migrated();
    const layouts = layoutStore(database, Date.now);
    const { tag: seen } = await layouts.find('ada');
    await layouts.save('ada', layoutOf('map'), anything);
    assert.equal(await layouts.save('ada', layoutOf('clock'), (tag) => tag === seen), undefined);
    assert.deepEqual((await layouts.find('ada')).document, layoutOf('map'));
  });

  it('overwrite one another once only when many tabs save what they read at the same time', async () => {
    const { url, database } = await databases.migrated();
    const tabs = [layoutStore(database, Date.now), layoutStore(databases.open(url), Date.now)];
    for (const operator of ['ada', 'bob', 'cleo']) {
      // The first round finds no row, the second one a row.
      for (const round of [1, 2]) {
        const { tag: seen } = await (tabs[0] as (typeof tabs)[number]).find(operator);
        const saved = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            tabs[index % 2]?.save(operator, layoutOf(`round-${round}-tab-${index}`), (tag) => tag === seen),
          ),
        );
        assert.equal(saved.filter((tag) => tag !== undefined).length, 1, `round ${round}`);
      }
    }
  });

  it('leave one row when an operator saves in several tabs at once', async () => {
    const { url, database } = await databases.migrated();
    const tabs = [layoutStore(database, Date.now), layoutStore(databases.open(url), Date.now)];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => tabs[index % 2]?.save('ada', layoutOf(`tab-${index}`), anything)),
    );
    assert.equal((await database.knex('dashboard_layouts').select('identity_id')).length, 1);
  });
});
