import assert from 'node:assert/strict';
import type { ActEvent, AuditEvent } from '../../server/audit/audit-event.ts';
import { subjectOf } from '../../server/audit/audit-subject.ts';
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
  const SUBJECTS: [title: string, event: AuditEvent, subject: string | null][] = [
    ['a sign-in is its session', act('login', ID), `session:${ID}`],
    ['a sign-out is its session', act('logout', ID.toUpperCase()), `session:${ID}`],
    ['a refused sign-in is nothing', act('login_refused', null), null],
    ['a written setting is that setting', act('setting_write', 'mail.password'), 'setting:mail.password'],
    ['a deleted setting with a strange key is that setting', act('setting_delete', 'a/b %🔑'), 'setting:a/b %🔑'],
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
    ['a changed identity is the person', write(`/api/identity-admin/admin/identities/${ID}`), `identity:${ID}`],
    ['the short form of a path is no other', write(`/api/iam-identity-admin/identities/${ID}`), `identity:${ID}`],
    [
      'a deleted credential is the person',
      write(`/api/identity-admin/admin/identities/${ID.toUpperCase()}/credentials/totp`),
      `identity:${ID}`,
    ],
    ['an extended session is the session', write(`/api/identity-admin/admin/sessions/${ID}/extend`), `session:${ID}`],
    [
      'an ended session is the session, in any spelling',
      write(`/api/iam-identity-admin/admin/sessions/${ID.toUpperCase()}`),
      `session:${ID}`,
    ],
    ['what merely begins like a session’s path is nothing', write(`/api/identity-admin/admin/sessions/${ID}0`), null],
    ['a changed client is the client', write('/api/oauth-admin/admin/clients/shop'), 'client:shop'],
    [
      'a client’s id is read from its escapes',
      write('/api/oauth-admin/clients/https:%2F%2Fshop/x'),
      'client:https://shop',
    ],
    ['a client’s broken escape is nothing', write('/api/oauth-admin/clients/%E0%A4%A'), null],
    ['a client with an endless id is nothing', write(`/api/oauth-admin/clients/${'x'.repeat(1100)}`), null],
    [
      'a client whose id just fits its column, in bytes, is the client',
      write(`/api/oauth-admin/clients/x${'%C3%BC'.repeat(516)}`),
      `client:x${'ü'.repeat(516)}`,
    ],
    ['a client with a byte more is nothing', write(`/api/oauth-admin/clients/xx${'%C3%BC'.repeat(516)}`), null],
    [
      'a new identity is the one that the answer names',
      write('/api/identity-admin/admin/identities', `/api/identity-admin/admin/identities/${ID}`),
      `identity:${ID}`,
    ],
    [
      'a new client is the one that the answer names',
      write('/api/oauth-admin/admin/clients', '/api/oauth-admin/admin/clients/a%20b'),
      'client:a b',
    ],
    [
      'what the path names counts before what the answer names',
      write(`/api/identity-admin/admin/identities/${ID}`, `/api/identity-admin/admin/identities/${OTHER}`),
      `identity:${ID}`,
    ],
    ['many identities at once are nothing', write('/api/identity-admin/admin/identities'), null],
    [
      'an answer that names another place is nothing',
      write('/api/oauth-admin/admin/clients', 'https://evil.example/x'),
      null,
    ],
    ['an identity by another name is nothing', write('/api/identity-admin/admin/identities/by/external/7'), null],
    [
      'what merely begins like an identity’s path is nothing',
      write(`/api/identity-admin/admin/identities/${ID}0`),
      null,
    ],
    ['an identity’s path under another prefix is nothing', write(`/api/oauth-admin/admin/identities/${ID}`), null],
    [
      'an act of a later release is nothing',
      { ...act('login', ID), action: 'of_later' } as unknown as AuditEvent,
      null,
    ],
  ];
  for (const [title, event, subject] of SUBJECTS)
    it(`of ${title}`, () => {
      assert.equal(subjectOf(event), subject);
    });

  it('is settled for every action', () => {
    const covered = new Set(SUBJECTS.map(([, { action }]) => action));
    assert.deepEqual(
      AUDIT_ACTIONS.filter((action) => !covered.has(action)),
      [],
    );
  });
});
