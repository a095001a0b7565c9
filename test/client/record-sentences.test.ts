import assert from 'node:assert/strict';
import { foldRecords, foldSentence } from '../../client/audit/fold-records.ts';
import { memberWords } from '../../client/audit/proxied-act.ts';
import { recordFacts } from '../../client/audit/record-facts.ts';
import { formatOperator, operatorsIn, subjectsIn } from '../../client/audit/record-names.tsx';
import {
  formatRecord,
  type NamedThing,
  type RecordedAct,
  reasonIn,
  recordSentence,
  thingOf,
} from '../../client/audit/record-sentence.ts';
import { exactTime } from '../../client/ui/facts.tsx';
import type { AuditRecord } from '../../shared/audit.ts';
import { idOf } from '../support/index-rig.ts';

const OPERATOR = '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f';
const BY_CLAIMS = 'oidc:9b1f0c2a7d1e4a559e550a1b2c3d4e5f';
const PERSON = '5f3e0a11-2b4c-4d6e-8f00-112233445566';

const record = (act: Partial<RecordedAct>): RecordedAct => ({
  action: 'login',
  actor: OPERATOR,
  target: null,
  subject: null,
  details: {},
  ...act,
});
const proxied = (
  method: string,
  path: string,
  status: number | null,
  subject: RecordedAct['subject'] = null,
): RecordedAct =>
  record({ action: 'proxy_write', target: path, subject, details: { method, status, peer: '10.0.0.7' } });
const REQUESTS = 'oauth-admin/admin/oauth2/auth/requests';
const PERSON_PATH = `/api/identity-admin/admin/identities/${PERSON}`;
/** A write that changes these members. */
const changing = (method: string, changed: string[], state?: string, status = 200): RecordedAct => ({
  ...proxied(method, PERSON_PATH, status, `identity:${PERSON}`),
  details: { method, status, peer: null, changed, ...(state !== undefined && { state }) },
});
const BATCH = proxied('PATCH', '/api/identity-admin/admin/identities', 200);
const because = (act: RecordedAct, reason: string): RecordedAct => ({ ...act, details: { ...act.details, reason } });
const changingClient = (changed: string[]): RecordedAct => ({
  ...proxied('PATCH', '/api/oauth-admin/admin/clients/shop', 200, 'client:shop'),
  details: { method: 'PATCH', status: 200, peer: null, changed },
});

/** Records, newest first, each the given number of seconds older than the newest. */
const trail = (...acts: [act: RecordedAct, secondsAgo: number][]): AuditRecord[] =>
  acts.map(([act, secondsAgo], index) => ({
    ...act,
    sequence: acts.length - index,
    timestamp: new Date(Date.UTC(2026, 0, 1) - secondsAgo * 1000).toISOString(),
  }));
const setting = (key: string, created: boolean): RecordedAct =>
  record({ action: 'setting_write', target: key, subject: `setting:${key}`, details: { created } });
const [ONE, OTHER] = [idOf(1), idOf(2)];
const state = (id: string, status = 200): RecordedAct => ({
  ...proxied('PATCH', PERSON_PATH.replace(PERSON, id), status, `identity:${id}`),
  details: { method: 'PATCH', status, changed: ['/state'], state: 'inactive' },
});
const ended = (id: string, status = 204): RecordedAct =>
  proxied('DELETE', `${PERSON_PATH.replace(PERSON, id)}/sessions`, status, `identity:${id}`);

describe('audit records', () => {
  const folded = (records: readonly AuditRecord[]): string[] =>
    foldRecords(records).map((fold) =>
      foldSentence(fold)
        .map(({ text }) => text)
        .join(''),
    );

  it('of one action are combined into one sentence without losing any, even if other records come between them', () => {
    for (const [sentences, records] of [
      [
        ['1f0c2a9b deactivated and ended all sessions of 2 identities'],
        trail([ended(OTHER), 0], [ended(ONE), 0], [state(OTHER), 4], [state(ONE), 8]),
      ],
      [
        ['1f0c2a9b imported identities from people.csv, 2 times'],
        trail([because(BATCH, 'people.csv'), 0], [because(BATCH, 'people.csv'), 1]),
      ],
      [
        ['1f0c2a9b deactivated and ended all sessions of the identity 00000001'],
        trail([ended(ONE), 0], [state(ONE), 1]),
      ],
      [
        ['1f0c2a9b deactivated and ended all sessions of 2 identities'],
        trail([ended(OTHER, 404), 0], [ended(ONE), 0], [state(OTHER), 4], [state(ONE), 8]),
      ],
      [
        ['1f0c2a9b tried to deactivate 1 identity, deactivated 2 identities and ended all sessions of 1 identity'],
        trail([ended(ONE), 0], [state(ONE), 0], [state(PERSON), 0], [state(OTHER, 500), 1]),
      ],
      [
        ['1f0c2a9b created 2 settings and changed 1 setting under social', '1f0c2a9b signed in'],
        trail(
          [setting('social.order', false), 0],
          [record({}), 1],
          [setting('social.google.enabled', true), 1],
          [setting('social.google.client_id', true), 2],
        ),
      ],
      [
        ['1f0c2a9b changed 2 settings under social.google', '1f0c2a9b deleted the setting mail.from'],
        trail(
          [setting('social.google.scopes', false), 0],
          [setting('social.google.enabled', false), 1],
          [record({ action: 'setting_delete', target: 'mail.from', subject: 'setting:mail.from' }), 1],
        ),
      ],
      [
        ['1f0c2a9b listed or searched identities, 3 times', '1f0c2a9b listed identities'],
        trail(
          [record({ action: 'identity_search' }), 0],
          [record({ action: 'identity_search', target: 'ada' }), 60],
          [record({ action: 'identity_search', target: 'kim\nlee' }), 1_200],
          [record({ action: 'identity_search' }), 4_000],
        ),
      ],
    ] as const) {
      assert.deepEqual(folded(records), sentences);
      const contained = foldRecords(records).flat();
      assert.deepEqual(
        contained.map(({ sequence }) => sequence).sort(),
        records.map(({ sequence }) => sequence).sort(),
      );
    }
  });

  it('are not combined if they are far apart in time, by different operators, or each important', () => {
    const unlocked = record({ action: 'account_unlock', target: 'ada@example.com' });
    for (const records of [
      trail([state(ONE), 0], [{ ...state(OTHER), actor: ONE }, 0]),
      trail([state(ONE), 0], [state(OTHER), 6]),
      trail([unlocked, 0], [unlocked, 0]),
      trail([because(state(ONE), 'T-1'), 0], [because(state(OTHER), 'T-2'), 0]),
      trail([because(state(ONE), 'T-1'), 0], [state(OTHER), 0]),
      trail([proxied('DELETE', PERSON_PATH, 204, `identity:${PERSON}`), 0], [changingClient(['/scope']), 0]),
    ])
      assert.deepEqual(
        foldRecords(records).map(({ length }) => length),
        [1, 1],
      );
  });
});

describe('the reason in an audit record', () => {
  it('is what the operator wrote, unless the sentence contains it', () => {
    const unlocked = record({ action: 'account_unlock', details: { lock_reason: 'wrong_password' } });
    for (const [reason, act] of [
      ['T-1', because(state(ONE), 'T-1')],
      ['T-1', because(unlocked, 'T-1')],
      [undefined, state(ONE)],
      [undefined, record({ action: 'account_unlock', details: { reason: 'wrong_password' } })],
      [undefined, record({ action: 'login_refused', details: { reason: 'no_role' } })],
      [undefined, because(BATCH, 'people.csv')],
    ] as const)
      assert.equal(reasonIn(act), reason);
  });
});

describe('the sentence of an audit record', () => {
  it('states who did what to which record, and whether that failed', () => {
    for (const [sentence, act] of [
      ['1f0c2a9b signed in as viewer', record({ details: { role: 'viewer' } })],
      [
        '1f0c2a9b was refused sign-in: of_a_later_release',
        record({ action: 'login_refused', details: { reason: 'of_a_later_release' } }),
      ],
      [
        'oidc:9b1f0c2a was refused sign-in: no role for this dashboard: /groups had 1 value',
        record({
          action: 'login_refused',
          actor: BY_CLAIMS,
          details: { reason: 'no_role', claim: '/groups', values: 1 },
        }),
      ],
      [
        'The command line pruned the trail up to record 7',
        record({ action: 'audit_prune', actor: 'command-line', details: { after: 7, after_tag: 'a' } }),
      ],
      [
        '1f0c2a9b tried to reveal the setting mail.key – it could not be decrypted',
        record({ action: 'setting_decrypt', target: 'mail.key', details: { opened: false } }),
      ],
      [
        '1f0c2a9b searched identities for “adé”, state inactive',
        record({ action: 'identity_search', target: 'q=ad%C3%A9&state=inactive' }),
      ],
      ['1f0c2a9b deleted the identity 5f3e0a11', proxied('DELETE', PERSON_PATH, 204, `identity:${PERSON}`)],
      [
        '1f0c2a9b tried to change the identity 5f3e0a11 – it was refused with status 409',
        proxied('PATCH', PERSON_PATH, 409, `identity:${PERSON}`),
      ],
      [
        '1f0c2a9b deleted the client my app: it did not exist',
        proxied('DELETE', '/api/oauth-admin/admin/clients/my%20app', 404, 'client:my app'),
      ],
      ['1f0c2a9b changed name.first of the identity 5f3e0a11', changing('PATCH', ['/traits/name/first'])],
      [
        '1f0c2a9b deactivated and changed email and the admin metadata of the identity 5f3e0a11',
        changing('PATCH', ['/traits/email', '/state', '/metadata_admin/plan', '/metadata_admin/note'], 'inactive'),
      ],
      [
        '1f0c2a9b replaced the identity 5f3e0a11 and set a password',
        changing('PUT', ['/schema_id', '/state', '/credentials/password'], 'active'),
      ],
      [
        '1f0c2a9b changed the redirect addresses of the client shop',
        changingClient(['/redirect_uris/0', '/redirect_uris/-']),
      ],
      [
        '1f0c2a9b ended all sessions of the identity 5f3e0a11: there were none',
        proxied('DELETE', `${PERSON_PATH}/sessions`, 404, `identity:${PERSON}`),
      ],
      [
        '1f0c2a9b tried to delete the client my app – the outcome is unknown',
        proxied('DELETE', '/api/oauth-admin/admin/clients/my%20app', null, 'client:my app'),
      ],
      ...(
        [
          ['created a recovery code for the identity 5f3e0a11', 'POST', 'identity-admin/admin/recovery/code', 201],
          ['accepted an OAuth 2.0 request for the identity 5f3e0a11', 'PUT', `${REQUESTS}/login/accept`, 200],
          ['ended login sessions of the identity 5f3e0a11', 'DELETE', 'oauth-admin/oauth2/auth/sessions/login', 204],
        ] as const
      ).map(([act, method, path, status]) => {
        const { details, ...rest } = proxied(method, `/api/${path}`, status, `identity:${PERSON}`);
        return [`1f0c2a9b ${act}`, { ...rest, details: { ...details, location: PERSON_PATH } }] as const;
      }),
      ['1f0c2a9b created a recovery link', proxied('POST', '/api/identity-admin/admin/recovery/link', 200)],
      ['1f0c2a9b sent a batch of identities', BATCH],
      ['1f0c2a9b imported identities from made or send.csv', because(BATCH, 'made or send.csv')],
      [
        'A caller without a session made a change at the identity service',
        { ...proxied('POST', '/api/identity-admin/admin/of-later/x', 201), actor: 'anonymous' },
      ],
      [
        'The command line made a change at the OAuth 2.0 server',
        { ...proxied('POST', 'AUTH_ADMIN_URL/admin/clients', 201), actor: 'command-line' },
      ],
    ] as const)
      assert.equal(formatRecord(act), sentence);
  });
});

describe('a record in the audit trail', () => {
  it('names operators if their names are loaded', () => {
    const nameOf = ({ kind, id }: NamedThing): string | undefined =>
      kind === 'operator' && id === OPERATOR ? 'ada@example.org' : undefined;
    assert.equal(formatRecord(record({}), undefined, nameOf), 'ada@example.org signed in');
    assert.equal(formatRecord(record({}), OPERATOR, nameOf), 'You signed in');
    const revoked = record({ action: 'session_revoke', actor: PERSON, target: OPERATOR });
    assert.equal(formatRecord(revoked, undefined, nameOf), '5f3e0a11 ended the dashboard sessions of ada@example.org');
    const recovered = record({ action: 'recovery_start', target: PERSON });
    assert.equal(
      formatRecord(recovered, undefined, nameOf),
      'ada@example.org started the recovery of the identity 5f3e0a11',
    );
    const withoutIdentity = { ...revoked, target: BY_CLAIMS };
    const names = { kind: 'operator', id: BY_CLAIMS };
    assert.deepEqual(recordSentence(withoutIdentity).at(-1), { text: ' oidc:9b1f0c2a', names });
    assert.deepEqual(operatorsIn([withoutIdentity], ''), [PERSON, BY_CLAIMS]);
  });

  it('names an operator by e-mail address, otherwise by display name and ID', () => {
    const operator = { identity_id: OPERATOR, name: 'The service', email: 'ada@example.org' };
    assert.equal(formatOperator(operator), 'ada@example.org');
    assert.equal(formatOperator({ ...operator, email: null }), 'The service (1f0c2a9b)');
    assert.equal(formatOperator({ ...operator, email: null, name: null }), undefined);
  });

  it('refers to its actor and subject by their full IDs', () => {
    const names = recordSentence(
      proxied('DELETE', `/api/identity-admin/identities/${PERSON}`, 204, `identity:${PERSON}`),
    )
      .map((part) => part.names)
      .filter((thing) => thing !== undefined);
    assert.deepEqual(names, [
      { kind: 'operator', id: OPERATOR },
      { kind: 'identity', id: PERSON },
    ]);
    assert.deepEqual(thingOf('setting:a:b'), { kind: 'setting', id: 'a:b' });
    assert.equal(thingOf('place:x'), undefined);
  });

  it('names people and clients if their names are loaded, and links to them', () => {
    const NAMES: Record<string, string> = { [`identity:${PERSON}`]: 'Ada Lovelace', 'client:shop': 'Web shop' };
    const nameOf = ({ kind, id }: NamedThing): string | undefined => NAMES[`${kind}:${id}`];
    const deactivated = changing('PATCH', ['/state'], 'inactive');
    assert.equal(formatRecord(deactivated, OPERATOR, nameOf), 'You deactivated Ada Lovelace');
    const changed = changingClient(['/redirect_uris']);
    assert.equal(formatRecord(changed, OPERATOR, nameOf), 'You changed the redirect addresses of Web shop');
    assert.deepEqual(recordSentence(deactivated, OPERATOR, nameOf).at(-1), {
      text: ' Ada Lovelace',
      names: { kind: 'identity', id: PERSON },
    });
    const acts = [
      deactivated,
      changed,
      record({ action: 'session_revoke', subject: `identity:${OPERATOR}` }),
      record({}),
    ];
    assert.deepEqual(subjectsIn(acts), [`identity:${PERSON}`, 'client:shop']);
  });

  it('has details that list its IDs, request and changed members in words, without the values', () => {
    const facts = recordFacts({
      sequence: 12,
      timestamp: '2026-01-31T09:00:00.000Z',
      ...changing('PATCH', ['/state', '/traits/name/first', '/traits/*'], 'inactive'),
      details: { ...changing('PATCH', ['/state', '/traits/name/first', '/traits/*']).details, peer: '10.0.0.7' },
    });
    assert.deepEqual(facts, [
      ['Record', '12'],
      ['Time', exactTime('2026-01-31T09:00:00.000Z')],
      ['Timestamp', '2026-01-31T09:00:00.000Z'],
      ['Action', 'proxy_write'],
      ['Who', OPERATOR],
      ['About', `identity:${PERSON}`],
      ['Changed', 'the state, name.first, a trait'],
      ['Request', `PATCH ${PERSON_PATH}`],
      ['Status', '200'],
      ['Caller', '10.0.0.7'],
    ]);
    const unlock = record({ action: 'account_unlock', target: 'ada@example.org', details: { after_tag: 'a' } });
    assert.deepEqual(recordFacts({ sequence: 1, timestamp: '2026-01-31T09:00:00.000Z', ...unlock }).slice(5), [
      ['Target', 'ada@example.org'],
      ['After tag', 'a'],
    ]);
  });

  it('names changed members as the app does, otherwise by their keys', () => {
    const names = [
      ['/traits', 'the traits'],
      ['/traits/email', 'email'],
      ['/traits/address/city', 'address.city'],
      ['/credentials/password', 'the password'],
      ['/post_logout_redirect_uris/3', 'the addresses after logout'],
      ['/access_token_strategy', 'the access token strategy'],
      ['/*', 'another field'],
    ];
    for (const [pointer = '', name] of names) assert.deepEqual(memberWords([pointer]), [name], pointer);
    assert.deepEqual(memberWords(['/contacts/0', '/contacts/1']), ['the contacts']);
  });
});
