import type { SessionInformation } from '../../../shared/session.ts';
import { type Identity, identityQuery, identityTotalQuery, patchIdentity } from '../../api/identities.ts';
import { reworded } from '../../api/request.ts';
import { revokeSessions } from '../../api/sessions.ts';
import { identityIdIn, mayBeWhole } from '../../lib/identity-name.ts';
import { defineResource } from '../../list/resource.ts';
import type { MemberChange } from '../../record/member-changes.ts';
import { timelineSearch } from '../../record/timeline-kinds.ts';
import { IconUsers } from '../../ui/shell-icons.tsx';
import { foundPageQuery, parseIdentitiesSearch } from './identity-query.ts';

export const IDENTITIES = defineResource({
  to: '/identities',
  one: 'identity',
  many: 'identities',
  title: 'Identity',
  label: 'Identities',
  about: 'Find people, and view or edit their identities.',
  icon: IconUsers,
  letter: 'i',
  needs: ['identities.read'],
  recordNeeds: 'upstreams.read',
  find: {
    label: 'Find identity',
    search: (q) => ({ q }),
    directly: 'identity',
    open: 'Open identity',
    isSure: (text) => identityIdIn(text) !== undefined,
  },
  alsoFind: {
    label: 'Find identities that begin with',
    search: (text) => ({ q: text.replace(/\**$/, '*') }),
    directly: 'beginning',
    isLikelier: (text) => !mayBeWhole(text),
  },
  search: parseIdentitiesSearch,
  recordSearch: timelineSearch,
  preload: {
    list: (params) => [foundPageQuery(params), identityTotalQuery],
    record: (id) => (identityIdIn(id) === undefined ? undefined : identityQuery(id)),
    beforeSession: true,
  },
});

/** Falls back to the raw state, since later versions of Kratos may add states. */
export const formatState = (state: string): string =>
  ({ active: 'Active', inactive: 'Inactive' })[state] ?? (state === '' ? 'unknown' : state);

/** Deactivates an identity and ends its sessions, which would otherwise work again after the next activation. */
export async function deactivateIdentity(id: string, patch = patchIdentity): Promise<Identity> {
  const saved = await setState(id, 'inactive', patch);
  await endSessionsAfter('The identity is deactivated', id);
  return saved;
}

/** @throws an error that names what has already succeeded */
export async function endSessionsAfter(done: string, id: string): Promise<void> {
  await revokeSessions(id).catch((error: Error) => {
    throw reworded(error, `${done}, but its sessions could not be ended: ${error.message}`);
  });
}

export const activateIdentity = (id: string, patch = patchIdentity): Promise<Identity> => setState(id, 'active', patch);

const setState = (id: string, state: 'active' | 'inactive', patch: typeof patchIdentity): Promise<Identity> =>
  patch(id, [{ op: 'replace', path: '/state', value: state }]);

export const OWN_ACCOUNT =
  'This is you. You cannot deactivate or delete the account you are signed in with, or change its role. Ask another administrator.';

/** The path of a change that would remove the operator's own role; undefined if the role stays. */
export const ownRoleIn = (changes: readonly MemberChange[], { role }: SessionInformation['user']): string | undefined =>
  changes.find(({ path, before }) => /^\/(?:traits|metadata_admin)\/role$/.test(path) && before === role)?.path;
