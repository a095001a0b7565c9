import assert from 'node:assert/strict';
import { simulateBrowser } from '../support/dom.ts';
import { ofSuite } from '../support/of-suite.ts';

/** The part of a matched route that these tests read. */
interface Matched {
  search: Record<string, unknown>;
  routeId: string;
}

/** Every parameter, with a value that no page accepts. */
const INVALID = {
  page_size: '7',
  identifier: ' ',
  prefix: ' ',
  name: ' ',
  owner: ' ',
  subject: ' ',
  client: ' ',
  status: 'SENT',
  recipient: ' ',
  active: 'yes',
  lat: '91',
  lng: '0',
  unknown: '1',
  as: '<script>',
  kind: 'toaster',
  new: 'yes',
  server: 'here',
  page_token: 'of-another-list',
  q: '',
  state: 'gone',
  verified: 'maybe',
  created: 'lately',
  updated: '2026-02-30..',
  session: 'never',
  sort: 'shoe_size',
};

describe('the parameters in the URL of a page', () => {
  ofSuite(() => simulateBrowser('http://127.0.0.1:9/identities'));
  let matched: (path: string, search: Record<string, unknown>) => Matched[];
  let parsing: [id: string, parse: (search: Record<string, unknown>) => object][];

  before(async () => {
    const { createQueryClient } = await import('../../client/app/query-client.ts');
    const { createAppRouter } = await import('../../client/app/router.ts');
    const queryClient = createQueryClient();
    const router = createAppRouter(queryClient);
    matched = (path, search) => router.matchRoutes(path, search) as unknown as Matched[];
    parsing = Object.entries(router.routesById).flatMap(([id, { options }]) => {
      const parse = (options as { validateSearch?: (search: Record<string, unknown>) => object }).validateSearch;
      return parse === undefined ? [] : [[id, parse] as [typeof id, typeof parse]];
    });
  });

  it('are ignored on every page if their values are invalid', () => {
    assert.ok(parsing.length > 10);
    for (const [id, parse] of parsing) {
      const parsed = parse({ ...INVALID });
      for (const name of Object.keys(INVALID)) {
        assert.ok(name in parsed, `${id} does not parse ${name}`);
        assert.equal(parsed[name as never], undefined, `${id}: ${name}`);
      }
    }
  });

  it('are parsed if they are known and valid, and ignored if they are unknown', () => {
    const search = { page_size: '50', q: ' ada@example.org ', junk: 'x' };
    assert.deepEqual(JSON.parse(JSON.stringify(matched('/identities', search).at(-1)?.search)), {
      page_size: 50,
      q: 'ada@example.org',
    });
  });

  it('are named in a list if a filter is invalid, and only `q` if a text is too long', () => {
    for (const [path, search, named] of [
      ['/identities', { state: 'gone', created: 'lately', schema: 's'.repeat(256), junk: 'x' }, 'state,schema,created'],
      ['/identities', { sort: '-created', page_size: '25', state: '', junk: 'x' }, undefined],
      ['/identities', { invalid: 'state,<b>,x', sort: 'shoe_size' }, 'state,sort'],
      ['/identities/export', { q: 'x'.repeat(256), state: 'gone' }, 'q'],
      ['/sessions', { active: 'yes', lat: '91', lng: '0', city: 'Oslo' }, 'active,lat,lng'],
    ] as const)
      assert.equal(matched(path, search).at(-1)?.search['invalid'], named, JSON.stringify(search));
  });
});
