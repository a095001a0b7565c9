import { RequestError } from '../api/request-error.ts';
import { signOut } from '../api/session.ts';
import { toast } from '../ui/feedback/toasts.tsx';
import { useSingleFlight } from '../ui/hooks/use-single-flight.ts';

/**
 * Leaves with a full page load, so that nothing of the session stays in memory. If the server could not record the end
 * of the session (503), this browser's cookie is deleted all the same, and the next page says so.
 */
export function useSignOut(): { signOut: () => Promise<void>; pending: boolean } {
  const { run, pending } = useSingleFlight();
  return {
    pending,
    signOut: () =>
      run(async () => {
        try {
          await signOut();
          location.assign('/signed-out');
        } catch (error) {
          if (error instanceof RequestError && error.status === 401) location.assign('/signed-out');
          else if (error instanceof RequestError) location.assign('/signed-out?server=away');
          else toast('Not signed out: the service cannot be reached.');
        }
      }),
  };
}
