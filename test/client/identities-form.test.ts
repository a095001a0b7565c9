import assert from 'node:assert/strict';
import { membersIn, newDraft } from '../../client/features/identities/identity-draft.ts';
import { schemaProblems } from '../../client/features/identities/identity-form.tsx';
import { pointerTo } from '../../client/lib/json.ts';
import { jsonOrText } from '../../client/record/json-editor.tsx';
import { applied, memberChanges, patchOf } from '../../client/record/member-changes.ts';
import type { DraftRefused } from '../../client/record/record-form.tsx';
import { traitFromText } from '../../client/record/trait-field.tsx';
import { labelsOf, traitKind } from '../../client/record/traits.ts';
import { problemsIn } from '../../client/record/traits-check.ts';
import { keysOf, resolved, whole } from '../../shared/json.ts';
import { checkWithoutWorker } from '../support/import-runs.ts';

const schemaOf = (properties: object, rest: object = {}) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://schemas.example.com/person.schema.json',
  type: 'object',
  properties: { traits: { type: 'object', properties, additionalProperties: false, ...rest } },
});

describe('an error of the identity service about traits', () => {
  it('is shown at the field of each missing property', () => {
    assert.deepEqual(problemsIn('I[#/traits] S[#/properties/traits/required] missing properties: "email", "role"'), {
      '/traits/email': 'This is required.',
      '/traits/role': 'This is required.',
    });
  });

  it('is reduced to its distinct reasons, without the heading line', () => {
    const reason =
      'I[#/traits/email] S[#/properties/traits/properties/email] validation failed\n' +
      '  I[#/traits/email] S[#/properties/traits/properties/email/format] "x" is not valid "email"\n' +
      '  I[#/traits/email] S[#/properties/traits/properties/email/format] "x" is not valid "email"';
    assert.deepEqual(problemsIn(reason), { '/traits/email': '"x" is not valid "email"' });
  });
});

describe('schema violations', () => {
  const schema = schemaOf(
    {
      email: { type: 'string', format: 'email' },
      name: { type: 'object', properties: { first: { type: 'string', maxLength: 3 } } },
      role: { enum: ['admin', 'viewer'] },
      seats: { type: 'integer', minimum: 1 },
      phone: { type: 'string', pattern: '^\\+[0-9]+$' },
      zip: { type: 'string', pattern: '^[0-9]{5}$', examples: ['10116'] },
    },
    { required: ['email', 'role'] },
  );

  it('are described at the path of each invalid trait', async () => {
    for (const [traits, problems] of [
      [{ email: 'jürgen@mueller.example', role: 'admin' }, {}],
      [{}, { '/traits/email': 'This is required.', '/traits/role': 'This is required.' }],
      [
        { email: 'x', role: 'admin', phone: '1', zip: 'x' },
        {
          '/traits/email': 'This is not a valid e-mail address.',
          '/traits/phone': 'This must look like +4930123456.',
          '/traits/zip': 'This must look like 10116.',
        },
      ],
      [
        { email: 'a@example.org', role: 'root', seats: 'many', name: { first: 'Adalbert' }, extra: 1 },
        {
          '/traits/role': 'This must be one of "admin", "viewer".',
          '/traits/seats': 'This must be a whole number.',
          '/traits/name/first': 'This is too long (8 > 3).',
          '/traits/extra': 'This is not in the schema.',
        },
      ],
    ])
      assert.deepEqual(await schemaProblems(schema, traits ?? {}, undefined, checkWithoutWorker), problems);
  });

  it('are described in one sentence if no alternative of a schema matches, and are not reported if one does', async () => {
    const either = schemaOf(
      { a: {}, b: {}, c: {}, mail: { anyOf: [{ format: 'email' }, { const: '-' }] } },
      { anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] },
    );
    for (const [traits, problems] of [
      [{}, { '/traits': 'This needs a or b and c.' }],
      [{ b: 1, mail: 'jürgen@mueller.example' }, { '/traits': 'This needs a or c.' }],
      [{ a: 1, mail: 'jürgen@mueller.example' }, {}],
      [{ a: 1, mail: 'x' }, { '/traits/mail': 'This is not a valid e-mail address.' }],
    ])
      assert.deepEqual(await schemaProblems(either, traits, undefined, checkWithoutWorker), problems);
  });

  it('are reported only for changed traits', async () => {
    const stored = { email: 'x', zip: 'old', role: 'admin', seats: 1 };
    for (const [changes, pointers] of [
      [{ seats: 2 }, []],
      [{ seats: 0 }, ['/traits/seats']],
      [{ email: 'y', seats: 2 }, ['/traits/email']],
      [{ role: undefined }, ['/traits/role']],
    ] as const)
      assert.deepEqual(
        Object.keys((await schemaProblems(schema, { ...stored, ...changes }, stored, checkWithoutWorker)) ?? {}),
        pointers,
      );
  });
});

describe('the field for a trait', () => {
  const list = { type: 'array', items: { $ref: '#/definitions/list' } };
  const address = { type: 'object', properties: {} };
  const mail = { type: 'string', title: 'E-mail' };
  const root = { definitions: { mail, address, list, loop: { $ref: '#/definitions/loop' } } };
  it('has a kind that preserves the stored value', () => {
    for (const [schema, value, kind] of [
      [{ type: 'string' }, undefined, 'text'],
      [{ type: 'integer' }, 1, 'number'],
      [{ type: 'string', enum: ['a', 'b'] }, 'a', 'choice'],
      [{ type: 'object', properties: { a: {} } }, {}, 'object'],
      [{ type: 'array', items: { type: 'string' } }, ['x'], 'list'],
      [list, undefined, 'json'],
      // A stored value of another type is never hidden behind a field that would lose it.
      [{ type: 'string' }, 5, 'json'],
      [{ type: 'string', enum: ['a'] }, 'old value', 'json'],
      [{ type: 'array', items: { type: 'string' } }, [{}], 'json'],
      [{ type: 'object', properties: {} }, 'text', 'json'],
      [{ type: 'string' }, 'mixed\rbreaks\n', 'json'],
      // References, `allOf` and `anyOf` are followed, and each of several types is considered.
      [{ allOf: [{ $ref: '#/definitions/mail' }, { maxLength: 9 }] }, 'a', 'text'],
      [{ type: ['string', 'integer', 'null'] }, 'a', 'text'],
      [{ type: ['string', 'integer', 'null'] }, 1, 'number'],
      [{ anyOf: [mail, { type: 'string', pattern: '1' }] }, 'a', 'text'],
      [{ type: ['string', 'null'], enum: ['a', null] }, 'a', 'choice'],
      [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'string' }] }, 'c', 'text'],
      [{ type: 'object', properties: {}, anyOf: [{ required: ['a'] }] }, {}, 'object'],
    ] as const)
      assert.equal(traitKind(whole(schema, root), value, root), kind, JSON.stringify({ schema, value }));
  });

  it('is labelled by its own title, by that of its definition, or by its name if another trait has the same title', () => {
    const $ref = '#/definitions/mail';
    const labels = (members: object) =>
      labelsOf(Object.entries(members).map(([key, member]) => [key, whole(member, root)]));
    assert.deepEqual(labels({ work: { $ref } }), ['E-mail']);
    assert.deepEqual(labels({ work: { $ref }, home: { $ref } }), ['work', 'home']);
    assert.deepEqual(labels({ work: { $ref }, home: { $ref, title: 'At home' } }), ['E-mail', 'At home']);
  });

  it('parses numbers in any notation without rounding, and keeps codes such as 007 as text', () => {
    for (const [typed, json] of [
      ['10.50', '10.5'],
      ['1e3', '1000'],
      ['.5', '0.5'],
      ['-.5', '-0.5'],
      ['+1.', '1'],
      ['9007199254740993', '9007199254740993'],
      ['007', '"007"'],
      ['1e', '"1e"'],
    ] as const)
      assert.equal(JSON.stringify(traitFromText(typed, 'number')), json, typed);
  });

  it('follows references within the schema, describes missing ones, and stops at circular ones', () => {
    assert.deepEqual(resolved({ $ref: '#/definitions/address' }, root), root.definitions.address);
    for (const $ref of ['#/definitions/none', '#/%', '#/%e4'])
      assert.deepEqual(resolved({ $ref }, root), {
        description: `The schema refers to “${$ref}”, which does not exist.`,
      });
    assert.deepEqual(resolved({ $ref: '#/definitions/loop' }, root), root.definitions.loop);
  });
});

describe('the draft of an identity', () => {
  it('reports every member that is not valid JSON', () => {
    const draft = { ...newDraft(), traits: { a: jsonOrText('{'), b: [jsonOrText('x')] }, metadataAdmin: '{,' };
    assert.throws(
      () => membersIn(draft, undefined),
      ({ problems, isCertain }: DraftRefused) =>
        isCertain && Object.keys(problems).join() === '/traits/a,/traits/b/0,/metadata_admin',
    );
  });

  it('is sent without whitespace around addresses and identifiers, but with whitespace around other text', () => {
    const isLogin = { 'ory.sh/kratos': { credentials: { password: { identifier: true } } } };
    const schema = schemaOf({
      mails: { type: 'array', items: { format: 'email' } },
      home: { properties: { tel: { format: 'tel' } } },
      login: isLogin,
      note: { type: 'string' },
    });
    const blank = (text: string): string => `\u202A\u00A0 ${text} \u00A0\u202C`;
    const traits = { mails: [blank('a@b.example')], home: { tel: blank('1 2') }, login: blank('ada'), note: ' x ' };
    const sent = membersIn({ ...newDraft(), traits }, undefined, schema);
    assert.deepEqual(sent.traits, { mails: ['a@b.example'], home: { tel: '1 2' }, login: 'ada', note: ' x ' });
  });
});

describe('the difference between two versions of an identity', () => {
  it('lists the innermost members that differ, and treats an array as one value', () => {
    const before = { traits: { name: { first: 'Ada', last: 'Old' }, tags: ['a', 'b'] }, metadata_public: null };
    const after = { traits: { name: { first: 'Ada' }, tags: ['a'], locale: 'en' }, metadata_public: { plan: 'gold' } };
    assert.deepEqual(memberChanges(before, after), [
      { path: '/traits/name/last', before: 'Old', after: undefined },
      { path: '/traits/tags', before: ['a', 'b'], after: ['a'] },
      { path: '/traits/locale', before: undefined, after: 'en' },
      { path: '/metadata_public', before: null, after: { plan: 'gold' } },
    ]);
  });

  it('is sent as a JSON Patch that adds, replaces and removes members, without `test` operations', () => {
    const changes = memberChanges({ a: 1, b: 2, n: null }, { b: 3, c: { d: 1 }, n: {} });
    assert.deepEqual(patchOf(changes), [
      { op: 'remove', path: '/a' },
      { op: 'replace', path: '/b', value: 3 },
      { op: 'replace', path: '/n', value: {} },
      { op: 'add', path: '/c', value: { d: 1 } },
    ]);
  });

  it('turns one version into the other when applied', () => {
    const before = { 'a/b': { '~': 1, unchanged: true }, list: [1], removed: { x: 1 } };
    const after = { 'a/b': { '~': 2, unchanged: true }, list: [1, 2], added: { y: { z: 1 } } };
    assert.deepEqual(applied(before, memberChanges(before, after)), after);
    assert.deepEqual(before, { 'a/b': { '~': 1, unchanged: true }, list: [1], removed: { x: 1 } }, 'the original');
  });

  it('never changes a prototype, whatever the names of members', () => {
    const after = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    const result = applied({}, memberChanges({}, after));
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    assert.deepEqual(Object.keys(result).sort(), ['__proto__', 'constructor']);
  });
});

describe('JSON pointers', () => {
  it('preserve keys with slashes and tildes', () => {
    const pointer = pointerTo(pointerTo('/traits', 'a/b'), '~1');
    assert.equal(pointer, '/traits/a~1b/~01');
    assert.deepEqual(keysOf(pointer), ['traits', 'a/b', '~1']);
  });
});
