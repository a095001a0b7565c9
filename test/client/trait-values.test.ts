import assert from 'node:assert/strict';
import { newDraft, sameDraft } from '../../client/features/identities/identity-draft.ts';
import { schemaProblems } from '../../client/features/identities/use-identity-form.ts';
import { jsonProblem } from '../../client/lib/json-problem.ts';
import { descriptionOf } from '../../client/record/trait-input.tsx';
import { choicesOf, hasField, traitKind } from '../../client/record/trait-kind.ts';
import { withTrait } from '../../client/record/trait-values.ts';
import { type JsonSchema, membersOf, texts, whole } from '../../shared/json.ts';
import { checkWithoutWorker } from '../support/import-runs.ts';

/** The choices of a field, or its kind. */
function fieldOf(one: unknown, root: JsonSchema): string {
  const choices = choicesOf(whole(one, root), root).map(({ label }) => label);
  return choices.length > 0 ? choices.join('|') : traitKind(whole(one, root), undefined, root);
}

/** The fields of an object: `kind: person|company, first: text*`, with an asterisk if required. */
function fieldsOf(schema: JsonSchema, value?: object): string {
  const { properties, required } = whole(schema, schema, value);
  return Object.entries(membersOf(properties))
    .map(([key, one]) => `${key}: ${fieldOf(one, schema)}${texts(required).includes(key) ? '*' : ''}`)
    .join(', ');
}

const text = { type: 'string' };
const person = { properties: { kind: { const: 'person' }, first: text }, required: ['first'] };
const company = { properties: { kind: { const: 'company' }, company: text }, required: ['company'] };
const properties = { kind: { enum: ['person', 'company'] } };
const oneOf = [person, company];
const $defs = { person, company: { $anchor: 'firm', ...company } };
const when = (condition: object, ...branches: object[]) =>
  Object.fromEntries([condition, ...branches].map((one, index) => [['if', 'then', 'else'][index], one]));
const whenKind = (value: string, met: object) => when({ properties: { kind: { const: value } } }, met);

describe('the fields of traits', () => {
  it('are those of the chosen branch, however the schema writes branches', () => {
    for (const schema of [
      { properties, oneOf },
      { properties: { kind: text }, anyOf: oneOf },
      { anyOf: [{ $ref: '#/$defs/person' }, { $ref: '#firm' }], $defs },
      { allOf: [{ properties }, { oneOf }] },
      { properties: { ...properties, company: true }, oneOf },
      { properties, allOf: [whenKind('person', person), whenKind('company', company)] },
      { properties, ...when({ not: { properties: { kind: { const: 'company' } } } }, person, company) },
      { properties, dependencies: { kind: { oneOf } } },
    ]) {
      assert.equal(fieldsOf(schema, { kind: 'company', first: 'x' }), 'kind: person|company, company: text*');
      assert.match(fieldsOf(schema), /company: text, first: text|first: text, company: text/);
    }
    assert.equal(fieldsOf({ oneOf }, {}), 'kind: person|company');
  });

  it('depend on other members, and are all there if only the full check can decide', () => {
    const card = { card: text, zip: text };
    const has = { properties: { has: { const: true }, a: text }, required: ['a'] };
    const none = { properties: { has: { const: false } } };
    const [low, high] = [[1, 2], [3]].map((values, index) => ({
      properties: { n: { enum: values }, [`x${index}`]: text },
    }));
    for (const [schema, value, fields] of [
      [{ properties: card, dependencies: { card: ['zip'] } }, { card: '1' }, 'card: text, zip: text*'],
      [{ properties: card, dependencies: { card: ['zip'] } }, {}, 'card: text, zip: text'],
      [{ oneOf: [has, none] }, { has: true }, 'has: Yes|No, a: text*'],
      [{ oneOf: [low, high] }, { n: 2 }, 'n: 1|2|3, x0: text'],
      [
        when({ properties: { x: { pattern: 'x' } } }, has, person),
        { x: 'x' },
        'has: Yes, a: text, kind: person, first: text',
      ],
      [
        { anyOf: [{ required: ['card'], properties: card }, { properties: { b: text } }] },
        {},
        'card: text, zip: text, b: text',
      ],
      [{ allOf: [{ $ref: '#' }], properties: { loop: { $ref: '#' } } }, {}, 'loop: object'],
    ] as const)
      assert.equal(fieldsOf(schema, value), fields, JSON.stringify(schema));
  });

  it('are chosen by all that the schema says, and say what JSON is expected where only JSON fits', () => {
    const place = { $id: '#place', properties: { city: text } };
    const root = { $id: 'https://a.example/b.json', definitions: { place } };
    for (const [schema, field, description] of [
      [{ const: true, title: 'Terms' }, 'Yes'],
      [{ const: { a: 1 } }, '{"a":1}'],
      [
        {
          oneOf: [
            { const: 1, title: 'One' },
            { const: null, title: 'Unknown' },
          ],
        },
        'One|Unknown',
      ],
      [{ enum: [1, '1', null, ''] }, '1|"1"|null|""'],
      [
        { enum: ['', 'basic', 'None'], default: '', description: 'Plan' },
        '(empty)|basic|None',
        'Plan · Default: (empty)',
      ],
      [{ items: text }, 'list'],
      [{ format: 'email' }, 'text'],
      [{ minimum: 1 }, 'number'],
      [{ $ref: '#place' }, 'object'],
      [{ $ref: 'https://a.example/b.json#/definitions/place' }, 'object'],
      [{ anyOf: [{ type: 'null' }, { $ref: '#place' }] }, 'object'],
      [{ items: [{ type: 'integer' }, { type: 'integer' }] }, 'json', 'Enter JSON, for example [1, 2]'],
      [{ items: place }, 'json', 'Enter JSON, for example [{"city": "text"}]'],
      [{}, 'json', 'Enter JSON, for example "text"'],
    ] as const) {
      assert.equal(fieldOf(schema, root), field, JSON.stringify(schema));
      const one = whole(schema, root);
      assert.equal(descriptionOf(one, root, traitKind(one, undefined, root)), description, JSON.stringify(schema));
    }
  });

  it('have the objections, which are about the chosen branch only', async () => {
    const pair = { items: [{}] };
    const schema = { properties: { traits: { properties: { ...properties, pair, tags: { items: text } }, oneOf } } };
    const [traits, required] = [{ kind: 'company' }, { '/traits/company': 'This is required.' }];
    assert.deepEqual(await schemaProblems(schema, traits, undefined, checkWithoutWorker), required);
    for (const name of ['company', 'pair/0', 'tags/3']) assert.ok(hasField(schema, `/traits/${name}`, traits), name);
    for (const name of ['first', 'kind/x']) assert.ok(!hasField(schema, `/traits/${name}`, traits), name);
  });

  it('of a branch that is left keep their values aside, and bring defaults into a new identity only', () => {
    const vat = { properties: { kind: { const: 'company' }, vat: { default: 'DE' } } };
    const schema = { properties, oneOf: [person, vat] };
    const before = { value: { kind: 'person', first: 'Ada', crm: 7 }, hidden: {} };
    const left = withTrait(schema, schema, before, ['kind', 'company'], false);
    assert.deepEqual(left, { value: { kind: 'company', crm: 7 }, hidden: { first: 'Ada' } });
    assert.deepEqual(withTrait(schema, schema, left, ['kind', 'person'], false), before);
    const chosen = withTrait(schema, schema, before, ['kind', 'company'], true);
    assert.deepEqual(chosen.value, { kind: 'company', crm: 7, vat: 'DE' });
    assert.equal(withTrait(schema, schema, chosen, ['vat', undefined], true).value['vat'], undefined);
  });

  it('start with defaults in a new identity, which then counts as unchanged', () => {
    const kind = { ...properties.kind, default: 'company' };
    const nested = { properties: { a: { default: 1 }, b: { default: null }, c: { const: true } } };
    const vat = { properties: { kind: { const: 'company' }, vat: { default: 'DE' } } };
    const schema = { properties: { traits: { properties: { kind, nested, empty: {} }, oneOf: [person, vat] } } };
    assert.deepEqual(newDraft(schema).traits, { kind: 'company', nested: { a: 1 }, vat: 'DE' });
    assert.ok(sameDraft(newDraft(schema), newDraft(schema)));
  });
});

describe('a problem in JSON', () => {
  it('is described with its line and column in every browser, also for repeated members', () => {
    for (const [json, problem] of [
      ['{"a": [1, -2.5e+3, true, "\\u00e9\\n😀"], "b": {"a": {}}, "__proto__": 1}\n', undefined],
      ['plain', 'Line 1, column 1: expected a value (text needs double quotes), found “p”.'],
      ['{\n  "a": 1,\n  "b" 2\n}', 'Line 3, column 7: expected “:”, found “2”.'],
      ['["😀" x', 'Line 1, column 6: expected “,” or “]”, found “x”.'],
      ['{"a": 1', 'Line 1, column 8: expected “,” or “}”, found the end of the line.'],
      ['"a\nb"', 'Line 1, column 3: expected a double quote after the text, found the end of the line.'],
      ['"C:\\d"', 'Line 1, column 4: expected an escape such as \\\\ or \\n, found “\\”.'],
      ['1 2', 'Line 1, column 3: expected nothing more, found “2”.'],
      ['[{"x": {"b": 1,\r\n"\\u0062": 2}}]', 'Line 2, column 1: the member “b” is repeated.'],
    ] as const)
      assert.equal(jsonProblem(json), problem, json);
    for (const json of ['01', '1.', '-', 'nulls', '[1,]', '{a: 1}', '"\t"', '\u00a01', ''])
      assert.ok(jsonProblem(json), json);
  });
});
