import type { SessionInformation } from '../../../shared/session.ts';
import type { MemberChange } from '../../resource/form/member-changes.ts';

/** Why the service refuses it (409 `own_account`), said before. */
export const OWN_ACCOUNT =
  'This is you. Nobody deactivates or deletes the account they are signed in with, or changes its role: ask another administrator.';

/** Where these changes take the role that an operator has; undefined if they leave it. */
export const ownRoleIn = (changes: readonly MemberChange[], { role }: SessionInformation['user']): string | undefined =>
  changes.find(({ path, before }) => /^\/(?:traits|metadata_admin)\/role$/.test(path) && before === role)?.path;
