import { deleteClient } from '../../api/oauth-client-record.ts';
import { RequestError } from '../../api/request-error.ts';

export const DELETION_CONSEQUENCES: readonly string[] = [
  'From this moment, the application can sign nobody in and gets no more tokens.',
  'Its tokens and the consents that people gave to it die with it. The OAuth server cannot say how many there are.',
  'Its settings and its secret are gone for good; the client id can then be used by somebody else.',
];

/** @returns whether there was something to delete: somebody else may have been first */
export async function deletedNow(id: string): Promise<boolean> {
  try {
    await deleteClient(id);
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return false;
    throw error;
  }
}
