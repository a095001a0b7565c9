import assert from 'node:assert/strict';
import type { ActEvent, AuditEvent } from '../../server/audit/event.ts';
import { subjectOf } from '../../server/audit/event.ts';
import { AUDIT_ACTIONS } from '../../shared/audit.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
const OTHER = '00000000-0000-4000-8000-00000000000f';

const act = (action: ActEvent['action'], target: string | null, details?: ActEvent['details']): AuditEvent => ({
  action,
  actor: OTHER,
  target,
  details,
});
const write = (path: string, location?: string): AuditEvent =>
  act('proxy_write', path, {
    method: 'POST',
    status: 201,
    peer: '::1',
    ...(location === undefined ? {} : { location }),
  });

describe('the subject of an audit record', () => {
  const fits = 'ü'.repeat(516);
  const IDENTITIES = '/api/identity-admin/admin/identities';
  const CLIENTS = '/api/oauth-admin/admin/clients';
  const CONSENT = '/api/oauth-admin/admin/oauth2/auth/sessions/consent';
  const SUBJECTS: [title: string, event: AuditEvent, subject: string | null][] = [
    ['a sign-in is its session', act('login', ID), `session:${ID}`],
    ['a sign-out is its session, in lower case', act('logout', ID.toUpperCase()), `session:${ID}`],
    ['a refused sign-in is nothing', act('login_refused', null), null],
    ['a written setting is that setting', act('setting_write', 'mail.password'), 'setting:mail.password'],
    ['a deleted setting is that setting', act('setting_delete', 'a/b %🔑'), 'setting:a/b %🔑'],
    ['a setting read in plain text is that setting', act('setting_decrypt', 'x'), 'setting:x'],
    ['a restored setting is that setting', act('setting_restore', 'x'), 'setting:x'],
    ['a setting whose history is removed is that setting', act('setting_forget', 'x'), 'setting:x'],
    ['a value encrypted for a setting is that setting', act('value_encrypt', 'x'), 'setting:x'],
    ['a value encrypted for no setting is nothing', act('value_encrypt', null), null],
    ['the end of somebody’s sessions is the person', act('session_revoke', ID), `identity:${ID}`],
    ['an unlocked account is nothing that has an id', act('account_unlock', 'ada@example.com'), null],
    ['an anchor is nothing', act('audit_anchor', null, { up_to: 7, tag: 'a', digest: 'b' }), null],
    ['a prune is nothing', act('audit_prune', null, { after: 7, after_tag: 'a' }), null],
    ['a search is nothing', { action: 'identity_search', adminId: ID, searchFilter: ID }, null],
    ['an act of a later release is nothing', { ...act('login', ID), action: 'later' } as unknown as AuditEvent, null],

    ['a changed identity is the person', write(`${IDENTITIES}/${ID}`), `identity:${ID}`],
    ['the short path is the same', write(`/api/iam-identity-admin/identities/${ID}`), `identity:${ID}`],
    ['a credential is the person', write(`${IDENTITIES}/${ID.toUpperCase()}/credentials/totp`), `identity:${ID}`],
    ['an extended session is it', write(`/api/identity-admin/admin/sessions/${ID}/extend`), `session:${ID}`],
    ['a client is the client', write(`${CLIENTS}/shop`), 'client:shop'],
    ['a client’s id is unescaped', write('/api/oauth-admin/clients/https:%2F%2Fshop/x'), 'client:https://shop'],
    ['a broken escape is nothing', write(`${CLIENTS}/%E0%A4%A`), null],
    ['an id that just fits its column, in bytes, is the client', write(`${CLIENTS}/x${fits}`), `client:x${fits}`],
    ['one of a byte more is nothing', write(`${CLIENTS}/xx${fits}`), null],
    ['what only begins like a path is nothing', write(`${IDENTITIES}/${ID}0`), null],
    ['many identities at once are nothing', write(IDENTITIES), null],
    ['an identity by another name is nothing', write(`${IDENTITIES}/by/external/7`), null],
    ['a path under another prefix is nothing', write(`/api/oauth-admin/admin/identities/${ID}`), null],

    ['a new identity is the one in the response', write(IDENTITIES, `${IDENTITIES}/${ID}`), `identity:${ID}`],
    ['a new client is the one in the response', write(CLIENTS, `${CLIENTS}/a%20b`), 'client:a b'],
    ['the path goes before the response', write(`${IDENTITIES}/${ID}`, `${IDENTITIES}/${OTHER}`), `identity:${ID}`],
    ['a revoked consent is whose it was', write(CONSENT, `${IDENTITIES}/${ID}`), `identity:${ID}`],
    ['a revoked consent of nobody with an id is nothing', write(CONSENT), null],
    ['a response that names another site is nothing', write(CLIENTS, 'https://evil.example/x'), null],
  ];
  for (const [title, event, subject] of SUBJECTS)
    it(`of ${title}`, () => {
      assert.equal(subjectOf(event), subject);
    });

  it('is decided for every action', () => {
    const covered = new Set(SUBJECTS.map(([, { action }]) => action));
    assert.deepEqual(
      AUDIT_ACTIONS.filter((action) => !covered.has(action)),
      [],
    );
  });
});
