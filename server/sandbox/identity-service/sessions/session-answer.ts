import { identityAnswer } from '../identities/identity-answer.ts';
import type { IdentityDocument } from '../identities/identity-document.ts';
import type { SessionDocument } from './session-store.ts';

/** What an answer shows of a session beside itself. */
export interface SessionView {
  identity?: IdentityDocument;
  /** For the identity's `schema_url`; undefined leaves it empty. */
  publicUrl?: string;
  addresses?: boolean;
  /** What stands for devices that are not shown: lists say null, one session says `[]`. */
  devices: 'shown' | 'null' | 'empty';
}

/** True until the session is revoked or expires, or its identity, where that is looked at, is inactive. */
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
