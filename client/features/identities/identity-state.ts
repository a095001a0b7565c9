import { type Identity, patchIdentity } from '../../api/identities-record.ts';
import { revokeSessions } from '../../api/identities-sessions.ts';
import { reworded } from '../../api/request-error.ts';

/**
 * Deactivates an identity and ends its sessions. The identity service leaves sessions alone: they would come back to
 * life with the next activation.
 * @param onHalfDone awaited when only ending the sessions failed
 * @returns the identity as it is stored then
 * @throws the failure; if only ending the sessions failed, with a message that says so
 */
export async function deactivateIdentity(id: string, onHalfDone?: () => Promise<unknown>): Promise<Identity> {
  const saved = await setState(id, 'inactive');
  try {
    await revokeSessions(id);
    return saved;
  } catch (error) {
    await onHalfDone?.();
    const { message } = error as Error;
    throw reworded(error as Error, `It is deactivated, but its sessions could not be ended: ${message}`);
  }
}

export const activateIdentity = (id: string): Promise<Identity> => setState(id, 'active');

const setState = (id: string, state: 'active' | 'inactive'): Promise<Identity> =>
  patchIdentity(id, [{ op: 'replace', path: '/state', value: state }]);
