import assert from 'node:assert/strict';
import { waitFor } from '@testing-library/dom';
import {
  schemaName,
  schemaSummary,
  type TraitNode,
  traitTree,
  usesOf,
} from '../../client/features/schemas/trait-tree.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { waitForText } from '../support/identity-dom.ts';
import { createAda } from '../support/identity-pages.ts';

const SCHEMAS = '/api/identity/schemas';
interface Customer {
  properties: { traits: { properties: Record<string, object> } };
}

describe('identity schemas', () => {
  const suite = appOfSuite();

  it('are displayed even with spaces and slashes in the ID, hostile text, endless recursion, or no traits', async () => {
    const id = 'org/person v2';
    const encoded = Buffer.from(id).toString('base64url');
    const hostile = {
      title: 'Person \u202enosreP',
      properties: {
        traits: { properties: { self: { $ref: '#/$defs/x' }, [`${'k'.repeat(300)}`]: { enum: ['<b>'] } } },
      },
      $defs: { x: { title: '<img src=x onerror=alert(1)>', properties: { again: { $ref: '#/$defs/x' } } } },
    };
    const respond: App['respond'] = ({ path }) => {
      if (path === SCHEMAS)
        return Response.json([
          { id, schema: hostile },
          { id: 'empty', schema: {} },
        ]);
      return path === `${SCHEMAS}/${encoded}` ? Response.json(hostile) : undefined;
    };
    await suite.open('/schemas', { respond }, async (app) => {
      await waitForText(/No trait to sign in with/);
      await app.user.click(await app.screen.findByRole('link', { name: 'Person ⟨U+202E⟩nosreP' }));
      await waitForText(/Not everything is shown/);
      await waitForText(/<img src=x/);
      assert.equal(app.address(), `/schemas/~${encoded}`);
      assert.ok(document.querySelector('img[src=x]') === null);
    });
    await suite.open('/schemas/~%25', {}, async (app) => {
      await app.shows(/does not contain a valid schema ID/);
    });
  });

  it('are listed with their identifiers and number of identities, and displayed as a tree, a form and JSON', () =>
    suite.open('/schemas', { heading: 'Schemas' }, async (app) => {
      const follow = async (name: string) => app.user.click(await app.screen.findByRole('link', { name }));
      const row = (await app.screen.findByRole('link', { name: 'Partner' })).closest('li');
      await waitFor(() => assert.match(row?.textContent ?? '', /Signs in with E-mail, Username.*of all 2, /));
      await follow('Partner');
      await waitFor(() => assert.ok(document.activeElement?.hasAttribute('data-page-heading')));
      await waitForText(/Account recovery by e-mail.*one of bronze, silver, gold/);
      await follow('Form');
      await app.fill(/^Company/, 'Example');
      await waitForText(/"company": "Example"/);
      await follow('JSON');
      await waitForText(/"ory\.sh\/kratos"/);
      await follow('New identity with this schema');
      await app.screen.findByRole('heading', { level: 1, name: 'New identity' });
      assert.equal(app.address(), '/identities/new?schema=partner');
      assert.deepEqual(
        app.requests.filter(({ method }) => method !== 'GET'),
        [],
      );
    }));

  it('report a dangling reference, and allow its trait to be edited as JSON', async () => {
    const { id } = await createAda(suite);
    const customer = await suite.read<Customer>(`${SCHEMAS}/customer`);
    customer.properties.traits.properties['phone'] = { $ref: '#/%' };
    const respond: App['respond'] = ({ path }) => {
      if (path === SCHEMAS) return Response.json([{ id: 'customer', schema: customer }]);
      return path === `${SCHEMAS}/customer` ? Response.json(customer) : undefined;
    };
    await suite.open('/schemas/customer', { respond }, async (app) => {
      await waitForText(/The schema refers to “#\/%”, which does not exist\./);
      await app.user.click(await app.screen.findByRole('link', { name: 'Form' }));
      await app.screen.findByLabelText('phone');
    });
    await suite.open(`/identities/${id}/traits/edit`, { respond }, async (app) => {
      await app.fill('phone', '"+49123456789"');
      await app.press('Save');
      await app.shows(/^Saved /);
    });
  });
});

const schemaOf = (properties: unknown, more: object = {}) => ({
  type: 'object',
  properties: { traits: { type: 'object', properties, ...more } },
});
const traitsOf = (properties: unknown, more?: object): readonly TraitNode[] =>
  traitTree(schemaOf(properties, more)).traits;

describe('the tree of a schema', () => {
  it('contains all traits, including nested ones, with their titles and whether they are required', () => {
    const traits = traitsOf(
      {
        email: { type: 'string', format: 'email', title: 'E-mail' },
        name: { type: 'object', properties: { first: { type: 'string' } }, required: ['first'] },
      },
      { required: ['email'] },
    );
    assert.deepEqual(
      traits.map(({ key, title, kind, required }) => [key, title, kind, required]),
      [
        ['email', 'E-mail', 'e-mail address', true],
        ['name', 'name', 'group', false],
      ],
    );
    assert.deepEqual(
      traits[1]?.children.map(({ key, required }) => [key, required]),
      [['first', true]],
    );
  });

  it('describes what each trait allows', () => {
    for (const [property, kind, rules] of [
      [{ type: 'string', minLength: 2, maxLength: 5 }, 'text', ['at least 2 characters', 'at most 5 characters']],
      [{ type: ['integer', 'null'], minimum: 1 }, 'whole number or nothing', ['at least 1']],
      [{ enum: ['a', 7, null] }, 'a choice', ['one of a, 7, null']],
      [{ type: 'string', pattern: '^%$&', default: 'x' }, 'text', ['matches ^%$&', 'default: x']],
      [{ format: 'constructor' }, 'constructor', []],
      [true, 'anything', []],
      [null, 'anything', []],
    ] as const) {
      const trait = traitsOf({ trait: property })[0];
      assert.deepEqual([trait?.kind, trait?.rules], [kind, rules]);
    }
  });

  it('follows references, but circular ones only to a maximum depth', () => {
    const schema = {
      ...schemaOf({ parent: { $ref: '#/$defs/person' } }),
      $defs: { person: { title: 'Person', properties: { parent: { $ref: '#/$defs/person' } } } },
    };
    const { traits, complete } = traitTree(schema);
    assert.equal(traits[0]?.title, 'Person');
    assert.equal(complete, false);
    const depth = (nodes: readonly TraitNode[]): number =>
      nodes.length === 0 ? 0 : 1 + Math.max(...nodes.map(({ children }) => depth(children)));
    assert.equal(depth(traits), 8);
  });

  it('has no traits if the schema has none', () => {
    for (const schema of [{}, { properties: 5 }, { properties: { traits: 'x' } }, schemaOf([])])
      assert.deepEqual(traitTree(schema).traits, []);
  });

  it('names the schema by its title, or else by its ID, and lists the login identifiers', () => {
    assert.equal(schemaName({ id: 'x', schema: { title: ' ' } }), 'x');
    assert.equal(schemaName({ id: 'x', schema: { title: 'Person' } }), 'Person');
    const schema = schemaOf({
      contact: {
        properties: { mail: { title: 'E-mail', 'ory.sh/kratos': { credentials: { password: { identifier: true } } } } },
      },
      age: { type: 'integer' },
    });
    assert.deepEqual(schemaSummary({ id: 'x', schema }), { traits: 2, signsInWith: ['E-mail'] });
  });
});

describe("Kratos' extension of a trait's schema", () => {
  const labels = (extension: unknown): string[] => usesOf(extension).map(({ label }) => label);

  it('is displayed by its name if it is unknown, and omitted if it has no effect', () => {
    assert.deepEqual(labels({ of_a_later_version: true }), ['of_a_later_version']);
    assert.deepEqual(labels({ credentials: { password: { identifier: false } } }), []);
    for (const hostile of [undefined, null, 'x', [], { credentials: 5, verification: 'email' }])
      assert.deepEqual(labels(hostile), []);
  });
});
