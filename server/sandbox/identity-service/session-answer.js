import { identityAnswer } from './identity-answer.js';
/** True until the session is revoked or expires, or its identity, where that is looked at, is inactive. */
export const isActive = (session, identity, now) =>
  session.active && Date.parse(session.expires_at) > now && identity?.state !== 'inactive';
/** @param now milliseconds since the epoch */
export function sessionAnswer(session, view, now) {
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
