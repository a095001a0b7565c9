import assert from 'node:assert/strict';
import { viewStore } from '../../server/features/views/views-router.ts';
import {
  type SavedViews,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
} from '../../shared/views.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('saved views', (databases) => {
  const viewsOf = (...ids: string[]): SavedViews => ({
    views: ids.map((id) => ({ id, resource: 'identities', name: `View “${id}”`, search: 'q=ada' })),
  });
  const anything = (): boolean => true;

  it('are kept for each operator in their order, replaced, and removed', async () => {
    const { database } = await databases.migrated();
    const views = viewStore(database, Date.now);
    const viewsOfOperator = async (identityId: string) => (await views.find(identityId)).document;
    assert.deepEqual(await viewsOfOperator('ada'), { views: [] });
    await views.save('ada', viewsOf('z', 'a'), anything);
    await views.save('bob', viewsOf('z'), anything);
    assert.deepEqual(await viewsOfOperator('ada'), viewsOf('z', 'a'));
    await views.save('ada', viewsOf('a'), anything);
    assert.deepEqual(await viewsOfOperator('ada'), viewsOf('a'));
    await views.save('ada', { views: [] }, anything);
    assert.deepEqual(await viewsOfOperator('ada'), { views: [] });
    assert.deepEqual(await viewsOfOperator('bob'), viewsOf('z'));
  });

  it('have room for the largest ones', async () => {
    const { database } = await databases.migrated();
    const views = viewStore(database, Date.now);
    const largest: SavedViews = {
      views: Array.from({ length: VIEWS_MAX }, (_, index) => ({
        id: `${index}`.padStart(64, '-'),
        resource: 'identities',
        name: '🔑'.repeat(VIEW_NAME_MAX_CHARACTERS),
        search: '\\'.repeat(VIEW_SEARCH_MAX_CHARACTERS),
      })),
    };
    await views.save('ada', largest, anything);
    assert.deepEqual((await views.find('ada')).document, largest);
  });

  it('have a tag that changes with them, and are left alone when others are stored than were expected', async () => {
    const { database } = await databases.migrated();
    const views = viewStore(database, Date.now);
    const { tag: none } = await views.find('ada');
    assert.match(none, /^"[\w-]{22}"$/);
    const tag = await views.save('ada', viewsOf('first'), (seen) => seen === none);
    assert.equal((await views.find('ada')).tag, tag);
    assert.notEqual(tag, none);
    assert.equal(await views.save('ada', viewsOf('second'), (seen) => seen === none), undefined);
    assert.deepEqual((await views.find('ada')).document, viewsOf('first'));
  });
});
