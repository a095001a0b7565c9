import { deleteClient } from '../../api/oauth-client-record.ts';
import { RequestError } from '../../api/request-error.ts';
import { NO_WAY_BACK } from '../../ui/dialog/way-back.ts';

export const DELETION_CONSEQUENCES: readonly string[] = [
  'The application can no longer sign anyone in or get tokens.',
  'Its tokens and the consents that people gave it are deleted, too. The OAuth server cannot say how many there are.',
  'Its settings and secret are permanently deleted; the client id can then be used by somebody else.',
  NO_WAY_BACK,
];

/** @returns false if it was already deleted */
export async function deletedNow(id: string): Promise<boolean> {
  try {
    await deleteClient(id);
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return false;
    throw error;
  }
}
