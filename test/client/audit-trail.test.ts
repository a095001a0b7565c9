import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { resolveTimes } from '../../client/api/audit.ts';
import { RECORD_WRITERS } from '../../client/features/security/audit-export.tsx';
import { formatWhen, localTime, PERIODS, utcTime } from '../../client/features/security/audit-filters.tsx';
import { auditSearch } from '../../client/features/security/search-params.ts';
import { relativeTime } from '../../client/lib/period.ts';
import type { AuditPage, AuditRecord } from '../../shared/audit.ts';
import { type LockedAccountList, type OperatorNames, POSTURE_IDS } from '../../shared/security.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { lockAccounts } from '../support/dashboard.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { OPTIONAL_CHECKS } from '../support/platform.ts';

const NAMES = '/api/security/operators/names';
const NAME = 'Ada Byron';

describe('the audit trail', () => {
  const suite = appOfSuite();
  /** Another operator, who became an administrator and made changes. */
  let other: { email: string; id: string; who: string };
  let person: string;
  before(async () => {
    const { dashboard, sessions } = suite;
    const headers = { 'dashboard-reason': 'T-1' };
    const call = (session: string, path: string, json: object, method = 'POST') =>
      dashboard.call(path, { session, method, json, ...(method === 'PATCH' && { headers }) });
    const { identityId: id } = sessionIn(sessions.viewer);
    const { email } = dashboard.operator('viewer');
    const { names } = await suite.read<OperatorNames>(`${NAMES}?id=${id}`);
    other = { email, id, who: `${names[0]?.name} ${email}` };
    const identities = '/api/identity-admin/admin/identities';
    const patch = (session: string, id: string, path: string, value: unknown) =>
      call(session, `${identities}/${id}`, [{ op: 'replace', path, value }], 'PATCH');
    await patch(sessions.admin, other.id, '/traits/role', 'admin');
    const session = await dashboard.signIn('viewer');
    const traits = { email: 'ada.byron@example.org', name: { first: 'Ada', last: 'King' } };
    const created = await call(sessions.admin, identities, { schema_id: 'customer', traits });
    person = ((await created.json()) as { id: string }).id;
    await patch(session, person, '/traits/name/last', 'Byron');
    await patch(session, person, '/state', 'inactive');
    const client = { client_id: 'web-shop', client_name: 'Web shop', redirect_uris: ['https://shop.example/a'] };
    await call(sessions.admin, '/api/oauth-admin/admin/clients', client);
    await call(session, '/api/settings', { key: 'mail.from', value: 'x' });
    const path = '/api/oauth-admin/admin/clients/web-shop';
    await call(session, path, [{ op: 'replace', path: '/redirect_uris', value: ['https://shop.example/b'] }], 'PATCH');
  });

  const onTrail = (work: (app: App) => Promise<void>, search = '', respond?: App['respond']): Promise<void> =>
    suite.open(`/security/audit${search}`, { heading: 'Audit trail', ...(respond && { respond }) }, work);
  const records = (): HTMLElement[] => {
    const list = document.querySelector<HTMLElement>('[aria-label="Records, newest first"]');
    return list === null ? [] : within(list).queryAllByRole('listitem');
  };
  /** Returns the sentences of the displayed records, without their times. */
  const sentences = (): string[] =>
    records().map((record) =>
      [...record.querySelectorAll(':scope > div:first-child > span:not(:has(time))')]
        .map(({ textContent }) => textContent?.trim())
        .join(' '),
    );
  const contains = (...expected: string[]): Promise<void> =>
    waitFor(() => {
      const displayed = sentences();
      for (const sentence of expected)
        assert.ok(displayed.includes(sentence), `${sentence} is not in\n${displayed.join('\n')}`);
    });

  it('shows each record as a sentence with links, and its request on demand', () =>
    onTrail(async (app) => {
      await contains(`${other.who} changed the redirect addresses of Web shop “T-1”`, 'You created Web shop');
      const both = `${other.who} changed name.last of and deactivated ${NAME} “T-1” 2 records`;
      await contains(both);
      const [first] = records();
      assert.ok(first);
      await app.user.keyboard('jjk{Enter}');
      await app.shows('PATCH /api/oauth-admin/admin/clients/web-shop', first);
      await app.shows(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, first);
      for (const sentence of sentences()) assert.doesNotMatch(sentence, /PATCH|POST|\/api\//);
      const fold = records().find((_, index) => sentences()[index] === both);
      await app.press('Show the 2 records', fold);
      await contains(`deactivated ${NAME}`, `changed name.last of ${NAME}`);
      await app.user.click((await app.screen.findAllByRole('link', { name: NAME }))[0] as HTMLElement);
      await app.screen.findByRole('heading', { level: 1, name: NAME });
      assert.equal(app.address(), `/identities/${person}`);
    }));

  it('lists only changes by default, and all records once the operator removes that filter', () =>
    onTrail(async (app) => {
      await contains('You created Web shop');
      assert.equal(app.address(), '/security/audit?changes=true');
      await app.press('Remove filter What');
      await contains('You signed in as admin');
      assert.equal(app.address(), '/security/audit?changes=false');
    }));

  it('explains why the service rejects a filter, and shows no records', () =>
    onTrail(async (app) => {
      await app.shows(/must be a time/);
      assert.deepEqual(records(), []);
    }, '?from=whenever'));

  it('names operators with one request, and shows their IDs until the response arrives', async () => {
    const { promise: responds, resolve: respond } = Promise.withResolvers<void>();
    const short = other.id.slice(0, 8);
    await onTrail(
      async (app) => {
        await contains(`${short} created the setting mail.from`);
        respond();
        await contains(`${other.who} created the setting mail.from`, 'You created Web shop');
        const requests = app.requests.filter(({ path }) => path.startsWith(NAMES)).map(({ path }) => path);
        assert.deepEqual(requests, [`${NAMES}?id=${other.id}`]);
      },
      '?changes=true',
      async ({ path }) => {
        if (path.startsWith(NAMES)) await responds;
        return undefined;
      },
    );
  });

  for (const [where, path, sentence] of [
    ['in a person’s history', () => `/identities/${person}/history`, `deactivated ${NAME}`],
    ['in a client’s history', () => '/oauth/clients/web-shop/history', 'changed the redirect addresses of Web shop'],
    ['on the overview', () => '/dashboard', 'changed the redirect addresses of Web shop'],
  ] as const)
    it(`names the operators of its records ${where}`, () =>
      suite.open(path(), {}, () =>
        waitFor(() => assert.ok(document.body.textContent?.includes(`${other.email} ${sentence}`))),
      ));

  it('is filtered by an operator found by part of an e-mail address, and reports an address that no operator has', () =>
    onTrail(async (app) => {
      await contains('You created Web shop');
      await app.press('+ Who');
      const field = await app.screen.findByRole('textbox', { name: 'Who' });
      await app.screen.findByRole('option', { name: other.who.replace(' viewer@', ', viewer@') });
      await app.user.type(field, 'nobody@example.org{Enter}');
      await app.shows('No operator signs in with this address.');
      await app.user.clear(field);
      await app.user.type(field, 'viewer@{Enter}');
      await app.screen.findByRole('button', { name: `Who: ${other.email}` });
      await waitFor(() =>
        assert.deepEqual(
          sentences().filter((sentence) => sentence.startsWith('You')),
          [],
        ),
      );
      await app.press('+ When');
      await app.user.click(await app.screen.findByRole('option', { name: 'Yesterday' }));
      await app.shows('No record matches');
      assert.equal(app.address(), `/security/audit?changes=true&actor=${other.id}&from=1d&to=0d`);
    }));
});

describe('the URL of the audit trail', () => {
  it('preserves filters and page size, and drops invalid and unknown parameters', () => {
    const filter = { action: 'login', actor: 'a', subject: 'setting:b', from: '7d', to: '1d', changes: 'true' };
    assert.deepEqual(auditSearch({ ...filter, page_size: '100', other: 'x' }), { ...filter, page_size: 100 });
    assert.deepEqual(auditSearch({ actor: 'a', subject: 7, page_size: '26' }), { actor: 'a' });
  });

  it('selects only changes if it contains no filter, and stays unchanged otherwise', () => {
    assert.deepEqual(auditSearch({ actor: '  ' }), { changes: 'true' });
    assert.deepEqual(auditSearch({ page_size: '100' }), { changes: 'true', page_size: 100 });
    for (const search of [{ action: 'login' }, { changes: 'false' }]) assert.deepEqual(auditSearch(search), search);
  });

  it('preserves UTC times to the millisecond while the filter displays them in local time', () => {
    for (const time of ['2026-01-31T09:00:00.000Z', '2026-07-31T09:00:00.000Z', '2026-01-31T09:00:12.345Z'])
      assert.equal(utcTime(localTime(time)), time);
    assert.equal(localTime(undefined), '');
    assert.equal(localTime('yesterday'), '');
    assert.equal(utcTime(''), undefined);
  });

  it('can contain hours relative to the current minute, and days relative to the operator’s midnight', () => {
    const now = Date.parse('2026-01-31T09:00:42.000Z');
    assert.equal(relativeTime('24h', now), '2026-01-30T09:00:00.000Z');
    const midnight = new Date(now);
    midnight.setHours(0, 0, 0, 0);
    assert.equal(relativeTime('0d', now), midnight.toISOString());
    for (const invalid of ['h', '0h', '10000h', '24', '24h ', '-1d', 'yesterday'])
      assert.equal(relativeTime(invalid, now), undefined);
    for (const { from, to } of PERIODS) {
      const fixed = resolveTimes({ from, ...(to && { to }) }, now);
      assert.ok(Date.parse(fixed.from) < (fixed.to === undefined ? now : Date.parse(fixed.to)), from);
    }
  });

  it('contains a period that the filter describes in words', () => {
    const localNoon = new Date(2025, 0, 31, 12).toISOString();
    for (const [when, words] of [
      [{ from: '1d', to: '0d' }, 'Yesterday'],
      [{ from: '168h' }, 'Last 7 days'],
      [{ from: 'whenever' }, 'from whenever'],
      [{ to: localNoon }, 'before 31 Jan 2025, 12:00'],
      [{ from: localNoon, to: 'x' }, '31 Jan 2025, 12:00 to x'],
    ] as const)
      assert.equal(formatWhen(when), words);
  });
});

describe('exported audit records', () => {
  const record: AuditRecord = {
    sequence: 7,
    timestamp: '2026-01-31T09:00:00.000Z',
    action: 'identity_search',
    actor: '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f',
    target: '=HYPERLINK("http://evil.example","x"),\n"y"',
    subject: null,
    details: { a: null },
  };

  it('are lines of CSV without cells that spreadsheets execute as formulas', () => {
    const { start, write } = RECORD_WRITERS.csv;
    assert.equal(start, '\uFEFFsequence,timestamp,action,actor,target,subject,details,in words,request,changed\r\n');
    const line = write(record);
    assert.ok(line.includes(`,"'=HYPERLINK(""http://evil.example"",""x""),\n""y""",`), line);
    assert.ok(line.startsWith('7,2026-01-31T09:00:00.000Z,identity_search,1f0c2a9b-'));
    assert.ok(line.includes(',"{""a"":null}",'));
    assert.ok(line.endsWith(',,\r\n'));
  });
});

const failure = (): Response =>
  Response.json(
    { error: 'internal_error', message: 'Something went wrong.' },
    { status: 500, headers: { 'x-request-id': 'r-17' } },
  );

describe('the security section', () => {
  const suite = appOfSuite();
  const read = <T>(path: string): Promise<T> => suite.read(`/api/security/${path}`);
  const rows = async (app: App, list: string): Promise<HTMLElement[]> =>
    within(await app.screen.findByLabelText(list)).findAllByRole('listitem');

  it('unlocks a locked account, which the audit trail records', async () => {
    await lockAccounts(suite.dashboard, ['sam@example.org', 'kim@example.org']);
    await suite.open('/security/locked-accounts', { heading: 'Locked accounts' }, async (app) => {
      await app.shows(/^Wrong password, 5 attempts/);
      await app.press('Unlock sam@example.org');
      await app.press('Unlock account', await app.screen.findByRole('dialog'));
      await app.shows('Unlocked sam@example.org');
      await app.shows('1 locked account');
      await app.user.click(await app.shows('kim@example.org'));
      await app.shows('Identities');
      assert.equal(app.address(), '/identities?q=kim%40example.org');
      await waitFor(() => assert.notEqual(document.activeElement, document.body));
    });
    const { data } = await read<LockedAccountList>('locked-accounts');
    const identifiers = data.map(({ identifier }) => identifier);
    assert.deepEqual(identifiers, ['kim@example.org']);
    const { events } = await read<AuditPage>('audit?action=account_unlock');
    assert.equal(events[0]?.target, 'sam@example.org');
  });

  const onOperators = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/security/operators', { heading: 'Operators' }, work);
  const operator = async (app: App, text: string): Promise<HTMLElement> =>
    (await rows(app, 'Operators')).find(({ textContent }) => textContent?.includes(text)) ?? assert.fail(text);

  it('lists operators with their second factor, marks the signed-in operator, and links to their activity', () =>
    onOperators(async (app) => {
      await app.shows(/^2 operators, latest sign-in first\./);
      await app.shows('No second factor', await operator(app, 'Viewer'));
      await app.shows('you', await operator(app, 'Administrator'));
      await app.user.click(within(await operator(app, 'Viewer')).getByText('View activity'));
      // Sign-ins and searches are not changes.
      await app.shows('No record matches');
      await app.press('Include sign-ins and searches');
      await app.shows(/signed in as viewer/);
      assert.match(app.address(), /^\/security\/audit\?actor=[0-9a-f-]{36}&changes=false$/);
    }));

  it('ends the dashboard sessions of an operator after confirmation, reports a failure, and says if they were your own', async () => {
    const session = await suite.dashboard.signIn('viewer');
    const status = async () => (await suite.dashboard.call('/api/auth/session', { session })).status;
    await onOperators(async (app) => {
      app.respond = ({ path }) => (path.endsWith('/revocations') ? failure() : undefined);
      await app.press(/^End dashboard sessions of/, await operator(app, 'Viewer'));
      const dialog = await app.screen.findByRole('dialog');
      await app.press('End dashboard sessions', dialog);
      await app.shows(/r-17/, dialog);
      assert.equal(await status(), 200);
      app.respond = () => undefined;
      await app.press('End dashboard sessions', dialog);
      await app.shows(/^Ended the dashboard sessions of /);
      await waitFor(() => assert.notEqual(document.activeElement, document.body));
      assert.equal(await status(), 401);
      app.respond = ({ path }) => (path.endsWith('/revocations') ? Response.json({}) : undefined);
      await app.press(/^End dashboard sessions of/, await operator(app, 'Administrator'));
      await app.press('End dashboard sessions', await app.screen.findByRole('dialog'));
      await app.shows(/^Your session has ended/);
    });
  });

  it('shows operators without an identity by name, and never as a person of the identity service', async () => {
    const id = 'oidc:9b1f0c2a7d1e4a559e550a1b2c3d4e5f';
    const operator = { identity_id: id, role: 'admin', last_login_at: '2026-01-01T00:00:00Z', second_factor: null };
    const names = [{ identity_id: id, name: 'Grace Hopper', email: 'grace@example.org' }];
    const lists: Record<string, object> = {
      '/api/security/operators': { operators: [operator], truncated: false, missing: 'provider' },
      [`${NAMES}?id=${encodeURIComponent(id)}`]: { names },
      '/api/security/revocations': {},
      '/api/config': { session_max_age_seconds: 28_800, features: { operators_from: 'claims' } },
    };
    const respond: App['respond'] = ({ path }) => lists[path] && Response.json(lists[path]);
    await suite.open('/security/operators', { heading: 'Operators', respond }, async (app) => {
      const row = (await app.shows('Grace Hopper')).closest('li') ?? assert.fail();
      const link = within(row).getByRole('link');
      assert.equal(link.getAttribute('href'), `/security/audit?actor=${encodeURIComponent(id)}&changes=true`);
      await app.shows('Second factor at the sign-in service', row);
      await app.shows(
        /Changes there apply at the next sign-in, at most 8 hours later\. People .* are not listed: only the sign-in service knows them/,
      );
      await app.press('End dashboard sessions of grace@example.org', row);
      const dialog = await app.screen.findByRole('dialog');
      await app.shows(/remove their role at the sign-in service/, dialog);
      await app.press('End dashboard sessions', dialog);
      await app.shows('Ended the dashboard sessions of grace@example.org');
      const sent = app.requests.find(({ method }) => method === 'POST');
      assert.deepEqual(JSON.parse(sent?.body ?? ''), { identity_id: id });
      assert.ok(!app.requests.some(({ path }) => path.includes('identity-admin')));
    });
  });

  it('shows each security check once, worst first, and repeats the checks on request', () =>
    suite.open('/security', { heading: 'Security' }, async (app) => {
      await app.shows('Strength of the keys');
      await app.shows(/looks like a placeholder/);
      const ids = [...document.querySelectorAll('main li[id]')].map(({ id }) => id);
      const expected = POSTURE_IDS.filter((id) => !OPTIONAL_CHECKS.includes(id));
      assert.deepEqual(ids.sort(), expected.toSorted());
      const region = app.screen.getByLabelText('Needs attention');
      const statuses = within(region).getAllByText(/^(Fails|Warns)$/);
      const words = statuses.map(({ textContent }) => textContent);
      assert.deepEqual(words, [...words].sort());
      assert.equal(app.screen.getByLabelText('Passing').querySelector('details')?.open, false);
      const checks = () => app.requests.filter(({ path }) => path === '/api/security/posture').length;
      const before = checks();
      await app.press('Check again');
      await waitFor(() => assert.equal(checks(), before + 1));
    }));
});
