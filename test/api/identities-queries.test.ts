import assert from 'node:assert/strict';
import { identity, identityListingOfSuite, link, NEXT, page } from '../support/identity-listing.ts';

describe('identities', () => {
  const store = identityListingOfSuite();
  const { ask } = store;

  it('have a cursor that is passed through unchanged', async () => {
    store.answer = page([identity(1)], link(NEXT));
    const { body } = await ask(`?page_size=1&page_token=${encodeURIComponent('opaque+/=& token')}`);
    assert.equal(body.next_page_token, NEXT);
    assert.equal(body.has_more, true);
    assert.deepEqual(store.seen, ['/admin/identities?page_size=1&page_token=opaque%2B%2F%3D%26+token']);
  });

  const refused: [string, string, string][] = [
    ...['0', '251', '-1', '1.5', '1e2', '%2025', '25%20', '', '+5', '0x10', '9999', '٣'].map(
      (size): [string, string, string] => [`page_size=${size}`, `?page_size=${size}`, 'invalid_page_size'],
    ),
    ['page_size given twice', '?page_size=1&page_size=2', 'invalid_page_size'],
    ['a page_token of 2,049 characters', `?page_token=${'x'.repeat(2049)}`, 'invalid_page_token'],
    ['a page_token with a line break', '?page_token=a%0d%0ab', 'invalid_page_token'],
    ['a page_token given twice', '?page_token=a&page_token=b', 'invalid_page_token'],
    ['an identifier of 256 characters', `?credentials_identifier=${'x'.repeat(256)}`, 'invalid_credentials_identifier'],
    ['an identifier with NUL', '?credentials_identifier=a%00b', 'invalid_credentials_identifier'],
    ['an identifier with a line break', '?credentials_identifier=a%0d%0aX:1', 'invalid_credentials_identifier'],
    ['an identifier with DEL', '?credentials_identifier=a%7f', 'invalid_credentials_identifier'],
    [
      'an identifier given twice',
      '?credentials_identifier=a&credentials_identifier=b',
      'invalid_credentials_identifier',
    ],
    [
      'the beginning of an identifier with a line break',
      '?credentials_identifier_prefix=a%0d%0ab',
      'invalid_credentials_identifier',
    ],
    [
      'the beginning of an identifier of 256 characters',
      `?credentials_identifier_prefix=${'x'.repeat(256)}`,
      'invalid_credentials_identifier',
    ],
    [
      'a whole identifier and the beginning of one',
      '?credentials_identifier=a&credentials_identifier_prefix=a',
      'bad_request',
    ],
  ];
  for (const [title, query, code] of refused)
    it(`with ${title} are refused as ${code}, and the store is not asked`, async () => {
      const { status, body } = await ask(query);
      assert.equal(status, 400);
      assert.equal(body.error, code);
      assert.deepEqual(store.seen, []);
    });

  const forwarded: [string, string, string][] = [
    ['page_size 1', '?page_size=1', '?page_size=1'],
    ['page_size 250', '?page_size=250', '?page_size=250'],
    ['a token of 2,048 characters', `?page_token=${'x'.repeat(2048)}`, `?page_size=25&page_token=${'x'.repeat(2048)}`],
    ['an empty token', '?page_token=', '?page_size=25'],
    [
      'an identifier of 255 characters',
      `?credentials_identifier=${'x'.repeat(255)}`,
      `?page_size=25&credentials_identifier=${'x'.repeat(255)}`,
    ],
    [
      '255 emoji',
      `?credentials_identifier=${encodeURIComponent('🙂'.repeat(255))}`,
      `?page_size=25&credentials_identifier=${encodeURIComponent('🙂'.repeat(255))}`,
    ],
    ['a plus sign', '?credentials_identifier=a%2Bb%40x.org', '?page_size=25&credentials_identifier=a%2Bb%40x.org'],
    [
      'an encoded parameter',
      '?credentials_identifier=a%26page_size%3D1',
      '?page_size=25&credentials_identifier=a%26page_size%3D1',
    ],
    ['parameters it does not know', '?include_credential=password&ids=1', '?page_size=25'],
  ];
  for (const [title, query, upstream] of forwarded)
    it(`with ${title} send the store one well-formed request`, async () => {
      assert.equal((await ask(query)).status, 200);
      assert.deepEqual(store.seen, [`/admin/identities${upstream}`]);
    });

  it('with a cursor that the store refuses are refused as invalid_page_token', async () => {
    for (const [code, message] of [
      [400, 'The page token is invalid, do not craft your own page tokens'],
      [500, 'page token expired, do not persist page tokens'],
      [500, 'decode token: illegal base64 data at input byte 4'],
    ] as const) {
      store.answer = page({ error: { code, reason: message, message } }, {}, 400);
      const { status, body } = await ask('?page_token=old');
      assert.deepEqual([status, body.error], [400, 'invalid_page_token']);
    }
  });

  describe('whose identifier begins with a text', () => {
    const found = (...identifiers: string[]) => ({ ...identity(1), credentials: { password: { identifiers } } });

    it("are asked for by Kratos' experimental search, and have the same five fields", async () => {
      store.answer = page([found('Person-1@example.com')], link(NEXT));
      const { status, body } = await ask('?credentials_identifier_prefix=pErSon&page_size=5');
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body.identities[0] ?? {}).length, 5);
      assert.equal(body.next_page_token, NEXT);
      assert.deepEqual(store.seen, ['/admin/identities?page_size=5&preview_credentials_identifier_similar=pErSon']);
    });

    it('may be none at all', async () => {
      store.answer = page([]);
      assert.deepEqual((await ask('?credentials_identifier_prefix=x')).body.identities, []);
    });

    for (const [title, misbehave] of [
      ['refuses to search so', page({ error: { code: 400, reason: 'unknown parameter' } }, {}, 400)],
      ['ignores it and lists everybody', page([{ ...identity(1), credentials: undefined }])],
      ['finds somebody else as well', page([found('person-1@example.com'), found('another@example.com')])],
    ] as const)
      it(`are search_not_supported where the store ${title}`, async () => {
        store.answer = misbehave;
        const { status, body } = await ask('?credentials_identifier_prefix=person');
        assert.deepEqual([status, body.error], [400, 'search_not_supported']);
      });

    it('still have cursors that may be too old', async () => {
      store.answer = page({ error: { code: 400, reason: 'The page token is invalid' } }, {}, 400);
      const { body } = await ask('?credentials_identifier_prefix=person&page_token=old');
      assert.equal(body.error, 'invalid_page_token');
    });

    it('leave an audit record that names the beginning', async () => {
      const before = store.dashboard.logged.length;
      store.answer = page([]);
      await ask('?credentials_identifier_prefix=ada');
      const records = store.dashboard.logged
        .slice(before)
        .map((line) => (JSON.parse(line) as { audit?: { searchFilter?: string } }).audit?.searchFilter)
        .filter((filter) => filter !== undefined);
      assert.deepEqual(records, ['prefix:ada*']);
    });
  });

  it('are asked for with the stored key', async () => {
    const key = { key: 'upstream.identity-admin.api_key', value: 'key-of-the-store' };
    await store.dashboard.call('/api/settings', { session: store.session, json: key });
    await ask('');
    assert.deepEqual(store.seen, ['/admin/identities?page_size=25 Bearer key-of-the-store']);
    await store.dashboard.call('/api/settings/upstream.identity-admin.api_key', {
      session: store.session,
      method: 'DELETE',
    });
  });

  it('leave one audit record each, with exactly the members of the contract', async () => {
    const before = store.dashboard.logged.length;
    await ask('?credentials_identifier=ada%40example.com');
    await ask('');
    await ask('?page_size=0');
    const records = store.dashboard.logged
      .slice(before)
      .map((line) => (JSON.parse(line) as { audit?: Record<string, unknown> }).audit)
      .filter((audit) => audit !== undefined);
    assert.equal(records.length, 2);
    for (const record of records)
      assert.deepEqual(Object.keys(record).sort(), ['action', 'adminId', 'searchFilter', 'timestamp']);
    assert.deepEqual(
      records.map(({ searchFilter }) => searchFilter),
      ['ada@example.com', null],
    );
    assert.deepEqual(
      records.map(({ action }) => action),
      ['identity_search', 'identity_search'],
    );
  });
});
