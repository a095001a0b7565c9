import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { auditChain, type ChainedRecord } from '../../server/audit/chain.ts';
import { type ActEvent, type AuditEvent, subjectOf, type WithTimestamp } from '../../server/audit/event.ts';
import { auditQueue } from '../../server/audit/trail.ts';
import { StatementTooLarge } from '../../server/db/errors.ts';
import { createLog } from '../../server/log.ts';
import { AUDIT_ACTIONS } from '../../shared/audit.ts';
import { until } from '../support/eventually.ts';

const timestamp = '2026-01-01T00:00:00.000Z';

describe('the audit chain', () => {
  const KEY = Buffer.from('the current signing key');
  const OLD_KEY = Buffer.from('the previous signing key');
  const START = { sequence: 0, tag: '' };
  const writeBy = (actor: string): WithTimestamp<ActEvent> => ({
    action: 'setting_write',
    actor,
    target: 'mail.password',
    timestamp,
  });
  const chain = auditChain({ current: KEY });
  const first = chain.link(START, writeBy('ada'));
  const second = chain.link(first, writeBy('bob'));

  it('accepts a record only after its predecessor', () => {
    assert.equal(chain.problemOf(START, first), undefined);
    assert.equal(chain.problemOf(first, second), undefined);
    assert.match(chain.problemOf(START, second) ?? '', /missing before/);
    const replacement = chain.link(START, writeBy('eve'));
    assert.match(chain.problemOf(replacement, second) ?? '', /does not follow/);
  });

  const CHANGES: [what: string, change: Partial<ChainedRecord>, problem: RegExp][] = [
    ['text', { record: second.record.replace('bob', 'eve') }, /was changed/],
    ['tag', { tag: first.tag }, /was changed/],
    ['action', { action: 'setting_delete' }, /columns differ/],
    ['actor', { actor: 'eve' }, /columns differ/],
    ['time', { recorded_at: '2026-01-01T00:00:00.001Z' }, /columns differ/],
    ['subject', { subject: '' }, /columns differ/],
    ['key id', { key_id: 'unknown0' }, /a key that is not available/],
  ];
  for (const [what, change, problem] of CHANGES)
    it(`detects a record whose ${what} was changed`, () => {
      assert.match(chain.problemOf(first, { ...second, ...change }) ?? '', problem);
    });

  it('accepts a record signed with an unavailable key only if a later record vouches for it and its columns match', () => {
    const later = auditChain({ current: OLD_KEY });
    assert.equal(later.knows(second), false);
    assert.equal(later.isGenuine(second), false);
    assert.match(later.problemOf(first, second) ?? '', /a key that is not available/);
    assert.equal(later.problemOf(first, second, true), undefined);
    assert.match(later.problemOf(first, { ...second, actor: 'eve' }, true) ?? '', /columns differ/);
    assert.match(later.problemOf(first, { ...second, record: 'no JSON' }, true) ?? '', /columns differ/);
    assert.match(chain.problemOf(first, { ...second, tag: first.tag }, true) ?? '', /was changed/);
  });

  it('accepts records signed with the previous key, and signs new ones with the current key', () => {
    const old = auditChain({ current: OLD_KEY });
    const rotated = auditChain({ current: KEY, previous: OLD_KEY });
    assert.deepEqual(rotated.keyIds, { current: chain.keyIds.current, previous: old.keyIds.current });
    const record = old.link(START, writeBy('ada'));
    assert.equal(rotated.isGenuine(record), true);
    assert.equal(rotated.problemOf(START, record), undefined);
    assert.equal(rotated.link(START, writeBy('ada')).key_id, chain.keyIds.current);
  });

  it('cuts an actor to well-formed text that fits its column, and stores the complete text in the record', () => {
    const long = 'é'.repeat(200);
    const record = chain.link(START, writeBy(long));
    assert.equal(record.actor, 'é'.repeat(127));
    assert.equal(JSON.parse(record.record).actor, long);
    assert.equal(chain.problemOf(START, record), undefined);
    assert.equal(chain.link(START, writeBy('a\ud800b')).actor, 'a\ufffdb');
  });
});

describe('the audit queue', () => {
  type Events = readonly WithTimestamp<ActEvent>[];
  const act = (index: number): WithTimestamp<ActEvent> => ({
    action: 'proxy_write',
    actor: 'anonymous',
    target: `/api/identity-admin/${index}`,
    timestamp,
  });
  const acts = (length: number): Events => Array.from({ length }, (_, index) => act(index));

  function queueOf(
    append: (events: Events) => Promise<void>,
    { capacity = 10_000, retryMs = 1 }: { capacity?: number; retryMs?: number } = {},
  ) {
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    const queue = auditQueue({ append, log, capacity, retryMs, waitMs: 600_000 });
    return { queue, logged: () => lines.map((line) => JSON.parse(line) as { msg: string; dropped?: number }) };
  }

  it('appends records in order, in batches of at most 50', async () => {
    const batches: Events[] = [];
    const { queue } = queueOf(async (events) => void batches.push(events));
    const events = acts(1_000);
    for (const event of events) void queue.add(event);
    await queue.drain();
    assert.deepEqual(batches.flat(), events);
    assert.ok(batches.every((batch) => batch.length <= 50));
  });

  it('appends fewer at once if the database refuses a batch for its size, and drops a record that alone is too large', async () => {
    const stored: Events[number][] = [];
    const events = acts(20);
    const large = events[7];
    const { queue, logged } = queueOf(async (batch) => {
      if (batch.length > 3 || batch.some((event) => event === large)) throw new StatementTooLarge(16_384);
      stored.push(...batch);
    });
    await Promise.all(events.map((event) => queue.add(event)));
    assert.deepEqual(
      stored,
      events.filter((event) => event !== large),
    );
    assert.deepEqual([queue.state().failing, logged().map(({ dropped }) => dropped)], [false, [1]]);
  });

  it('drops records beyond its capacity, and logs how many', async () => {
    const stored: WithTimestamp<ActEvent>[] = [];
    const { queue, logged } = queueOf(async (events) => void stored.push(...events), { capacity: 100 });
    for (const event of acts(250)) void queue.add(event);
    await queue.drain();
    assert.equal(stored.length, 100);
    assert.deepEqual(
      logged().map(({ msg, dropped }) => [msg, dropped]),
      [
        ['the audit queue is full', undefined],
        ['audit records dropped', 150],
      ],
    );
  });

  it('retries during an outage, logs the outage once, and then appends every waiting record in order', async () => {
    let isUnavailable = true;
    let attempts = 0;
    const stored: WithTimestamp<ActEvent>[] = [];
    const { queue, logged } = queueOf(
      async (events) => {
        attempts += 1;
        if (isUnavailable) throw new Error('unavailable');
        stored.push(...events);
      },
      { capacity: 120 },
    );
    assert.deepEqual(queue.state(), { taken: 0, waiting: 0, dropped: 0, failing: false });
    const events = acts(121);
    for (const event of events) void queue.add(event);
    await until(() => attempts >= 4);
    assert.deepEqual(queue.state(), { taken: 121, waiting: 120, dropped: 1, failing: true });
    isUnavailable = false;
    await until(() => queue.state().waiting === 0);
    assert.deepEqual(queue.state(), { taken: 121, waiting: 0, dropped: 1, failing: false });
    assert.deepEqual(stored, events.slice(0, 120));
    assert.equal(logged().filter(({ msg }) => msg === 'audit records are waiting for the database').length, 1);
  });

  it('drops the records that cannot be stored when the process ends, without waiting for the next attempt', async () => {
    const append = () => Promise.reject(new Error('unavailable'));
    const { queue, logged } = queueOf(append, { capacity: 100, retryMs: 600_000 });
    for (const event of acts(70)) void queue.add(event);
    await until(() => queue.state().failing);
    await queue.drain();
    assert.equal(logged().at(-1)?.dropped, 70);
    await queue.drain();
  });

  it('resolves the promise of a record once its batch is stored', async () => {
    const batches: (() => void)[] = [];
    const { queue } = queueOf(() => new Promise((resolve) => void batches.push(resolve)));
    const settled: number[] = [];
    const add = (index: number): Promise<void> => queue.add(act(index)).then(() => void settled.push(index));
    const [first, second, third] = [add(1), add(2), add(3)];
    await setImmediate();
    assert.deepEqual([batches.length, settled], [1, []]);
    batches[0]?.();
    await first;
    assert.deepEqual(settled, [1]);
    await until(() => batches.length === 2);
    batches[1]?.();
    await Promise.all([second, third]);
    assert.deepEqual(settled, [1, 2, 3]);
  });

  it('resolves every promise at once after a failed attempt, until an attempt succeeds', async () => {
    const attempts: ((error: Error) => void)[] = [];
    let isUnavailable = true;
    const append = (): Promise<void> =>
      isUnavailable ? new Promise((_resolve, reject) => void attempts.push(reject)) : Promise.resolve();
    const { queue } = queueOf(append, { retryMs: 20 });
    const waiting = [queue.add(act(1)), queue.add(act(2))];
    attempts[0]?.(new Error('unavailable'));
    await Promise.all(waiting);
    await until(() => attempts.length === 2);
    await queue.add(act(3));
    assert.deepEqual(queue.state(), { taken: 3, waiting: 3, dropped: 0, failing: true });
    isUnavailable = false;
    attempts[1]?.(new Error('unavailable'));
    await until(() => !queue.state().failing);
    await queue.add(act(4));
    assert.equal(queue.state().waiting, 0);
  });
});

describe('the subject of an audit record', () => {
  const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
  const OTHER_ID = '00000000-0000-4000-8000-00000000000f';
  const IDENTITIES = '/api/identity-admin/admin/identities';
  const CLIENTS = '/api/oauth-admin/admin/clients';
  const CONSENT = '/api/oauth-admin/admin/oauth2/auth/sessions/consent';

  type Row = [event: string, AuditEvent, subject: string | null];
  const act = (action: ActEvent['action'], target: string | null, details?: ActEvent['details']): AuditEvent => ({
    action,
    actor: OTHER_ID,
    target,
    details,
  });
  const write = (path: string, location?: string): AuditEvent =>
    act('proxy_write', path, { method: 'POST', status: 201, peer: '::1', ...(location !== undefined && { location }) });
  function assertSubjects(rows: readonly Row[]): void {
    for (const [title, event, subject] of rows) assert.equal(subjectOf(event), subject, title);
  }

  const ACTS: readonly Row[] = [
    ['sign-in', act('login', ID), `session:${ID}`],
    ['sign-out with an id in upper case', act('logout', ID.toUpperCase()), `session:${ID}`],
    ['refused sign-in', act('login_refused', null), null],
    ['written setting', act('setting_write', 'mail.password'), 'setting:mail.password'],
    ['deleted setting with special characters', act('setting_delete', 'a/b %🔑'), 'setting:a/b %🔑'],
    ['decrypted setting', act('setting_decrypt', 'x'), 'setting:x'],
    ['restored setting', act('setting_restore', 'x'), 'setting:x'],
    ['removed history of a setting', act('setting_forget', 'x'), 'setting:x'],
    ['value encrypted for a setting', act('value_encrypt', 'x'), 'setting:x'],
    ['value encrypted for no setting', act('value_encrypt', null), null],
    ['revoked sessions of a person', act('session_revoke', ID), `identity:${ID}`],
    ['recovery of a person', act('recovery_start', ID), `identity:${ID}`],
    ['note on a person', act('note_write', ID), `identity:${ID}`],
    ['note on a person deleted', act('note_delete', ID), `identity:${ID}`],
    ['unlocked account', act('account_unlock', 'ada@example.com'), null],
    ['anchor', act('audit_anchor', null, { up_to: 7, tag: 'a', digest: 'b' }), null],
    ['prune', act('audit_prune', null, { after: 7, after_tag: 'a' }), null],
    ['search', { action: 'identity_search', adminId: ID, searchFilter: ID }, null],
    ['proxied write', write(IDENTITIES), null],
    ['action of a later release', { ...act('login', ID), action: 'later' } as unknown as AuditEvent, null],
  ];
  it('is the session, setting or person that its action concerns, if there is one', () => {
    assertSubjects(ACTS);
    const actions = new Set(ACTS.map(([, { action }]) => action));
    assert.deepEqual(
      AUDIT_ACTIONS.filter((action) => !actions.has(action)),
      [],
    );
  });

  it('is the identity, session or client in the path of a proxied write', () => {
    const longest = 'ü'.repeat(516);
    assertSubjects([
      ['identity', write(`${IDENTITIES}/${ID}`), `identity:${ID}`],
      ['path without /admin', write(`/api/iam-identity-admin/identities/${ID}`), `identity:${ID}`],
      ['credential', write(`${IDENTITIES}/${ID.toUpperCase()}/credentials/totp`), `identity:${ID}`],
      ['session', write(`/api/identity-admin/admin/sessions/${ID}/extend`), `session:${ID}`],
      ['client', write(`${CLIENTS}/shop`), 'client:shop'],
      ['escaped client id', write('/api/oauth-admin/clients/https:%2F%2Fshop/x'), 'client:https://shop'],
      ['client id with an invalid escape', write(`${CLIENTS}/%E0%A4%A`), null],
      ['client id that just fits the column, in bytes', write(`${CLIENTS}/x${longest}`), `client:x${longest}`],
      ['client id that is a byte too long', write(`${CLIENTS}/xx${longest}`), null],
      ['id with a digit too many', write(`${IDENTITIES}/${ID}0`), null],
      ['batch of identities', write(IDENTITIES), null],
      ['identity by its external id', write(`${IDENTITIES}/by/external/7`), null],
      ['path of another API', write(`/api/oauth-admin/admin/identities/${ID}`), null],
    ]);
  });

  it('is the resource in the Location of the response if the path of a proxied write names none', () => {
    assertSubjects([
      ['created identity', write(IDENTITIES, `${IDENTITIES}/${ID}`), `identity:${ID}`],
      ['created client', write(CLIENTS, `${CLIENTS}/a%20b`), 'client:a b'],
      ['both path and Location', write(`${IDENTITIES}/${ID}`, `${IDENTITIES}/${OTHER_ID}`), `identity:${ID}`],
      ['revoked consent of a person', write(CONSENT, `${IDENTITIES}/${ID}`), `identity:${ID}`],
      ['revoked consent without a person', write(CONSENT), null],
      ['Location on another site', write(CLIENTS, 'https://evil.example/x'), null],
    ]);
  });
});
