import assert from 'node:assert/strict';
import { draftOf, emptyDraft, membersIn, sameDraft } from '../../client/features/identities/form/identity-draft.ts';
import { schemaProblems } from '../../client/features/identities/form/schema-problems.ts';
import { problemsIn } from '../../client/features/identities/form/upstream-reasons.ts';
import { forgetDraft, keepDraft, keptDraft } from '../../client/resource/form/kept-draft.ts';
import { jsonOrText, pointersToNotJson } from '../../client/resource/form/not-json.ts';
import { traitFromText } from '../../client/resource/traits/trait-from-text.ts';
import { choicesOf, traitKind } from '../../client/resource/traits/trait-kind.ts';
import { resolved } from '../../client/resource/traits/trait-schema.ts';
import { checkHere } from '../support/import-schemas.ts';

const schemaOf = (properties: object, rest: object = {}) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://schemas.example.com/person.schema.json',
  type: 'object',
  properties: { traits: { type: 'object', properties, additionalProperties: false, ...rest } },
});

describe("the identity service's refusal of traits", () => {
  it('is taken apart by member', () => {
    assert.deepEqual(
      problemsIn('I[#/traits/bar] S[#/properties/traits/properties/bar/type] expected string, but got number'),
      {
        '/traits/bar': 'Expected string, but got number',
      },
    );
  });

  it('names each missing property at its own place', () => {
    assert.deepEqual(problemsIn('I[#/traits] S[#/properties/traits/required] missing properties: "email", "role"'), {
      '/traits/email': 'This is required.',
      '/traits/role': 'This is required.',
    });
  });

  it('keeps the reasons in several lines, without the heading over them', () => {
    const reason =
      'I[#/traits/email] S[#/properties/traits/properties/email] validation failed\n' +
      '  I[#/traits/email] S[#/properties/traits/properties/email/format] "x" is not valid "email"\n' +
      '  I[#/traits/email] S[#/properties/traits/properties/email/format] "x" is not valid "email"';
    assert.deepEqual(problemsIn(reason), { '/traits/email': '"x" is not valid "email"' });
  });

  for (const message of ['', 'This identity conflicts with another identity.', 'I[broken'])
    it(`is none in ${JSON.stringify(message)}`, () => assert.equal(problemsIn(message), undefined));
});

describe('what a schema has against traits', () => {
  const schema = schemaOf(
    {
      email: { type: 'string', format: 'email' },
      name: { type: 'object', properties: { first: { type: 'string', maxLength: 3 } } },
      role: { enum: ['admin', 'viewer'] },
      seats: { type: 'integer', minimum: 1 },
      phone: { type: 'string', pattern: '^\\+[0-9]+$' },
      zip: { type: 'string', pattern: '^[0-9]{5}$', examples: ['10115'] },
    },
    { required: ['email', 'role'] },
  );

  for (const [circumstance, traits, problems] of [
    ['they fit', { email: 'a@example.org', role: 'admin' }, {}],
    ['an address goes beyond ASCII, which the store takes', { email: 'jürgen@müller.example', role: 'admin' }, {}],
    ['members are missing', {}, { '/traits/email': 'This is required.', '/traits/role': 'This is required.' }],
    [
      'a format and a pattern do not fit',
      { email: 'x', role: 'admin', phone: '1', zip: 'x' },
      {
        '/traits/email': 'This is not a valid e-mail address.',
        '/traits/phone': 'This does not match the pattern ^\\+[0-9]+$.',
        '/traits/zip': 'This does not look like 10115.',
      },
    ],
    [
      'a type and a choice do not fit',
      { email: 'a@example.org', role: 'root', seats: 'many' },
      { '/traits/role': 'This must be one of "admin", "viewer".', '/traits/seats': 'This must be a whole number.' },
    ],
    [
      'something deeper does not fit',
      { email: 'a@example.org', role: 'admin', name: { first: 'Adalbert' } },
      { '/traits/name/first': 'This is too long (8 > 3).' },
    ],
    [
      'a member is unknown',
      { email: 'a@example.org', role: 'admin', extra: 1 },
      { '/traits/extra': 'This is not in the schema.' },
    ],
  ] as const)
    it(`is told at the member when ${circumstance}`, async () =>
      assert.deepEqual(await schemaProblems(schema, traits, checkHere), problems));

  it('is left to the identity service where this browser does not understand the schema', async () => {
    for (const member of [{ pattern: '(' }, { $ref: 'https://elsewhere.example/x' }, { $ref: '#/%' }])
      assert.equal(await schemaProblems(schemaOf({ a: member }), { a: 'x' }, checkHere), undefined);
  });
});

describe('the field for a trait', () => {
  const list = { type: 'array', items: { $ref: '#/definitions/list' } };
  const place = { type: 'object', properties: {} };
  const root = { definitions: { place, list, loop: { $ref: '#/definitions/loop' } } };
  for (const [schema, value, kind] of [
    [{ type: 'string' }, undefined, 'text'],
    [{ type: ['string', 'null'] }, null, 'text'],
    [{ type: 'integer' }, 1, 'number'],
    [{ type: 'boolean' }, false, 'boolean'],
    [{ type: 'string', enum: ['a', 'b'] }, 'a', 'choice'],
    [{ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, undefined, 'choice'],
    [{ type: 'object', properties: { a: {} } }, {}, 'object'],
    [{ type: 'array', items: { type: 'string' } }, ['x'], 'list'],
    [{ type: 'array', items: { type: 'object' } }, undefined, 'json'],
    [list, undefined, 'json'],
    [{ type: 'object' }, undefined, 'json'],
    [{ anyOf: [{ type: 'string' }] }, undefined, 'json'],
    [{}, undefined, 'json'],
    // A stored value of another type is never hidden behind a field that would lose it.
    [{ type: 'string' }, 5, 'json'],
    [{ type: 'string', enum: ['a'] }, 'old value', 'json'],
    [{ type: 'array', items: { type: 'string' } }, [{}], 'json'],
    [{ type: 'object', properties: {} }, 'text', 'json'],
  ] as const)
    it(`is of kind ${kind} for ${JSON.stringify(schema)} with ${JSON.stringify(value)}`, () =>
      assert.equal(traitKind(schema as Record<string, unknown>, value, root), kind));

  it('follows references within the schema, and no circle for ever', () => {
    assert.deepEqual(resolved({ $ref: '#/definitions/place' }, root), root.definitions.place);
    for (const $ref of ['#/definitions/none', '#/%', '#/%e4'])
      assert.deepEqual(resolved({ $ref }, root), {
        description: `The schema refers to “${$ref}”, which is not in it.`,
      });
    assert.deepEqual(resolved({ $ref: '#/definitions/loop' }, root), root.definitions.loop);
  });

  it('offers choices by their titles, and none where something else is allowed too', () => {
    assert.deepEqual(choicesOf({ oneOf: [{ const: 1, title: 'One' }, { const: 'b' }] }), [
      { value: 1, label: 'One' },
      { value: 'b', label: 'b' },
    ]);
    assert.deepEqual(choicesOf({ oneOf: [{ const: 1 }, { type: 'string' }] }), []);
  });

  it('reads a number as soon as it is one, and keeps what is not', () => {
    assert.equal(traitFromText('12', 'number'), 12);
    assert.equal(traitFromText('-1.5', 'number'), -1.5);
    for (const text of ['1.', '-', 'abc', '1e3', ' 1']) assert.equal(traitFromText(text, 'number'), text);
    assert.equal(traitFromText('12', 'text'), '12');
    assert.equal(traitFromText('', 'number'), undefined);
  });
});

describe('the draft of an identity', () => {
  const document = { traits: { a: 1 }, metadata_public: { b: [1] }, metadata_admin: null, external_id: 'crm-1' };

  it('stands for the same members again', () => {
    assert.deepEqual(membersIn(draftOf(document), 'crm-1'), { members: document });
    assert.deepEqual(membersIn(emptyDraft, undefined), {
      members: { traits: {}, metadata_public: null, metadata_admin: null },
    });
  });

  it('leaves an external id with blanks around it alone until somebody changes it', () => {
    const blank = { ...document, external_id: ' crm-1' };
    assert.deepEqual(membersIn({ ...draftOf(blank), metadataPublic: '7' }, ' crm-1'), {
      members: { ...blank, metadata_public: 7 },
    });
    assert.deepEqual(membersIn({ ...draftOf(blank), externalId: ' crm-2 ' }, ' crm-1'), {
      members: { ...document, external_id: 'crm-2' },
    });
    assert.deepEqual(membersIn({ ...draftOf(blank), externalId: ' ' }, ' crm-1'), {
      members: { traits: { a: 1 }, metadata_public: { b: [1] }, metadata_admin: null },
    });
  });

  it('names every place where no JSON stands', () => {
    const draft = {
      ...draftOf(document),
      traits: { a: jsonOrText('{'), b: [jsonOrText('x')] },
      metadataAdmin: '{,',
    };
    assert.deepEqual(membersIn(draft, undefined), {
      problems: {
        '/traits/a': 'This is not valid JSON.',
        '/traits/b/0': 'This is not valid JSON.',
        '/metadata_admin': 'This is not valid JSON.',
      },
    });
  });

  it('is the same while only blanks in metadata differ from nothing', () => {
    assert.ok(sameDraft(draftOf(document), draftOf(structuredClone(document))));
    assert.ok(!sameDraft(draftOf(document), { ...draftOf(document), externalId: '' }));
    assert.ok(!sameDraft(draftOf(document), { ...draftOf(document), traits: jsonOrText('{') }));
  });

  it('comes back once after a sign-in, and only to the identity it is of', () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    };
    const draft = { of: 'id-1', base: null, draft: { ...emptyDraft, externalId: 'typed' } };
    keepDraft('drafts', draft, storage);
    assert.equal(keptDraft('drafts', 'id-2', storage), undefined);
    assert.deepEqual(keptDraft('drafts', 'id-1', storage), draft);
    forgetDraft('drafts', storage);
    assert.equal(keptDraft('drafts', 'id-1', storage), undefined);
  });

  it('finds no place in what is JSON throughout', () => {
    assert.deepEqual(pointersToNotJson({ a: [1, { b: null }], c: 'text' }, '/traits'), []);
  });
});
