import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { fieldValue, findDialog, waitForText } from '../support/identity-dom.ts';
import {
  ADMIN_METADATA,
  changeIdentity,
  createAda,
  type Identity,
  PUBLIC_METADATA,
  sentPatches,
} from '../support/identity-pages.ts';

describe('the form of a new identity', () => {
  const suite = appOfSuite();
  const creating = (work: (app: App) => Promise<void>, respond?: App['respond']): Promise<void> =>
    suite.open('/identities/new', { heading: 'New identity', ...(respond && { respond }) }, work);
  const onlySchema = (properties: object): App['respond'] => {
    const schema = { properties: { traits: { properties } } };
    return ({ path }) => (path.endsWith('/identity/schemas') ? Response.json([{ id: 'only', schema }]) : undefined);
  };
  const sent = (): unknown[] =>
    suite.upstream.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

  it('has the fields of the chosen schema, sends only what was typed, and links to the identity that already uses an address', () =>
    creating(async (app) => {
      await app.screen.findByLabelText('Schema');
      assert.equal(fieldValue(app, 'Schema'), 'customer', 'the first schema is preselected');
      await app.user.selectOptions(app.screen.getByLabelText('Schema'), 'partner');
      await app.screen.findByLabelText(/^Company/);
      assert.equal(app.address(), '/identities/new?schema=partner');
      await app.press('Create');
      await app.shows('This is required.');
      await app.fill(/^E-mail/, 'Partner.One@example.org');
      await app.fill(/^Company/, 'ACME');
      await app.user.selectOptions(app.screen.getByLabelText('Tier'), 'gold');
      await app.fill('Seats', '12');
      await app.fill('Admin metadata', '{"source": "form"}');
      await app.press('Create');
      await app.screen.findByRole('heading', { level: 1, name: 'Partner.One@example.org' });
      assert.deepEqual(sent(), [
        {
          schema_id: 'partner',
          traits: { email: 'Partner.One@example.org', company: 'ACME', tier: 'gold', seats: 12 },
          metadata_admin: { source: 'form' },
        },
      ]);

      await app.user.click((await app.screen.findAllByRole('link', { name: 'Identities' })).at(-1) as HTMLElement);
      await app.user.click(await app.screen.findByRole('link', { name: 'New identity' }));
      await app.screen.findByLabelText(/^Company/);
      assert.equal(fieldValue(app, 'Schema'), 'partner', 'the last choice is preselected');
      await app.fill(/^E-mail/, 'partner.one@example.org');
      await app.fill(/^Company/, 'ACME');
      await app.press('Create');
      await app.shows(/^Taken by another identity\./);
      await waitFor(() => assert.equal(app.screen.getByLabelText(/^E-mail/).getAttribute('aria-invalid'), 'true'));
      const [link] = await app.screen.findAllByRole('link', { name: 'Used by Partner.One@example.org' });
      assert.equal(link?.getAttribute('target'), '_blank');
      // A corrected address is looked up again.
      await app.fill(/^E-mail/, 'partner.two@example.org');
      assert.equal(app.screen.queryAllByText(/^Used by/).length, 0);
      await app.press('Create');
      await app.screen.findByRole('heading', { level: 1, name: 'partner.two@example.org' });
    }));

  it('warns after a lost response that the identity may already exist', () => {
    let isLost = true;
    return creating(
      async (app) => {
        await app.fill(/^E-mail/, 'twice@example.org');
        await app.press('Create');
        await app.shows(/ The identity may have been created: check the list before you try again\.$/);
        isLost = false;
        await app.press('Create');
        await app.screen.findByRole('heading', { level: 1, name: 'twice@example.org' });
      },
      ({ method }) => (method === 'POST' && isLost ? Promise.reject(new TypeError('offline')) : undefined),
    );
  });

  it('has marked defaults, is empty otherwise, leaves out empty rows and left branches, and starts a line with Shift+Enter', () =>
    creating(
      async (app) => {
        await app.shows('Default: basic');
        assert.equal(fieldValue(app, 'Builder'), '');
        const note = app.screen.getByLabelText('Note');
        await app.user.type(note, 'one{Shift>}{Enter}{/Shift}two');
        for (const row of [1, 2, 3]) {
          await app.press('Add to Tags');
          if (row !== 2) await app.fill(`Tags ${row}`, `tag ${row}`);
        }
        await app.user.selectOptions(app.screen.getByLabelText('kind'), 'flat');
        await app.fill('floor', '1');
        await app.user.selectOptions(app.screen.getByLabelText('kind'), 'house');
        await app.shows('Left out with this choice: floor.');
        await app.user.type(note, '{Enter}');
        await waitFor(() => assert.equal(sent().length, 1));
        const traits = { plan: 'basic', note: 'one\ntwo', tags: ['tag 1', 'tag 3'], home: { kind: 'house' } };
        assert.deepEqual(sent(), [{ schema_id: 'only', traits }]);
      },
      onlySchema({
        plan: { title: 'Plan', enum: ['', 'basic'], default: 'basic' },
        note: { title: 'Note', type: 'string' },
        constructor: { title: 'Builder', type: 'string' },
        tags: { title: 'Tags', items: { type: 'string' } },
        home: {
          oneOf: [{ properties: { kind: { const: 'flat' }, floor: {} } }, { properties: { kind: { const: 'house' } } }],
        },
      }),
    ));

  it('offers no choice of schema if there is only one, and links back to the list', () =>
    creating(
      async (app) => {
        await app.screen.findByLabelText('Nickname');
        assert.equal(app.screen.queryByLabelText('Schema'), null);
        await app.user.click(within(document.querySelector('main') ?? document.body).getByText('Identities'));
        await app.screen.findByRole('heading', { level: 1, name: 'Identities' });
      },
      onlySchema({ nick: { type: 'string', title: 'Nickname' } }),
    ));
});

interface CustomerTraits {
  properties: Record<string, object>;
  required: string[];
}

describe('the form of an identity', () => {
  const suite = appOfSuite();
  const editing = ({ id }: Identity, work: (app: App) => Promise<void>) =>
    suite.open(`/identities/${id}/traits/edit`, { heading: 'Ada Old' }, async (app) => {
      await app.screen.findByLabelText('First name');
      await work(app);
    });
  const read = ({ id }: Identity): Promise<Identity> => suite.read(`/api/identity-admin/admin/identities/${id}`);
  const save = (app: App): Promise<void> => app.press('Save');
  const isInvalid = async ({ screen }: App, label: string | RegExp, expected = true): Promise<void> =>
    waitFor(() =>
      assert.equal(screen.getByLabelText(label).getAttribute('aria-invalid'), expected ? 'true' : null, String(label)),
    );
  /** Changes the customer schema in all later responses. */
  async function changeSchema(app: App, change: (traits: CustomerTraits) => void): Promise<void> {
    const schema = await suite.read<{ properties: { traits: CustomerTraits } }>('/api/identity/schemas/customer');
    change(schema.properties.traits);
    app.respond = ({ path }) => {
      if (path === '/api/identity/schemas') return Response.json([{ id: 'customer', schema }]);
      return path === '/api/identity/schemas/customer' ? Response.json(schema) : undefined;
    };
  }

  it('saves only changed fields, discards none of them without a confirmation, and leaves metadata unchanged', async () => {
    const before = await createAda(suite);
    await editing(before, async (app) => {
      await app.fill('Last name', 'New');
      await app.user.click(app.screen.getByText('Cancel'));
      await app.user.click(await app.screen.findByText('Stay'));
      await app.fill('Language', '');
      await app.choose('Receives the newsletter', 'Yes');
      await save(app);
      await app.shows(/^Saved /);
      await app.screen.findByRole('heading', { level: 1, name: 'Ada New' });
      assert.equal(app.address(), `/identities/${before.id}/traits`);
    });
    assert.deepEqual(sentPatches(suite), [
      [
        { op: 'replace', path: '/traits/name/last', value: 'New' },
        { op: 'remove', path: '/traits/locale' },
        { op: 'add', path: '/traits/newsletter', value: true },
      ],
    ]);
    const after = await read(before);
    assert.deepEqual(
      [after.metadata_public, after.metadata_admin, after.external_id, after.state, after.schema_id],
      [PUBLIC_METADATA, ADMIN_METADATA, before.external_id, 'active', 'customer'],
    );
  });

  it('reports that another operator deleted the identity, and keeps the typed text', async () => {
    const before = await createAda(suite);
    await editing(before, async (app) => {
      await app.fill('Last name', 'New');
      const path = `/api/identity-admin/admin/identities/${before.id}`;
      assert.ok((await suite.call(path, { method: 'DELETE' })).ok);
      await save(app);
      await app.shows(/^Somebody deleted this identity/);
      await app.screen.findByDisplayValue('New');
      await app.user.click(app.screen.getAllByText('Sessions').at(-1) as HTMLElement);
      await app.press('Discard changes');
      await waitFor(() => assert.equal(app.address(), `/identities/${before.id}/sessions`));
    });
  });

  it('preserves line breaks, malformed dates and long numbers in its fields, and saves only what was typed', async () => {
    const { id, ...rest } = await createAda(suite);
    const properties = {
      name: { type: 'string', title: 'First name' },
      note: { type: 'string' },
      born: { type: 'string', format: 'date' },
      crm: { type: 'integer' },
      size: { type: 'number' },
    };
    const schema = { type: 'object', properties: { traits: { type: 'object', properties } } };
    const traits = '{"name":"Ada Old","note":"first\\r\\nsecond","born":"31.12.1990","crm":9007199254740993}';
    const body = JSON.stringify({ id, ...rest, traits: 'T', metadata_admin: 'M' })
      .replace('"T"', traits)
      .replace('"M"', '{"ids":[12345678901234567890],"a":1}');
    let sent = '';
    const respond: App['respond'] = (request) => {
      if (request.path === '/api/identity/schemas/customer') return Response.json(schema);
      if (request.path !== `/api/identity-admin/admin/identities/${id}`) return undefined;
      if (request.method === 'PATCH') sent = request.body;
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    };
    await suite.open(`/identities/${id}/traits/edit`, { heading: 'Ada Old', respond }, async (app) => {
      const note = await app.screen.findByLabelText('note');
      assert.equal(note.tagName, 'TEXTAREA');
      assert.deepEqual([fieldValue(app, 'born'), fieldValue(app, 'crm')], ['31.12.1990', '9007199254740993']);
      await app.user.type(note, '!');
      await app.user.type(app.screen.getByLabelText('size'), '10.50');
      assert.equal(fieldValue(app, 'size'), '10.50');
      await app.user.type(app.screen.getByLabelText('crm'), '1');
      await app.fill(
        'Admin metadata',
        fieldValue(app, 'Admin metadata').replace('"a": 1', '"a": 12345678901234567892'),
      );
      await save(app);
      await waitFor(() => assert.notEqual(sent, ''));
    });
    assert.equal(
      sent,
      '[{"op":"replace","path":"/traits/note","value":"first\\r\\nsecond!"},' +
        '{"op":"replace","path":"/traits/crm","value":90071992547409931},' +
        '{"op":"add","path":"/traits/size","value":10.5},' +
        '{"op":"replace","path":"/metadata_admin/a","value":12345678901234567892}]',
    );
  });

  it('edits traits and metadata as JSON, saves only changed members, and clears emptied ones', async () => {
    const before = await createAda(suite);
    await editing(before, async (app) => {
      await app.press('JSON');
      await app.fill('Traits as JSON', '{"email":');
      assert.equal((app.screen.getByRole('button', { name: 'Form' }) as HTMLButtonElement).disabled, true);
      await save(app);
      await app.shows(/^Line 1, column 10: expected a value/);
      assert.deepEqual(sentPatches(suite), []);
      await app.fill('Traits as JSON', JSON.stringify({ ...before.traits, locale: 'de' }));
      await app.fill('Admin metadata', JSON.stringify({ ...ADMIN_METADATA, 'odd/key~with': false }));
      await app.fill('Public metadata', '');
      await app.fill('External ID', '');
      await save(app);
      await app.shows(/^Saved /);
    });
    assert.deepEqual(sentPatches(suite), [
      [
        { op: 'replace', path: '/traits/locale', value: 'de' },
        { op: 'replace', path: '/metadata_public', value: null },
        { op: 'replace', path: '/metadata_admin/odd~1key~0with', value: false },
        { op: 'remove', path: '/external_id' },
      ],
    ]);
  });

  it('shows schema violations before sending anything, and sends invalid values on request', async () => {
    await editing(await createAda(suite), async (app) => {
      await app.fill(/^E-mail/, 'nonsense');
      await app.fill('Phone', '12');
      await save(app);
      await app.shows('This is not a valid e-mail address.');
      await isInvalid(app, /^E-mail/);
      await waitFor(() => assert.equal(document.activeElement?.getAttribute('aria-invalid'), 'true'));
      assert.deepEqual(sentPatches(suite), []);
      await app.press('Send anyway');
      await app.shows(/is not valid/);
      assert.equal(sentPatches(suite).length, 1);
      await isInvalid(app, /^E-mail/);
    });
  });

  it('reloads a changed schema, shows the new field with its problem, and keeps the typed text', async () => {
    const before = await createAda(suite);
    await editing(before, async (app) => {
      await changeSchema(app, (traits) => {
        traits.properties.department = { type: 'string', title: 'Department' };
        traits.properties.locale = { type: 'string', title: 'Language', enum: ['en', 'de'] };
        traits.required.push('department');
      });
      const reason = 'I[#/traits] S[#/properties/traits/required] missing properties: "department"';
      const error = { code: 400, reason, message: 'The request was malformed' };
      suite.upstream.before = ({ method }) =>
        method === 'PATCH' ? { status: 400, body: JSON.stringify({ error }) } : undefined;
      await app.fill('First name', 'Else');
      await app.fill('Admin metadata', '{"typed": true}');
      await save(app);
      await isInvalid(app, /^Department/);
      await waitFor(() => assert.equal(document.activeElement?.id, app.screen.getByLabelText(/^Department/).id));
      assert.deepEqual([fieldValue(app, 'First name'), fieldValue(app, 'Admin metadata')], ['Else', '{"typed": true}']);
      // A field of another kind is rendered as that kind.
      assert.equal(app.screen.getByLabelText('Language').tagName, 'SELECT');
      const body = JSON.stringify({ ...before, traits: { ...before.traits, department: 'Sales' } });
      suite.upstream.before = ({ path }) =>
        path.endsWith(before.id) && sentPatches(suite).length === 2 ? { status: 200, body } : undefined;
      await app.fill(/^Department/, 'Sales');
      await save(app);
      await app.screen.findByRole('link', { name: 'Edit' });
      const [first = [], second = []] = sentPatches(suite).map((patch) =>
        (patch as { path: string }[]).map(({ path }) => path),
      );
      assert.deepEqual(second.toSorted(), [...first, '/traits/department'].toSorted());
    });
  });

  it('shows both versions if another operator has changed the identity, and then the chosen one on its page', async () => {
    const before = await createAda(suite);
    await editing(before, async (app) => {
      await waitForText(/If two people save at the same moment/);
      await app.fill('First name', 'Mine');
      await changeIdentity(suite, before.id, {
        '/traits/name/first': 'Theirs',
        '/metadata_public/plan': 'silver',
        '/state': 'inactive',
      });
      suite.upstream.requests = [];
      await save(app);
      const dialog = await app.screen.findByRole('dialog', { name: 'Somebody else changed this identity' });
      await within(dialog).findByRole('group', { name: 'traits.name.first' });
      await waitForText(/metadata_public\.plan/, dialog);
      assert.ok(within(dialog).getByRole('button', { name: 'Save selected' }).matches(':disabled'));
      await app.user.click(within(dialog).getByLabelText(/Keep theirs/));
      await app.press('Save selected', dialog);
      await app.shows('No changes to save');
      await app.screen.findByRole('heading', { level: 1, name: 'Theirs Old' });
      await app.user.click(app.screen.getByRole('link', { name: 'Cancel' }));
      await waitFor(() => assert.equal(app.address(), `/identities/${before.id}/traits`));
      await app.shows('Theirs');
    });
    assert.deepEqual(sentPatches(suite), []);
    const after = await read(before);
    assert.deepEqual([after.metadata_public, after.state], [{ ...PUBLIC_METADATA, plan: 'silver' }, 'inactive']);
  });

  it('names the members that another write has overwritten, and saves them again, also after another change', async () => {
    const before = await createAda(suite);
    await editing(before, async (app) => {
      await app.fill('First name', 'Eve');
      await app.fill('Last name', 'New');
      await app.fill('Language', '');
      // As if Kratos had read the identity before our write, and written it after. The app cannot read the next write.
      const theirs = Object.entries({ '/traits/name/last': 'Old', '/traits/locale': 'en' });
      const overwriting = theirs.map(([path, value]) => ({ op: 'add', path, value }));
      suite.upstream.after = async ({ method, path }) => {
        if (method !== 'PATCH') return undefined;
        const body = JSON.stringify(overwriting.splice(0));
        if (body !== '[]') assert.ok((await fetch(suite.upstream.target + path, { method, body })).ok);
        else if (sentPatches(suite).length === 1) suite.upstream.before = () => ({ status: 500, body: '{}' });
        return undefined;
      };
      await save(app);
      await app.shows(/^Somebody else saved at the same moment, and overwrote traits\.name\.last, traits\.locale\.$/);
      await app.screen.findByRole('heading', { level: 1, name: 'Eve Old' });
      await changeIdentity(suite, before.id, { '/metadata_public/plan': 'silver' });
      suite.upstream.requests = [];
      await app.press('Save again');
      await app.shows(/Some of your changes are already saved\.$/, await findDialog(app));
      await app.press('Save both');
      await app.shows('Saved Eve New');
      assert.match(
        JSON.stringify(sentPatches(suite)),
        /^\[\[[^}]+"New"},{"op":"remove","path":"\/traits\/locale"}\]\]$/,
      );
      suite.upstream.reset();
      await app.press('Undo');
      await app.screen.findByRole('heading', { level: 1, name: 'Ada Old' });
    });
  });

  it('recognizes on a retry that a write with a lost response was saved, and can undo it', async () => {
    const before = await createAda(suite);
    await editing(before, async (app) => {
      await app.fill('Last name', 'Lost');
      suite.upstream.after = ({ method }) => (method === 'PATCH' ? 'lost' : undefined);
      await save(app);
      await app.shows('Not saved');
      suite.upstream.reset();
      await save(app);
      await app.shows('Saved Ada Lost');
      assert.deepEqual(sentPatches(suite), [], 'the change was written again');
      await app.press('Undo');
      await app.shows('Reverted: last name is Old again');
      await app.screen.findByRole('heading', { level: 1, name: 'Ada Old' });
    });
    assert.deepEqual(sentPatches(suite), [[{ op: 'replace', path: '/traits/name/last', value: 'Old' }]]);
  });
});
