import assert from 'node:assert/strict';
import { parseViews } from '../../server/features/views/views-input.ts';

const VIEW = { id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' };
const viewsOf = (...views: unknown[]) => ({ views });
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ...VIEW, id: `v-${index}` }));

describe('the body of saved views', () => {
  const TAKEN: [title: string, ...views: unknown[]][] = [
    ['none'],
    ['fifty', ...many(50)],
    [
      'one of each list',
      ...['identities', 'sessions', 'clients', 'audit'].map((resource) => ({ ...VIEW, id: resource, resource })),
    ],
    ['two of one name', VIEW, { ...VIEW, id: 'other' }],
    ['no search', { ...VIEW, search: '' }],
    ['a name of sixty characters beyond the first plane', { ...VIEW, name: '🔑'.repeat(60) }],
    ['a name from right to left, with markup', { ...VIEW, name: '\u202eשלום <b onclick=x>' }],
    ['an id of sixty-four characters', { ...VIEW, id: '-'.repeat(64) }],
    ['whatever a browser leaves in an address', { ...VIEW, search: "q=%F0%9F%94%91&a=b+c!$'()*,/:;?@[\\]^_`{|}~-." }],
    ['a search of two thousand characters', { ...VIEW, search: 'x'.repeat(2_000) }],
  ];
  for (const [title, ...views] of TAKEN)
    it(`may be ${title}`, () => {
      assert.deepEqual(parseViews(viewsOf(...views)), { views });
    });

  const REFUSED: [title: string, body: unknown, message: RegExp][] = [
    ['nothing', undefined, /^The request body/],
    ['a list', [], /^The request body/],
    ['without views', {}, /^views must be a list/],
    ['views that are none', { views: null }, /^views must be a list/],
    ['more members', { views: [], layout: null }, /^"layout" is not a known field/],
    ['fifty-one', viewsOf(...many(51)), /^views must have at most 50/],
    ['one id twice', viewsOf(VIEW, { ...VIEW, name: 'Other' }), /^views must not use an id twice/],
    ['a view that is null', viewsOf(VIEW, null), /^views\[1\] must be a JSON object/],
    ['a view with more members', viewsOf({ ...VIEW, columns: [] }), /^"columns" is not/],
    ['no id', viewsOf({ ...VIEW, id: undefined }), /^views\[0\]\.id is required/],
    ['an empty id', viewsOf({ ...VIEW, id: '' }), /\.id must have 1 to 64/],
    ['an id in capitals', viewsOf({ ...VIEW, id: 'Mine' }), /\.id must have 1 to 64/],
    ['an id with a line break', viewsOf({ ...VIEW, id: 'mine\n' }), /\.id must have 1 to 64/],
    ['a long id', viewsOf({ ...VIEW, id: 'x'.repeat(65) }), /\.id must have 1 to 64/],
    ['another list', viewsOf({ ...VIEW, resource: 'settings' }), /\.resource must be one of identities, sessions/],
    ['a list by a name of every object', viewsOf({ ...VIEW, resource: 'constructor' }), /\.resource must be/],
    ['a number for a name', viewsOf({ ...VIEW, name: 1 }), /\.name must be a string/],
    ['an empty name', viewsOf({ ...VIEW, name: '' }), /\.name must have 1 to 60/],
    ['a long name', viewsOf({ ...VIEW, name: '🔑'.repeat(61) }), /\.name must have 1 to 60/],
    ['a name of spaces', viewsOf({ ...VIEW, name: ' ' }), /\.name must not begin or end with a space/],
    ['a name with a control character', viewsOf({ ...VIEW, name: 'a\u0085b' }), /\.name must not contain control/],
    ['half a character', viewsOf({ ...VIEW, name: '\ud83d' }), /\.name must be well-formed/],
    ['no search', viewsOf({ ...VIEW, search: undefined }), /\.search is required/],
    ['a long search', viewsOf({ ...VIEW, search: 'x'.repeat(2_001) }), /\.search must have at most 2000/],
    ...[' ', '\n', '"', '<', '>', '#', '\u007f', 'ä'].map((sign): [string, unknown, RegExp] => [
      `${JSON.stringify(sign)} in a search`,
      viewsOf({ ...VIEW, search: `q=a${sign}` }),
      /\.search must be the query of an address/,
    ]),
  ];
  for (const [title, body, message] of REFUSED)
    it(`may not be ${title}`, () => {
      assert.throws(() => parseViews(body), { code: 'bad_request', message });
    });
});
