import { identityAnswer } from '../identities/identity-answer.ts';
import type { IdentityDocument } from '../identities/identity-document.ts';
import type { SessionDocument } from './session-store.ts';

export interface SessionView {
  identity?: IdentityDocument;
  /** For the identity's `schema_url`, which is empty if undefined. */
  publicUrl?: string;
  addresses?: boolean;
  /** The value of devices that are not included: null in lists, `[]` in a single session. */
  devices: 'shown' | 'null' | 'empty';
}

/** True until the session is revoked or expires, or its identity, if given, is deactivated. */
export const isActive = (session: SessionDocument, identity: IdentityDocument | undefined, now: number): boolean =>
  session.active && Date.parse(session.expires_at) > now && identity?.state !== 'inactive';

/** @param now milliseconds since the epoch */
export function sessionAnswer(session: SessionDocument, view: SessionView, now: number): Record<string, unknown> {
  const { identity, publicUrl, addresses = true } = view;
  const { devices, active: _stored, id, ...times } = session;
  return {
    id,
    active: isActive(session, identity, now),
    ...times,
    identity: identity ? identityAnswer(identity, { publicUrl, addresses, adminMetadata: false }) : null,
    devices: view.devices === 'shown' ? devices : view.devices === 'empty' ? [] : null,
  };
}
