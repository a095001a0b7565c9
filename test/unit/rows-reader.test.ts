import assert from 'node:assert/strict';
import { type ListedPerson, listedPeople, type RowFilter } from '../../server/search-index/sources.ts';
import { IndexRefused, IndexUnavailable, rowsReader } from '../../server/search-index/thread.ts';
import { identity } from '../support/index-rig.ts';

describe('a page of identities', () => {
  const small = JSON.stringify([identity(1)]);
  const large = JSON.stringify([identity(1, { metadata_admin: 'x'.repeat(300_000) })]);
  /** How many pages the worker was given. */
  let given: number;
  beforeEach(() => {
    given = 0;
  });
  const reading = (response: (page: string, filter: RowFilter) => ListedPerson[] = listedPeople) =>
    rowsReader(() => ({
      async listedPeople(page, wanted) {
        given += 1;
        return response(page, wanted);
      },
    }));

  it('that is large is parsed by the worker, a small one at once, and both have the same five fields', async () => {
    const read = reading();
    const rows = [...(await read(small, {})), ...(await read(large, {}))];
    assert.equal(given, 1);
    const { schema_id, ...fields } = identity(1);
    for (const { json, schemaId } of rows) assert.deepEqual([JSON.parse(json), schemaId], [fields, schema_id]);
    assert.equal(rows.length, 2);
  });

  it('is parsed here while there is no worker', async () => {
    const read = reading(() => {
      throw new IndexUnavailable();
    });
    assert.equal((await read(large, {})).length, 1);
  });

  it('keeps its other rows whole if the traits of one are nested too deeply to be serialised', async () => {
    // Go parses 10,000 levels.
    const deep = `${'['.repeat(9_990)}${']'.repeat(9_990)}`;
    const page = JSON.stringify([identity(1, { traits: { deep: 0 } }), identity(2)]).replace(
      '"deep":0',
      `"deep":${deep}`,
    );
    const rows = (await reading()(page, {})).map(({ json }) => JSON.parse(json) as { id: string; traits: object });
    assert.deepEqual([rows[0]?.id, rows[0]?.traits], [identity(1).id, {}]);
    assert.deepEqual(rows[1]?.traits, identity(2).traits);
  });

  it('has empty texts where the store sends anything else', async () => {
    // No text can be made of such an object.
    const none = { toString: 1 };
    const credentials = { password: { identifiers: [none] } };
    const page = [identity(1, { state: none, created_at: none, updated_at: 1, credentials })];
    const [row] = await reading()(JSON.stringify(page), { prefix: 'a' });
    assert.equal(row?.isMatch, false);
    const { state, created_at, updated_at } = JSON.parse(row.json) as Record<string, unknown>;
    assert.deepEqual([state, created_at, updated_at], ['', '', '']);
  });

  it('that is none is a failure of the store, which quotes nothing of it', async () => {
    const read = reading(() => {
      throw new IndexRefused('SyntaxError');
    });
    for (const page of ['{"secret":1}', '[{"secret":1}]', '[secret', large])
      await assert.rejects(
        read(page, {}),
        ({ kind, cause }: { kind?: string; cause?: unknown }) => kind === 'nonsense' && cause === undefined,
      );
  });
});
