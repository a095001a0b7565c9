import assert from 'node:assert/strict';
import { newDraft } from '../../client/features/identities/identity-draft.ts';
import { schemaProblems } from '../../client/features/identities/identity-form.tsx';
import { jsonProblem } from '../../client/lib/json-problem.ts';
import { descriptionOf } from '../../client/record/trait-field.tsx';
import { choicesOf, traitKind, withDefaults, withTrait } from '../../client/record/traits.ts';
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
const person = { properties: { kind: { const: 'person' }, first: text, vip: { const: true } }, required: ['first'] };
const company = { properties: { kind: { const: 'company' }, company: text, vip: false }, required: ['company'] };
const properties = { kind: { enum: ['person', 'company'] } };
const oneOf = [person, company];
const when = (condition: object, ...branches: object[]) =>
  Object.fromEntries([condition, ...branches].map((one, index) => [['if', 'then', 'else'][index], one]));
const whenKind = (value: string, ...branches: object[]) =>
  when({ properties: { kind: { const: value } } }, ...branches);

describe('the fields of traits', () => {
  it('are those of the branch that constants choose, or of all branches, however the schema writes them', () => {
    const chosen = 'kind: person|company, company: text*';
    const $defs = { person, company: { $anchor: 'firm', ...company } };
    const card = { properties: { card: text, zip: text }, dependencies: { card: ['zip'] } };
    const few = { properties: { n: { enum: [1, 2] }, few: text } };
    const two = (b: number) => ({ properties: { a: { const: Math.sign(b) }, b: { const: b }, [`f${b}`]: text } });
    for (const [schema, value, fields] of [
      [{ properties, oneOf }, { kind: 'company', first: 'x' }, chosen],
      [{ properties, oneOf }, undefined, 'kind: person|company, first: text, vip: Yes, company: text'],
      [{ oneOf }, {}, 'kind: person|company'],
      [{ properties: { kind: text }, anyOf: oneOf }, { kind: 'company' }, chosen],
      [{ anyOf: [{ $ref: '#/$defs/person' }, { $ref: '#firm' }], $defs }, { kind: 'company' }, chosen],
      [{ allOf: [{ properties }, { oneOf }] }, { kind: 'company' }, chosen],
      [{ properties, allOf: [whenKind('person', person), whenKind('company', company)] }, { kind: 'company' }, chosen],
      [{ properties, ...whenKind('person', person, company) }, { kind: 'company' }, chosen],
      [{ properties, dependencies: { kind: { oneOf } } }, { kind: 'company' }, chosen],
      [{ properties: { kind: text }, anyOf: [company, few] }, { kind: 'x' }, 'kind: text, n: 1|2, few: text'],
      [{ properties: { kind: text }, anyOf: [company, {}] }, {}, 'kind: text, company: text'],
      [{ oneOf: [few, { properties: { n: { enum: [3] } } }] }, { n: 2 }, 'n: 1|2|3, few: text'],
      [{ oneOf: [2, 1, 0].map(two) }, { a: 1, b: 2 }, 'a: 1|0, b: 2|1, f2: text'],
      [card, { card: '1' }, 'card: text, zip: text*'],
      [
        when({ properties: { x: { pattern: 'x' } } }, few, card),
        { x: 'x' },
        'n: 1|2, few: text, card: text, zip: text',
      ],
      [{ allOf: [{ $ref: '#' }], properties: { loop: { $ref: '#' } } }, {}, 'loop: object'],
    ] as const)
      assert.equal(fieldsOf(schema, value), fields, JSON.stringify(schema));
  });

  it('are chosen by all that the schema says, and say what JSON is expected where only JSON fits', () => {
    const place = { $id: '#place', properties: { city: text } };
    const root = { $id: 'https://a.example/b.json', definitions: { place } };
    const titled = ['One', 'Unknown'].map((title, index) => ({ title, const: [1, null][index] }));
    for (const [schema, field, description] of [
      [{ const: true, title: 'Terms' }, 'Yes'],
      [{ oneOf: titled }, 'One|Unknown'],
      [{ enum: [1, null, ' '] }, '1|None|" "'],
      [{ enum: ['', 'None'], default: '', description: 'Plan' }, '(empty)|None', 'Plan · Default: (empty)'],
      [{ items: text }, 'list'],
      [{ format: 'email' }, 'text'],
      [{ exclusiveMinimum: 1 }, 'number'],
      [{ $ref: '#place', description: 'Home' }, 'object', 'Home'],
      [{ $ref: 'https://a.example/b.json#/definitions/place' }, 'object'],
      [{ anyOf: [{ type: 'null' }, { $ref: '#place' }] }, 'object'],
      [{ items: [{ type: 'integer' }, { enum: ['m'] }] }, 'json', 'Enter JSON, for example [1,"m"]'],
      [{ items: place }, 'json', 'Enter JSON, for example [{"city":"text"}]'],
      [{}, 'json', 'Enter JSON, for example "text"'],
    ] as const) {
      assert.equal(fieldOf(schema, root), field, JSON.stringify(schema));
      const one = whole(schema, root);
      assert.equal(descriptionOf(one, root, traitKind(one, undefined, root)), description, JSON.stringify(schema));
    }
  });

  it('have the objections of the chosen branches only, but all of them', async () => {
    const isMissing = 'This is required.';
    const [adult, minor] = ['idno', 'guardian'].map((name, index) => ({
      properties: { sub: { const: ['adult', 'minor'][index] }, [name]: text },
      required: ['sub', name],
    }));
    const nested = { ...person, oneOf: [adult, minor] };
    const salutation = { properties: { ...person.properties, salutation: { enum: ['Mr', 'Ms'] } }, required: ['last'] };
    const definitions = { person, company };
    const references = Object.keys(definitions).map((name) => ({ $ref: `#/definitions/${name}` }));
    const kind = { ...properties.kind, enum: ['person', 'company'] };
    for (const [branches, traits, problems, required = []] of [
      [oneOf, { kind: 'company' }, { company: isMissing }],
      [[nested, company], { kind: 'person', first: 'A', sub: 'adult' }, { idno: isMissing }],
      [
        [salutation, company],
        { kind: 'person', salutation: 'X' },
        { last: isMissing, salutation: /one of "Mr", "Ms"/ },
      ],
      [references, {}, { kind: isMissing }, ['kind']],
      [[{ required: ['a'] }, { required: ['b'] }], {}, { '': /needs a or b/ }],
    ] as const) {
      const schema = { definitions, properties: { traits: { properties: { kind }, required, oneOf: branches } } };
      const found = (await schemaProblems(schema, traits, undefined, checkWithoutWorker)) ?? {};
      const paths = Object.keys(problems).map((name) => (name === '' ? '/traits' : `/traits/${name}`));
      assert.deepEqual(Object.keys(found).sort(), paths.sort(), JSON.stringify(found));
      for (const [name, words] of Object.entries(problems))
        assert.match(found[name === '' ? '/traits' : `/traits/${name}`] ?? '', new RegExp(words));
    }
  });

  it('start with their defaults, which come with a branch as well, and keep values of other branches aside', () => {
    const nested = { properties: { a: { default: 1 }, b: { default: null }, c: { const: true } } };
    const vat = { properties: { kind: { const: 'company' }, vat: { default: 'DE' } } };
    const schema = { properties: { kind: { ...properties.kind, default: 'company' }, nested }, oneOf: [person, vat] };
    const { traits } = newDraft({ properties: { traits: schema } });
    assert.deepEqual(traits, { kind: 'company', nested: { a: 1 }, vat: 'DE' });
    const start = { kind: 'person', first: 'Ada', crm: 7 };
    const value = withTrait(schema, schema, { start, value: start, hidden: {} }, ['kind', 'company']);
    assert.deepEqual(value, { kind: 'company', crm: 7, vat: 'DE' });
    const hidden = { first: 'Ada' };
    assert.deepEqual(withTrait(schema, schema, { start, value, hidden }, ['kind', 'person']), start);
    assert.equal(withTrait(schema, schema, { start, value, hidden }, ['vat', undefined])['vat'], undefined);
    const both = { kind: 'company', vat: 'DE', first: 'Ada' };
    const there = withTrait(schema, schema, { start: both, value: both, hidden: {} }, ['kind', 'person']);
    const back = { start: both, value: there, hidden: { vat: 'DE' } };
    assert.deepEqual(withTrait(schema, schema, back, ['kind', 'company']), both);
    const group = { properties: { street: {}, country: { default: 'DE' } }, required: ['street'] };
    for (const required of [[], ['home']])
      assert.deepEqual(
        withDefaults({ properties: { home: group }, required }, {}),
        required[0] && { home: { country: 'DE' } },
      );
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
      ['[{"x": {"b": 1,\r\n"\\u0062": 2}}]', 'Line 2, column 1: the member “b” is repeated.'],
    ] as const)
      assert.equal(jsonProblem(json), problem, json);
    for (const json of ['01', '1.', '-', 'nulls', '[1,]', '1 2', '{a: 1}', '"\t"', '\u00a01', ''])
      assert.ok(jsonProblem(json), json);
  });
});
