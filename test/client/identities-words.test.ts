import assert from 'node:assert/strict';
import { credentialItems } from '../../client/features/identities/detail/credential-items.ts';
import { addressWithoutPort, deviceInWords } from '../../client/features/identities/detail/device-in-words.ts';
import { identityIdIn } from '../../client/features/identities/identity-id.ts';
import { identifierOf, nameOf } from '../../client/features/identities/identity-name.ts';
import { identitiesSearch, pageQuestion } from '../../client/features/identities/list/list-address.ts';
import { pageInWords, totalInWords } from '../../client/features/identities/list/page-in-words.ts';
import { nextStep, type ShownPage } from '../../client/features/identities/list/shown-page.ts';
import { keyAction } from '../../client/features/identities/list/use-row-keys.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

const shownPage = (rows: number, more: Partial<ShownPage['page']> = {}, rest: Partial<ShownPage> = {}): ShownPage => ({
  question: { pageSize: 25, identifier: undefined, token: undefined },
  pages: [],
  page: {
    identities: Array.from({ length: rows }, () => ({ id: ID, traits: {}, state: '', created_at: '', updated_at: '' })),
    next_page_token: null,
    has_more: false,
    ...more,
  },
  ...rest,
});

describe('an identity id in pasted text', () => {
  for (const text of [ID, ` ${ID}\n`, ID.toUpperCase(), `"${ID}"`, `{${ID}}`, `<${ID}>,`])
    it(`is found in ${JSON.stringify(text)}`, () => assert.equal(identityIdIn(text), ID));
  for (const text of ['', 'nobody@example.org', ID.slice(1), `${ID}0`, `id ${ID}`, ID.replaceAll('-', '')])
    it(`is not found in ${JSON.stringify(text)}`, () => assert.equal(identityIdIn(text), undefined));
});

describe('names of an identity', () => {
  it('take the first identifier that is a text', () => {
    assert.equal(identifierOf({ email: 'a@example.org', username: 'a' }), 'a@example.org');
    assert.equal(identifierOf({ email: { deep: true }, username: 'ada' }), 'ada');
    assert.equal(identifierOf({ phone: '+49123456' }), '+49123456');
    assert.equal(identifierOf({ name: 'Ada' }), undefined);
  });

  it('are put together from whatever parts there are', () => {
    assert.equal(nameOf({ name: { first: 'Ada', last: 'King' } }), 'Ada King');
    assert.equal(nameOf({ name: { first: 'Ada' } }), 'Ada');
    assert.equal(nameOf({ name: ' Ada ' }), 'Ada');
    assert.equal(nameOf({ given_name: 'Ada', family_name: 'King' }), 'Ada King');
    assert.equal(nameOf({ name: ['x'] }), undefined);
    assert.equal(nameOf({}), undefined);
  });
});

describe('the place in the list, in words', () => {
  it('counts rows from one and says how old the total is', () => {
    assert.equal(pageInWords(shownPage(25)), 'Page 1, rows 1–25');
    const third = shownPage(
      25,
      {},
      {
        pages: [
          { token: 'a', before: 25 },
          { token: 'b', before: 50 },
        ],
      },
    );
    assert.equal(pageInWords(third), 'Page 3, rows 51–75');
    assert.equal(pageInWords(shownPage(1, {}, { pages: [{ token: 'a', before: 1250 }] })), 'Page 2, row 1,251');
    const total = { total: 12_345, as_of: '2026-11-21T10:00:00.000Z' };
    const at = (seconds: number) => totalInWords(total, Date.parse(total.as_of) + seconds * 1_000);
    assert.equal(at(20), '12,345 in total, counted 20 s ago');
    assert.equal(at(600), '12,345 in total, counted 10 min ago');
    assert.equal(at(-3), '12,345 in total, counted just now');
  });

  it('says that the total is not known rather than guess', () => {
    assert.equal(totalInWords(undefined, 0), 'total not known');
    assert.equal(totalInWords({ total: null, as_of: '2026-11-21T10:00:00.000Z' }, 0), 'total not known');
  });

  it('of a search says how many match', () => {
    const question = { pageSize: 25, identifier: 'a@example.org', token: undefined };
    assert.equal(pageInWords(shownPage(1, {}, { question })), '1 identity matches');
    assert.equal(pageInWords(shownPage(2, {}, { question })), '2 identities match');
  });
});

describe('the next page of the list', () => {
  it('begins where this one ends', () => {
    const shown = shownPage(20, { has_more: true, next_page_token: 'c' }, { pages: [{ token: 'b', before: 25 }] });
    assert.deepEqual(nextStep(shown), { token: 'c', before: 45 });
  });

  it('is none at the end, or where the cursor was walked already', () => {
    assert.equal(nextStep(undefined), undefined);
    assert.equal(nextStep(shownPage(25)), undefined);
    const circle = shownPage(25, { has_more: true, next_page_token: 'b' }, { pages: [{ token: 'b', before: 25 }] });
    assert.equal(nextStep(circle), undefined);
  });
});

describe('the address of the list', () => {
  it('keeps what a link may carry, and nothing that is not offered', () => {
    assert.deepEqual(identitiesSearch({ identifier: ' a@example.org ', page_size: '100' }), {
      identifier: 'a@example.org',
      page_size: 100,
    });
    for (const page_size of ['25', '0', '251', '1e2', ' 50', '-1', 'abc', undefined])
      assert.deepEqual(identitiesSearch({ page_size, identifier: ' ' }), {});
  });

  it('asks by the last cursor of the walk', () => {
    assert.deepEqual(
      pageQuestion({ page_size: 50 }, [
        { token: 'a', before: 50 },
        { token: 'b', before: 100 },
      ]),
      {
        pageSize: 50,
        identifier: undefined,
        token: 'b',
      },
    );
  });
});

describe('keys in the table', () => {
  const acted: string[] = [];
  const rows = {
    current: 3,
    count: 10,
    focus: (index: number) => acted.push(`focus ${index}`),
    open: (index: number) => acted.push(`open ${index}`),
    toggle: (index: number) => acted.push(`toggle ${index}`),
    next: () => acted.push('next'),
  };
  const press = (key: string, onRow = true): string | undefined => {
    acted.length = 0;
    keyAction(key, onRow, rows)?.();
    return acted[0];
  };

  for (const [key, act] of [
    ['j', 'focus 4'],
    ['ArrowUp', 'focus 2'],
    ['Home', 'focus 0'],
    ['End', 'focus 9'],
    ['x', 'toggle 3'],
    [' ', 'toggle 3'],
    ['Enter', 'open 3'],
    ['n', 'next'],
    ['p', undefined],
    ['g', undefined],
  ] as const)
    it(`${key} means ${act ?? 'nothing'}`, () => assert.equal(press(key), act));

  it('leave Enter and the space bar to the link, box or button that has the focus', () => {
    assert.equal(press('Enter', false), undefined);
    assert.equal(press(' ', false), undefined);
    assert.equal(press('j', false), 'focus 4');
  });
});

describe('a device in words', () => {
  for (const [userAgent, words] of [
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
      'Chrome on macOS',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['curl/8.5.0', 'Curl'],
    ['Something/1.0', 'Unknown device'],
    ['', 'Unknown device'],
    [null, 'Unknown device'],
  ] as const)
    it(`is ${words} for ${userAgent}`, () => assert.equal(deviceInWords(userAgent), words));

  for (const [address, bare] of [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['', undefined],
    [null, undefined],
  ] as const)
    it(`has the address ${bare} for ${address}`, () => assert.equal(addressWithoutPort(address), bare));
});

describe('the list of credentials', () => {
  const credential = (identifiers?: string[]) => ({
    type: '',
    created_at: '',
    updated_at: '',
    ...(identifiers ? { identifiers } : {}),
  });

  it('has one item for each account at a provider, and one for any other type', () => {
    const items = credentialItems({
      password: credential(['b', 'a']),
      oidc: credential(['google:2', 'github:1']),
      totp: credential(),
    });
    assert.deepEqual(
      items.map(({ type, identifier }) => [type, identifier]),
      [
        ['password', undefined],
        ['oidc', 'github:1'],
        ['oidc', 'google:2'],
        ['totp', undefined],
      ],
    );
    assert.deepEqual(credentialItems(undefined), []);
  });
});
