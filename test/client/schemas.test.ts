import assert from 'node:assert/strict';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { reads } from '../support/identity-dom.ts';
import { ada } from '../support/identity-pages.ts';

const SCHEMAS = '/api/identity/schemas';
interface Customer {
  properties: { traits: { properties: Record<string, object> } };
}

describe('the schemas of identities', () => {
  const suite = appOfSuite();

  it('are shown whatever they contain: ids with spaces and slashes, hostile text, endless recursion, no traits', async () => {
    const id = 'org/person v2';
    const encoded = Buffer.from(id).toString('base64url');
    const odd = {
      title: 'Person \u202enosreP',
      properties: {
        traits: { properties: { self: { $ref: '#/$defs/x' }, [`${'k'.repeat(300)}`]: { enum: ['<b>'] } } },
      },
      $defs: { x: { title: '<img src=x onerror=alert(1)>', properties: { again: { $ref: '#/$defs/x' } } } },
    };
    const respond: App['respond'] = ({ path }) => {
      if (path === SCHEMAS)
        return Response.json([
          { id, schema: odd },
          { id: 'empty', schema: {} },
        ]);
      return path === `${SCHEMAS}/${encoded}` ? Response.json(odd) : undefined;
    };
    await suite.open('/schemas', { respond }, async (app) => {
      await reads(/No trait to sign in with/);
      await app.user.click(await app.screen.findByRole('link', { name: 'Person ⟨U+202E⟩nosreP' }));
      await reads(/Not everything is shown/);
      await reads(/<img src=x/);
      assert.equal(app.address(), `/schemas/~${encoded}`);
      assert.equal(document.querySelector('img[src=x]') === null, true);
    });
    await suite.open('/schemas/~%25', {}, async (app) => {
      await app.shows(/does not contain a valid schema ID/);
    });
  });

  it('with a dangling reference are shown, with the problem, and edited as JSON', async () => {
    const { id } = await ada(suite);
    const session = suite.sessions.admin;
    const customer = await (await suite.dashboard.call(`${SCHEMAS}/customer`, { session })).json();
    (customer as Customer).properties.traits.properties['phone'] = { $ref: '#/%' };
    const respond: App['respond'] = ({ path }) => {
      if (path === SCHEMAS) return Response.json([{ id: 'customer', schema: customer }]);
      return path === `${SCHEMAS}/customer` ? Response.json(customer) : undefined;
    };
    await suite.open('/schemas/customer', { respond }, async (app) => {
      await reads(/The schema refers to “#\/%”, which does not exist\./);
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
